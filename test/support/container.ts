import { createRequire } from 'node:module';
import { join } from 'node:path';

interface ContainerOfCore {
	get<T>(type: new (...args: never[]) => T): T;
}

const requireOfCore = createRequire(createRequire(join(process.cwd(), 'package.json')).resolve('n8n-core'));

/** n8n-core's own container: another package may load another copy, which has none of the services. */
export const { Container } = requireOfCore('@n8n/di') as { Container: ContainerOfCore };
