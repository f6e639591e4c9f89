import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import type { Dropdown } from '../parameters/dropdown';
import {
	toPlatformOptions,
	type includeInputFields,
	type OptionsCollectionParameter,
	type OptionValues,
	type timeoutOptions,
} from '../parameters/options';
import type { Parameters, ValuesOf } from '../parameters/parameter';
import { panelOf, readItemParameters, type RefuseParameter } from '../parameters/reading';
import type { Connection, PlatformOptions, Row } from '../platform';
import { settle } from '../settle';

/** Every operation has options: those that say how patiently requests are sent, and others. */
type CommonOptions = typeof timeoutOptions & { includeInputFields?: typeof includeInputFields };
type OperationParameters = Parameters & { options: OptionsCollectionParameter<CommonOptions> };

/** What n8n shows of an operation, and how it takes the input items. */
interface OperationEntry {
	name: string;
	value: string;
	/** Shown in the node panel and on the canvas: "Get many charging sessions". */
	action: string;
	description: string;
	/** Takes all input items together as rows and runs once. Hidden in tools: AI models cannot pass it rows. */
	wholeInput?: true;
	/** A parameter, and its value with which all input items together give one result. */
	gathersFor?: readonly [parameter: string, value: string];
}

/** An operation as it is declared. */
interface OperationRecord<P extends OperationParameters> extends OperationEntry {
	parameters: P;
	gathersFor?: readonly [parameter: Extract<keyof P, string>, value: string];
	/** Checks parameters that depend on each other. Called for all input items before anything is sent. */
	check?(values: ValuesOf<P>, refuse: RefuseParameter<P>, moment: RunClock): void;
	/** Asks the platform. */
	run(values: ValuesOf<P>, where: RunContext): Promise<OperationResult>;
}

/** What an operation knows besides the values of its parameters. */
export interface RunClock {
	/** The workflow's time zone. */
	zone: string;
	/** The moment "today" is counted from. */
	now: Date;
}

/** What a run has besides: who asks, and n8n's own context. */
export interface RunContext extends RunClock {
	connection: Connection;
	execution: IExecuteFunctions;
	nodeRun: NodeExecutionState;
}

/** What the runs of one execution of a node share. */
export interface NodeExecutionState {
	/** Names of the files made so far, in lower case. */
	fileNames: Set<string>;
}

/** What an operation gives for an input item: rows or files. */
export interface OperationResult {
	/** The output rows, in the pages they came in. */
	pages?: Row[][];
	/** The output items, if they are more than rows. */
	files?: INodeExecutionData[];
	/** What the user should know about how they were read, one sentence each. */
	notes: string[];
	/** Says why there is no row. Of several input items without one, the first is an example of all. */
	whyEmpty?: string;
	/** Whether each output row also gets the fields of its input item. */
	includeInput?: boolean;
}

/** An operation as its node takes it: an entry of the Operation dropdown, its parameters, and what it does. */
export interface Operation extends OperationEntry {
	properties: INodeProperties[];
	/** What its parameters ask the platform for. */
	dropdowns: Dropdown[];
	/**
	 * Reads and checks the parameters of one input item. Nothing may be sent here.
	 *
	 * @throws InvalidParametersError, PlatformError if a parameter cannot be used
	 */
	prepare(context: IExecuteFunctions, itemIndex: number): PlatformTask;
}

/** The `run` of an operation with values that are checked. */
interface PlatformTask {
	/** Tasks with equal ones ask for the same. */
	values: unknown;
	platformOptions: PlatformOptions;
	/** Calls `run`. What it throws holds no secret of the account. */
	perform(connection: Connection, nodeRun: NodeExecutionState): Promise<OperationResult>;
}

/** An operation from its record. */
export function operation<P extends OperationParameters>(record: OperationRecord<P>): Operation {
	const { parameters, check, run, ...entry } = record;
	return {
		...entry,
		...panelOf(parameters),
		prepare(context, itemIndex) {
			const reading = readItemParameters(context, itemIndex, parameters);
			const { values, issues, zone, now } = reading;
			check?.(values, (name, message) => reading.refuse(name, message), { zone, now });
			issues.check();
			// They hold what every operation has, whatever else.
			const options = values.options as OptionValues<CommonOptions>;
			return {
				values,
				platformOptions: toPlatformOptions(options),
				async perform(connection, nodeRun) {
					const outcome = await settle(run(values, { connection, execution: context, nodeRun, zone, now }));
					if (!outcome.ok) throw connection.safeError(outcome.error);
					return { includeInput: options.includeInputFields, ...outcome.value };
				},
			};
		},
	};
}
