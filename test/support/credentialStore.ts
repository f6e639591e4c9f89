import {
	ICredentialsHelper,
	isExpression,
	type ICredentialDataDecryptedObject,
	type ICredentials,
	type ICredentialType,
	type IDataObject,
	type IHttpRequestHelper,
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
	/** The stored data of the one credential of each type, read on every access. n8n writes tokens into this object. */
	stored: Record<string, () => IDataObject>;
	/** The n8n version whose token storage is emulated: 1.123 overwrites everything, 2.41 only what changed. */
	host?: '2.41' | '1.123';
}

/**
 * n8n's CredentialsHelper with objects instead of its database. `authenticate` and `preAuthentication` follow n8n 2.41
 * line by line (credentials-helper.js of the package n8n); what tests of nodes never reach is refused.
 */
export class CredentialStore extends ICredentialsHelper {
	/** How often n8n wrote to its database. */
	updates = 0;
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

	async preAuthentication(
		helpers: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		node: INode,
		credentialsExpired: boolean,
	): Promise<ICredentialDataDecryptedObject | undefined> {
		const type = this.type(typeName);
		const expirable = type.properties.find(
			(property) => property.type === 'hidden' && property.typeOptions?.expirable === true,
		);
		if (expirable?.name === undefined || typeof type.preAuthentication !== 'function') return undefined;
		if (credentials[expirable.name] !== '' && !credentialsExpired) return undefined;
		const output = (await type.preAuthentication.call(helpers, credentials)) as ICredentialDataDecryptedObject;
		if (output[expirable.name] === undefined || !node.credentials) return undefined;
		const details = node.credentials[type.name];
		if (!details) throw new Error(`The node has no credential of the type ${type.name}`);
		if (this.options.host === '1.123') {
			await this.updateCredentials(details, type.name, Object.assign(credentials, output));
		} else {
			const data = { ...this.read(type.name) };
			for (const [key, value] of Object.entries(output)) {
				if (key === expirable.name || !isExpression(data[key])) data[key] = value;
			}
			await this.updateCredentials(details, type.name, data);
		}
		return Object.assign(credentials, output);
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

	async updateCredentials(
		_details: INodeCredentialsDetails,
		typeName: string,
		data: ICredentialDataDecryptedObject,
	): Promise<void> {
		this.updates++;
		await Promise.resolve(Object.assign(this.read(typeName), data));
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
