/** How a list is read. `node` is this package, `httpRequest` is n8n's HTTP Request node, `helper` a bare node that pages
 * through n8n's request helper, `raw` a keep-alive client outside n8n. */
export type Reader = 'node' | 'httpRequest' | 'helper' | 'raw';

interface Target {
	baseUrl: string;
	key: string;
}

/** Reads a list once. */
export interface ReadJob extends Target {
	kind: 'read';
	reader: Reader;
	parallel: number;
	/** All rows when left out. */
	limit?: number;
	/** A dsquery filter group. */
	filter?: object;
	/** Sort by this field, then by Id; by Id when left out. */
	sort?: string;
}

/** Exports all sessions into one CSV file. */
export interface ExportJob extends Target {
	kind: 'export';
	exporter: 'node' | 'raw';
	idsPerRequest: number;
}

/** Polls for station events: the first poll, then `polls` quiet ones. */
export interface PollJob extends Target {
	kind: 'poll';
	event: 'availability' | 'statusChange';
	polls: number;
}

export type Job = ReadJob | ExportJob | PollJob;

/** What one job took. */
export interface Outcome {
	ms: number;
	/** CPU time of the whole process, garbage collection included. */
	cpuMs: number;
	/** Different rows delivered, or records in the file. */
	rows: number;
	/** Highest resident memory of the process above what it was when the job began, in MB. */
	memoryMb: number;
	/** How n8n ended: "success" also where rows are missing. */
	status: string;
	message?: string;
	/** Bytes in n8n's database, for a trigger. */
	storedBytes?: number;
	/** Time and CPU of each poll after the first, for a trigger. */
	perPoll?: { ms: number; cpuMs: number };
}
