import { knownField } from '../dsquery/catalogue';
import { quote } from '../dsquery/faults';
import type { Catalogue } from '../dsquery/types';
import type { Row } from '../platform';
import { MOST_SIMPLE_FIELDS, OUTPUTS, type OutputName } from './form/outputForm';
import type { Parameters } from './parameters';
import { fieldNameIn } from './rowFields';
import { addStatusNames } from './statusNames';

/** What a returned row holds. Plain data, so that equal reads can be told. */
export interface Output {
	kind: OutputName;
	/** The chosen fields, in any case; empty for other kinds. */
	fields: string[];
	/** Whether the meaning of status codes stands beside them. */
	statusNames: boolean;
}

/** Reads what each row is to hold. Notes what cannot be used. */
export function readOutput(parameters: Parameters): Output {
	const kind = parameters.choice('output', OUTPUTS);
	return {
		kind,
		fields: kind === 'selected' ? parameters.fieldNames('outputFields') : [],
		statusNames: parameters.declares('addStatusNames') && parameters.flag('addStatusNames'),
	};
}

/** Makes rows smaller, as they come, into what is returned of them. */
export class RowShaper {
	private readonly missing: Set<string>;
	/** The fields of the catalogue, and the meanings of codes where they are added, in lower case. */
	private readonly important: Set<string>;
	private rows = 0;

	constructor(
		private readonly output: Output,
		private readonly catalogue: Catalogue,
	) {
		this.missing = new Set(output.fields);
		const names = catalogue.fields.flatMap(({ name, codes }) =>
			codes && output.statusNames ? [name, `${name}Name`] : [name],
		);
		this.important = new Set(names.map((name) => name.toLowerCase()));
	}

	/** The rows themselves, with status names added where they are asked for, or smaller rows in their place. */
	readonly shape = (rows: Row[]): Row[] => {
		this.rows += rows.length;
		if (this.output.statusNames) addStatusNames(rows, this.catalogue);
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
			const beside = `${name}Name`;
			if (this.output.statusNames && knownField(this.catalogue, name)?.codes && beside in row)
				chosen[beside] = row[beside];
		}
		return chosen;
	}
}
