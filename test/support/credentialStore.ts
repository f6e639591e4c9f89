import {
	ICredentialsHelper,
	isExpression,
	type ICredentialDataDecryptedObject,
	type ICredentials,
	type ICredentialType,
	type IDataObject,
	type IHttpRequestOptions,
	type INode,
	type INodeCredentialsDetails,
	type INodeProperties,
	type IRequestOptionsSimplified,
	type IWorkflowExecuteAdditionalData,
	type Workflow,
} from 'n8n-workflow';

export interface CredentialStoreOptions {
	/** The credential types that the package has, by name. */
	types: Record<string, ICredentialType>;
	/** The stored data of the one credential of each type, read on every access. */
	stored: Record<string, () => IDataObject>;
}

/**
 * n8n's CredentialsHelper with objects instead of its database. `authenticate` follows n8n 2.41
 * line by line (credentials-helper.js of the package n8n); what tests of nodes never reach is refused.
 */
export class CredentialStore extends ICredentialsHelper {
	private readonly options: CredentialStoreOptions;

	constructor(options: CredentialStoreOptions) {
		super();
		this.options = options;
	}

	getParentTypes(): string[] {
		return [];
	}

	isCredentialUsableByNode(): boolean {
		return true;
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		incoming: IHttpRequestOptions | IRequestOptionsSimplified,
		workflow?: Workflow,
		node?: INode,
	): Promise<IHttpRequestOptions> {
		const request = incoming as IHttpRequestOptions;
		const { authenticate } = this.type(typeName);
		if (typeof authenticate === 'function') return await authenticate(credentials, request);
		if (authenticate === undefined) return request;
		if (!workflow || !node) throw new Error('Workflow and node are required for declarative credential authentication');
		const resolve = (value: unknown): unknown => {
			if (!isExpression(value)) return value;
			const keys = { $credentials: credentials };
			const resolved = workflow.expression.getSimpleParameterValue(node, value, 'internal', keys, undefined, '');
			return resolved ? String(resolved as string) : '';
		};
		const parts = request as unknown as Record<string, IDataObject | undefined>;
		for (const [part, entries] of Object.entries(authenticate.properties)) {
			for (const [name, value] of Object.entries(entries as IDataObject)) {
				(parts[part] ??= {})[String(resolve(name))] = resolve(value) as string;
			}
		}
		return request;
	}

	async preAuthentication(): Promise<undefined> {
		return await Promise.resolve(undefined);
	}

	async runPreAuthentication(): Promise<undefined> {
		return await Promise.reject(new Error('Credentials are not prepared outside of requests in these tests'));
	}

	async getCredentials(): Promise<ICredentials> {
		return await Promise.reject(new Error('Encrypted credentials are not read in these tests'));
	}

	async getDecrypted(
		_additionalData: IWorkflowExecuteAdditionalData,
		_details: INodeCredentialsDetails,
		typeName: string,
	): Promise<ICredentialDataDecryptedObject> {
		const data: ICredentialDataDecryptedObject = {};
		for (const { name, default: standard } of this.type(typeName).properties) data[name] = standard as string;
		return await Promise.resolve({ ...data, ...this.read(typeName) });
	}

	async updateCredentials(): Promise<void> {
		await Promise.reject(new Error('Nothing is written into a credential'));
	}

	async updateCredentialsOauthTokenData(): Promise<void> {
		await Promise.reject(new Error('No credential of this package uses OAuth'));
	}

	getCredentialsProperties(typeName: string): INodeProperties[] {
		return this.type(typeName).properties;
	}

	private type(name: string): ICredentialType {
		const type = this.options.types[name];
		if (!type) throw new Error(`There is no credential type ${name}`);
		return type;
	}

	private read(name: string): ICredentialDataDecryptedObject {
		const data = this.options.stored[name]?.();
		if (!data) throw new Error(`These tests have no credential of the type ${name}`);
		return data as ICredentialDataDecryptedObject;
	}
}
