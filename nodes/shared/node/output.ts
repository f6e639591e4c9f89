import memoize from 'lodash/memoize';
import { DateTime } from 'luxon';

import { knownField, statusName } from '../dsquery/catalogue';
import { quote } from '../dsquery/faults';
import type { Catalogue } from '../dsquery/types';
import { readTime } from '../dsquery/values/readTime';
import type { Row } from '../platform';
import { MOST_SIMPLE_FIELDS, OUTPUTS, type OutputName } from './form/outputForm';
import type { Parameters } from './parameters';
import { fieldNameIn } from './rowFields';

/** What a returned row holds. Plain data, so that equal reads have equal keys. */
export interface Output {
	kind: OutputName;
	/** The chosen fields, in any case; empty for other kinds. */
	fields: string[];
	/** Whether what a status is called stands beside it. */
	statusNames: boolean;
	/** The zone of the local times that stand beside those in UTC; none stand there without it. */
	localZone?: string;
}

/** What is added beside a field: its name, and what it holds, undefined for nothing. */
interface Addition {
	name: string;
	of(value: unknown): string | null | undefined;
}

/** Reads what each row is to hold. Notes what cannot be used. */
export function readOutput(parameters: Parameters): Output {
	const kind = parameters.choice('output', OUTPUTS);
	return {
		kind,
		fields: kind === 'selected' ? parameters.fieldNames('outputFields') : [],
		statusNames: parameters.declares('addStatusNames') && parameters.flag('addStatusNames'),
		localZone: parameters.flag('addLocalTimes') ? parameters.zone : undefined,
	};
}

/** Makes rows smaller, as they come, into what is returned of them. */
export class RowShaper {
	private readonly missing: Set<string>;
	/** The fields of the catalogue, and what is added beside them, in lower case. */
	private readonly important: Set<string>;
	private rows = 0;

	constructor(
		private readonly output: Output,
		private readonly catalogue: Catalogue,
	) {
		this.missing = new Set(output.fields);
		const names = catalogue.fields.flatMap(({ name }) => [name, this.additionTo(name)?.name ?? []].flat());
		this.important = new Set(names.map((name) => name.toLowerCase()));
	}

	/** The rows themselves, with what is to be added to them, or smaller rows in their place. */
	readonly shape = (rows: Row[]): Row[] => {
		this.rows += rows.length;
		for (const row of rows) this.addTo(row);
		if (this.output.kind === 'all') return rows;
		return rows.map((row) => (this.output.kind === 'simplified' ? this.simplified(row) : this.selected(row)));
	};

	/** Chosen fields that no row has: a misspelling would otherwise show as an empty column only. */
	hints(plural: string): string[] {
		if (this.rows === 0 || this.missing.size === 0) return [];
		const names = [...this.missing].map((name) => quote(name)).join(', ');
		return [`None of the ${plural} has ${names}. Check the names in Output > Field Names.`];
	}

	private simplified(row: Row): Row {
		const known: Array<[string, Row[string]]> = [];
		const others: Array<[string, Row[string]]> = [];
		for (const [name, value] of Object.entries(row)) {
			if (typeof value === 'object' && value !== null) continue;
			(this.important.has(name.toLowerCase()) ? known : others).push([name, value]);
		}
		return Object.fromEntries([...known, ...others].slice(0, MOST_SIMPLE_FIELDS));
	}

	private selected(row: Row): Row {
		const chosen: Row = {};
		for (const field of this.output.fields) {
			const name = fieldNameIn(row, field);
			if (name === undefined) continue;
			this.missing.delete(field);
			chosen[name] = row[name];
			const beside = this.additionTo(name)?.name;
			if (beside !== undefined && beside in row) chosen[beside] = row[beside];
		}
		return chosen;
	}

	/** A property that the platform sends under the same name is left alone. */
	private addTo(row: Row): void {
		for (const [name, value] of Object.entries(row)) {
			const addition = this.additionTo(name);
			const added = addition && !(addition.name in row) ? addition.of(value) : undefined;
			if (addition && added !== undefined) row[addition.name] = added;
		}
	}

	/** `StatusName: "Finished"` to `Status: 4`, and `StartedAtLocal` to `StartedAtUtc`. */
	private readonly additionTo = memoize((name: string): Addition | undefined => {
		const { statusNames, localZone } = this.output;
		const field = knownField(this.catalogue, name);
		if (statusNames && field?.type === 'code') {
			return { name: `${name}Name`, of: (value) => statusName(field.codes, value) };
		}
		if (localZone === undefined || !/.utc$/i.test(name)) return undefined;
		return { name: `${name.slice(0, -'Utc'.length)}Local`, of: (value) => localTime(value, localZone) };
	});
}

const LOCAL_FORMAT = 'yyyy-MM-dd HH:mm:ss';

/** A time as clocks in the zone show it: null where the field is empty, undefined where it holds something else. */
function localTime(value: unknown, zone: string): string | null | undefined {
	const instant = readTime(value);
	if (instant !== undefined) return DateTime.fromMillis(instant, { zone }).toFormat(LOCAL_FORMAT);
	return value === null ? null : undefined;
}
