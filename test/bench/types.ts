/**
 * How a list is read. `node` is this package, `httpRequest` is n8n's HTTP Request node, `helper` a bare node that pages
 * through n8n's request helper, `raw` a keep-alive client outside n8n, `raw in n8n` the same client inside a node.
 */
export type Reader = 'node' | 'httpRequest' | 'helper' | 'raw' | 'raw in n8n';

interface Target {
	baseUrl: string;
	key: string;
	/**
	 * Watch the memory, which costs CPU time itself: the resident memory, or what is held after repeated garbage
	 * collection.
	 */
	watchMemory?: 'resident' | 'held';
	/** Measure how long the process can do nothing else. */
	watchLoop?: true;
}

/** Reads a list once. */
export interface ReadJob extends Target {
	kind: 'read';
	reader: Reader;
	parallel: number;
	/** All rows by default. */
	limit?: number;
	/** A dsquery filter group. */
	filter?: object;
	/** Sort by this field, then by Id; only by Id by default. */
	sort?: string;
	/** For `helper`: request this many pages of a filter that matches nothing. */
	pagesWithoutRows?: number;
}

/** Exports all sessions into one CSV file. */
export interface ExportJob extends Target {
	kind: 'export';
	exporter: 'node' | 'raw';
	idsPerRequest: number;
	/** Export these sessions instead of all. */
	sessionIds?: string;
	/** Stop the execution after this time. */
	stopAfterMs?: number;
}

/** Polls for station events. */
export interface PollJob extends Target {
	kind: 'poll';
	event: 'availability' | 'statusChange';
	/** Also report added stations: each poll then reads all stations. */
	readsAll?: boolean;
	/** Polls to measure, after the one that first reads all stations. */
	polls: number;
}

/** Runs an operation of Charging Network List, or Get Many of the stations. */
export interface OperationJob extends Target {
	kind: 'operation';
	operation: 'getAll' | 'checkPlatform';
}

/** Runs Availability of the stations. */
export interface AvailabilityJob extends Target {
	kind: 'availability';
	/** A name in `OUTAGE_TABLES`. */
	table: string;
	result: 'stations' | 'outages';
}

export type Job = ReadJob | ExportJob | PollJob | OperationJob | AvailabilityJob;

/** The result of one job. */
export interface Outcome {
	/** When the clock started, milliseconds since 1970. */
	beganAt: number;
	ms: number;
	/** CPU time of the whole process, garbage collection included. */
	cpuMs: number;
	/** Different rows delivered, records in the file, or events. */
	rows: number;
	/** Largest growth of memory since the job began, in MB, if it was watched. */
	memoryMb?: number;
	/** Longest time for which the process could do nothing else, if it was watched. */
	blockedMs?: number;
	/** The same in CPU time of its main thread, which other processes do not lengthen. */
	blockedCpuMs?: number;
	/** The most of it that was not garbage collection, in one stretch. */
	ownMs?: number;
	/** n8n's final status: "success" even if rows are missing. */
	status: string;
	message?: string;
	/** Bytes in n8n's database, for a trigger. */
	storedBytes?: number;
}
