import { CsvFault, cutOff, readPart, type CsvPart } from '../shared/csv/part';
import { columnNames, sessionColumn } from '../shared/csv/records';
import { firstNames, quote } from '../shared/text';
import { PlatformError, settle, type Connection, type FailureKind, type Turns } from '../shared/platform';
import { findArrived, type Arrived } from './answer';
import { findUnknownIds } from './listIds';

/** How many columns a message lists. */
const MOST_COLUMNS = 40;

/** Refusals that may be due to the number of sessions, or to one of them. */
const MAY_CONCERN_IDS: ReadonlySet<FailureKind> = new Set([
	'not-found',
	'not-the-platform',
	'query-refused',
	'forbidden',
]);

/**
 * What a refusal may be due to: `size`, the number of sessions; `silence`, a request that takes too long; `ids`, either
 * the number or certain sessions.
 */
type Cause = 'size' | 'silence' | 'ids';

/** A refusal that asking in another way may avoid. */
export interface Refused {
	refusal: PlatformError;
	cause: Cause;
}

const CAUSES_OF_CSV: Partial<Record<CsvFault['problem'], Cause>> = {
	'too-large': 'size',
	empty: 'ids',
	message: 'ids',
	'cut-off': 'ids',
};
/** Statuses of a server, or of a gateway before it, that has waited too long. */
const SILENT_STATUSES: ReadonlySet<number> = new Set([408, 502, 504]);

/** Asks the platform for the records of sessions, and which of them its list has. */
export class Asking {
	/** Sessions that are in the platform's list. */
	private readonly existing = new Set<number>();
	private header: string | undefined;

	constructor(
		private readonly connection: Pick<Connection, 'exportSessions' | 'list' | 'hideSecrets'>,
		private readonly turns: Turns,
		private readonly sessionIdColumn?: string,
	) {}

	/** Whose records came in answer to this request. */
	async arrived(part: CsvPart, ids: readonly number[]): Promise<Arrived> {
		return await findArrived(part, ids, this.turns, this.sessionIdColumn);
	}

	/** @throws PlatformError if asking in another way cannot help */
	async ask(ids: readonly number[]): Promise<{ part: CsvPart } | Refused> {
		const answer = await settle(this.request(ids));
		if (answer.ok) return { part: answer.value };
		const cause = causeOf(answer.error);
		const refusal = located(answer.error, ids);
		if (refusal instanceof PlatformError && cause !== undefined) return { refusal, cause };
		throw refusal;
	}

	/** Which of these sessions are not in the platform's list. */
	async unknownAmong(ids: readonly number[]): Promise<number[]> {
		const unasked = ids.filter((id) => !this.existing.has(id));
		const unknown = new Set(await findUnknownIds(this.connection, unasked));
		for (const id of unasked) if (!unknown.has(id)) this.existing.add(id);
		return [...unknown];
	}

	/** Requests one part; the connection asks again if it does not arrive whole. */
	private async request(ids: readonly number[]): Promise<CsvPart> {
		const { connection, turns } = this;
		const part = await connection.exportSessions(ids, async (stream) => {
			const read = await readPart(stream, { sessions: ids.length, turns, hideSecrets: connection.hideSecrets });
			// A last line that is shorter than the others may be a line with totals: all sessions have records without it.
			if (read.endsEarly && (await this.arrived(read, ids)).lacking.length > 0) throw cutOff();
			return read;
		});
		this.refuseOtherColumns(part);
		// Copied: a piece of a text keeps the whole text in memory.
		this.header ??= Buffer.from(part.header, 'latin1').toString('latin1');
		if (namesIn(part, this.header) !== namesIn(part)) throw this.otherHeader(part);
		return part;
	}

	private refuseOtherColumns(part: CsvPart): void {
		const { sessionIdColumn: given } = this;
		if (given === undefined || sessionColumn(part, given) !== undefined) return;
		const names = columnNames(part).map((name) => quote(this.connection.hideSecrets(name)));
		throw new PlatformError('configuration', `The platform’s CSV has no column ${quote(given)}`, {
			description: `Its columns are: ${firstNames(names, MOST_COLUMNS)}. Enter the one with the session ID in the option Session ID Column, or remove the option.`,
		});
	}

	private otherHeader({ header }: CsvPart): CsvFault {
		const [known, other] = [this.header ?? '', header].map((text) =>
			this.connection.hideSecrets(Buffer.from(text, 'latin1').toString().replace(/\s+/g, ' ')),
		);
		return new CsvFault(
			'other-header',
			'The platform sent two parts of the export with different columns',
			`One part begins with "${known}", a later one with "${other}". They would not fit into one file, so none was made. Run the node again; the columns may have changed while it was running.`,
		);
	}
}

/** The columns of a header without regard to capitals. */
function namesIn({ delimiter, header: own }: CsvPart, header = own): string {
	return JSON.stringify(columnNames({ header, delimiter })).toLowerCase();
}

function causeOf(error: unknown): Cause | undefined {
	if (error instanceof CsvFault) return CAUSES_OF_CSV[error.problem];
	if (!(error instanceof PlatformError)) return undefined;
	const { kind, status = 0 } = error;
	if (kind === 'too-large') return 'size';
	if (MAY_CONCERN_IDS.has(kind) || status === 500) return 'ids';
	const isSilence = kind === 'network-failure' || SILENT_STATUSES.has(status);
	return error.transient && isSilence ? 'silence' : undefined;
}

function located(error: unknown, ids: readonly number[]): unknown {
	if (!(error instanceof CsvFault) || error.problem === 'other-header') return error;
	const which = ids.length === 1 ? `session ${ids[0]}` : `${ids.length} sessions, ${ids[0]} to ${ids.at(-1)},`;
	const { problem, message, description } = error;
	return new CsvFault(problem, message, `It was asked for ${which} in this part. ${description}`);
}
