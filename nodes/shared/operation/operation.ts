import type { IExecuteFunctions } from 'n8n-workflow';

import type { NodeRun, Operation, Outcome } from './panel';
import {
	platformOptions,
	type includeInputFields,
	type Options,
	type OptionValues,
	type patience,
} from '../parameters/options';
import type { Parameters, ValuesOf } from '../parameters/parameter';
import { panelOf, readItem, type NamesOf } from '../parameters/reading';
import type { Connection } from '../platform';

/** Every operation has options: those that say how patiently requests are sent, and others. */
type CommonOptions = typeof patience & { includeInputFields?: typeof includeInputFields };
type OperationParameters = Parameters & { options: Options<CommonOptions> };

/** What an operation knows besides the values of its parameters. */
export interface Moment {
	/** The workflow's time zone. */
	zone: string;
	/** The moment "today" is counted from. */
	now: Date;
}

/** What a run has besides: who asks, and n8n's own context. */
export interface Where extends Moment {
	connection: Connection;
	execution: IExecuteFunctions;
	nodeRun: NodeRun;
}

/** An operation as it is declared. */
interface OperationRecord<P extends OperationParameters>
	extends Omit<Operation, 'properties' | 'dropdowns' | 'gathersFor' | 'prepare'> {
	parameters: P;
	gathersFor?: readonly [parameter: Extract<keyof P, string>, value: string];
	/** What two parameters say together. Called for all input items before anything is sent. */
	check?(values: ValuesOf<P>, refuse: (name: NamesOf<P>, message: string) => void, moment: Moment): void;
	run(values: ValuesOf<P>, where: Where): Promise<Outcome>;
}

/** An operation from its record. */
export function operation<P extends OperationParameters>(record: OperationRecord<P>): Operation {
	const { parameters, check, run, ...entry } = record;
	return {
		...entry,
		...panelOf(parameters),
		prepare(context, itemIndex) {
			const reading = readItem(context, itemIndex, parameters);
			const { values, faults, zone, now } = reading;
			check?.(values, (name, message) => reading.refuse(name, message), { zone, now });
			faults.check();
			// They hold what every operation has, whatever else.
			const options = values.options as OptionValues<CommonOptions>;
			return {
				values,
				platformOptions: platformOptions(options),
				async run(connection, nodeRun) {
					const outcome = await run(values, { connection, execution: context, nodeRun, zone, now });
					return { includeInput: options.includeInputFields, ...outcome };
				},
			};
		},
	};
}
