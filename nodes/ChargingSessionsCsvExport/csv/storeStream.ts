import type { BinaryHelperFunctions } from 'n8n-workflow';

type StoreInput = Parameters<BinaryHelperFunctions['prepareBinaryData']>[0];
/** What n8n's binary store takes besides a Buffer: a Node readable stream. */
export type StoreStream = Exclude<StoreInput, Buffer>;

type Event = 'data' | 'end' | 'error' | 'close';
type Listener = (argument?: unknown) => void;

/**
 * Bytes for n8n's binary store. A community node may not import Node's streams, so this implements what the stores use:
 * in filesystem mode n8n iterates over it, pulling one piece after the other from the parts; all other modes collect
 * its `data` events.
 */
export class ByteStream {
	/** Whether the store gave up before the end. */
	abandoned = false;
	/** The error of making the parts, to tell it from an error of the store. */
	broken: { thrown: unknown } | undefined;
	private readonly listeners: Record<Event, Set<Listener>> = {
		data: new Set(),
		end: new Set(),
		error: new Set(),
		close: new Set(),
	};
	private flowing = false;

	constructor(private readonly parts: AsyncGenerator<Buffer, void>) {}

	/** The same object, typed as n8n's helper requires. */
	asStoreInput(): StoreStream {
		return this as unknown as StoreStream;
	}

	[Symbol.asyncIterator](): AsyncIterator<Buffer, void> {
		return {
			next: async () =>
				await this.parts.next().catch((thrown: unknown) => {
					this.broken = { thrown };
					throw thrown;
				}),
			return: async () => await this.parts.return(),
		};
	}

	on(event: Event, listener: Listener): this {
		this.listeners[event].add(listener);
		if (event === 'data' && !this.flowing) {
			this.flowing = true;
			void this.flow();
		}
		return this;
	}

	/** The same as `on`: every event but `data` comes only once. */
	once(event: Event, listener: Listener): this {
		return this.on(event, listener);
	}

	off(event: Event, listener: Listener): this {
		this.listeners[event].delete(listener);
		return this;
	}

	destroy(): this {
		this.abandoned = true;
		return this;
	}

	private async flow(): Promise<void> {
		try {
			for await (const bytes of this) {
				if (this.abandoned) break;
				this.emit('data', bytes);
			}
			if (!this.abandoned) this.emit('end');
		} catch (thrown) {
			this.emit('error', thrown);
		}
		this.emit('close');
	}

	private emit(event: Event, argument?: unknown): void {
		for (const listener of [...this.listeners[event]]) listener(argument);
	}
}
