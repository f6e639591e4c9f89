import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import type { Row } from '../platform';
import type { PlatformTask } from './tasks';

/** What an operation read for an input item. */
export interface Outcome {
	/** The output rows, in the pages they came in. */
	pages: Row[][];
	/** What the user should know about how they were read, one sentence each. */
	hints: string[];
}

/** One entry of a node's Operation dropdown: its parameters and what it does stand together in one file. */
export interface Operation {
	name: string;
	value: string;
	/** Shown in the node panel and on the canvas: "Get many charging sessions". */
	action: string;
	description: string;
	properties: INodeProperties[];
	/** It takes all input items together, as rows, and runs once. AI models cannot hand it rows: it is no tool. */
	wholeInput?: true;
	/**
	 * Reads and checks the parameters of one input item. Nothing may be sent here.
	 *
	 * @throws QueryError, PlatformError where a parameter cannot be used
	 */
	prepare(context: IExecuteFunctions, itemIndex: number): PlatformTask<Outcome>;
}
