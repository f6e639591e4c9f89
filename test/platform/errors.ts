/** A request that is refused. `code` only where the specification states one. Fastify knows the names of all three. */
export class Refusal extends Error {
	readonly statusCode: number;
	readonly code: string | undefined;
	readonly headers: Record<string, string>;

	constructor(statusCode: number, message: string, { code, headers = {} }: Partial<Refusal> = {}) {
		super(message);
		this.statusCode = statusCode;
		this.code = code;
		this.headers = headers;
	}
}
