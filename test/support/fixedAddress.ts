import { Socket } from 'node:net';

/** Where the platform is in what is saved: a trigger's state belongs to the address. Nothing listens there. */
const PORT = 4;
export const FIXED_ADDRESS = `http://127.0.0.1:${PORT}`;

/** Leads connections to the fixed address to a stand-in, which has another port each time. @returns what ends that */
export function leadTo(baseUrl: string): () => void {
	const port = Number(new URL(baseUrl).port);
	const known = Object.getOwnPropertyDescriptor(Socket.prototype, 'connect') ?? {};
	Object.defineProperty(Socket.prototype, 'connect', {
		...known,
		value(this: Socket, ...args: unknown[]) {
			const [options] = args.flat() as Array<{ port?: unknown }>;
			if (Number(options?.port) === PORT) Object.assign(options ?? {}, { port });
			return Reflect.apply(known.value as Socket['connect'], this, args) as Socket;
		},
	});
	return () => void Object.defineProperty(Socket.prototype, 'connect', known);
}
