/** How a list is read. `node` is this package, `httpRequest` is n8n's HTTP Request node, `helper` a bare node that pages
 * through n8n's request helper, `raw` a keep-alive client outside n8n, `raw in n8n` the same client inside a node. */
export type Reader = 'node' | 'httpRequest' | 'helper' | 'raw' | 'raw in n8n';

interface Target {
	baseUrl: string;
	key: string;
	/**
	 * Watch the memory, which costs CPU time of its own: what is resident as it is, or what is held after collecting
	 * garbage again and again.
	 */
	watchMemory?: 'resident' | 'held';
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
	/** For `helper`: ask for so many pages of a filter that nothing matches. */
	pagesWithoutRows?: number;
}

/** Exports all sessions into one CSV file. */
export interface ExportJob extends Target {
	kind: 'export';
	exporter: 'node' | 'raw';
	idsPerRequest: number;
}

/** Polls for station events. */
export interface PollJob extends Target {
	kind: 'poll';
	event: 'availability' | 'statusChange';
	/** Report stations that are added, too: each poll then reads all of them. */
	readsAll?: boolean;
	/** Polls to measure, after the one that takes the first look at all stations. */
	polls: number;
}

export type Job = ReadJob | ExportJob | PollJob;

/** What one job took. */
export interface Outcome {
	/** When the clock started, milliseconds since 1970. */
	beganAt: number;
	ms: number;
	/** CPU time of the whole process, garbage collection included. */
	cpuMs: number;
	/** Different rows delivered, records in the file, or events. */
	rows: number;
	/** Most memory above what it was when the job began, in MB; where it was watched. */
	memoryMb?: number;
	/** How n8n ended: "success" also where rows are missing. */
	status: string;
	message?: string;
	/** Bytes in n8n's database, for a trigger. */
	storedBytes?: number;
}
