import { PlatformError } from '../platform';
import type { Silence } from './outage';
import { clock } from './text';

/** What a failed execution says of polls that could read nothing. @param reason why the last of them could not */
export function blindSince(
	{ since }: Silence,
	{ plural, zone, reason }: { plural: string; zone: string; reason: PlatformError },
): PlatformError {
	const now = Date.now();
	const began = clock(now - (performance.now() - since), now, zone);
	const why = [`${reason.message}.`, reason.description].filter(Boolean).join(' ');
	const goesOn =
		'Nothing is reported until then. The trigger goes on asking, and reports what is the case once it can read again. This is said again every 6 hours.';
	return new PlatformError(reason.kind, `The ${plural} could not be read since ${began}`, {
		...reason,
		description: `${why} ${goesOn}`,
	});
}
