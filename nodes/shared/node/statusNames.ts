import type { Catalogue } from '../dsquery/types';
import type { Row } from '../platform';

/**
 * Adds the meaning of known status codes beside them: `Status: 4` gets `StatusName: "Finished"`. Codes whose meaning the
 * specification does not state get no name, and a property that the platform sends under that name is left alone.
 */
export function addStatusNames(rows: readonly Row[], catalogue: Catalogue): void {
	const coded = catalogue.fields.flatMap(({ name, codes }) =>
		codes ? [{ name, labels: new Map(codes.map(({ code, label }) => [code, label])) }] : [],
	);
	for (const row of rows) {
		for (const { name, labels } of coded) {
			const value = row[name];
			const label = labels.get(typeof value === 'string' ? Number(value) : (value as number));
			if (label !== undefined && !(`${name}Name` in row)) row[`${name}Name`] = label;
		}
	}
}
