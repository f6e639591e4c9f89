import { FORM_OPERATORS, RANGE_OPERATORS } from '../../dsquery/operators';
import { PERIODS } from '../../dsquery/values/periods';
import type { Catalogue } from '../../dsquery/types';
import { PERIOD_LABELS } from './labels';

/** n8n shows the title in one line beside the buttons of an entry; longer ones run out of it. */
const LONGEST_TITLE = 50;

/** A map as JavaScript text within an n8n expression, where two closing braces in a row would end the expression. */
function inExpression(value: object): string {
	return JSON.stringify(value).replace(/\}(?=\})/g, '} ');
}

/**
 * The expression with which the newer form of n8n names a collapsed condition, such as "Status is any of Finished, Failed".
 * It runs in the editor, so everything it needs is written into it.
 */
export function itemTitle(catalogue: Catalogue): string {
	const operators = Object.fromEntries(
		Object.entries(FORM_OPERATORS).map(([type, list]) => [
			type,
			Object.fromEntries(list.map(({ value, name }) => [value, name.replace(/ \(.*\)/, '').toLowerCase()])),
		]),
	);
	const kinds = Object.fromEntries(
		catalogue.fields.map(({ name, type, label, codes }) => [
			`${name}|${type}`,
			{
				label: label.replace(/ \(.*\)/, ''),
				codes: Object.fromEntries((codes ?? []).map((known) => [known.code, known.label])),
			},
		]),
	);
	const periods = Object.fromEntries(
		PERIODS.map((period) => [period, PERIOD_LABELS[period].replace(/ \(.*\)/, '').toLowerCase()]),
	);
	const script = [
		`const operators = ${inExpression(operators)}, kinds = ${inExpression(kinds)}, periods = ${inExpression(periods)};`,
		`const ranges = ${JSON.stringify(RANGE_OPERATORS)};`,
		'const v = $collection.item.value, ps = $collection.item.properties;',
		`const cut = (text) => text.length < ${LONGEST_TITLE} ? text : text.slice(0, ${LONGEST_TITLE - 2}) + '…';`,
		"if (ps.some((p) => p.name === 'json')) { return 'Filter as JSON'; }",
		"if (ps.some((p) => p.name === 'logic')) { const n = Object.values(v.filters ?? {}).reduce((sum, list) => sum + list.length, 0); return (v.logic === 'And' ? 'All of ' : 'Any of ') + n + (n === 1 ? ' condition' : ' conditions'); }",
		"const fixed = ps.find((p) => p.name === 'field' && p.type === 'hidden');",
		// No "?." on a variable: n8n rewrites expressions, and then no longer finds it within a function.
		"const field = String((fixed ? fixed.default : v.field) ?? '');",
		"const kind = fixed ? kinds[field] : { label: field.split('|')[0], codes: {} };",
		"if (field === '') { return 'New condition'; }",
		"const last = field.split('|').at(-1), type = operators[last] ? last : 'any';",
		"const key = fixed ? 'operator' : type + 'Operator';",
		"const operator = v[key] ?? ps.find((p) => p.name === key)?.default ?? '';",
		"const shown = (x) => kind.codes[x] ?? String(x ?? '…').replace('T00:00:00', '').replace('T', ' ');",
		"const list = (x) => Array.isArray(x) ? x.map(shown).join(', ') : shown(x);",
		"const rest = operator === 'InPeriod' ? (v.period === 'lastDays' ? 'last ' + (v.days ?? '…') + ' days' : periods[v.period] ?? '…') : ranges.includes(operator) ? shown(v.from ?? v.fromDate) + ' – ' + shown(v.to ?? v.toDate) : operator === 'In' ? list(v.values ?? v.value) : shown(v.date ?? v.value);",
		"return cut(kind.label + ' ' + (operators[type][operator] ?? operator) + ' ' + rest);",
	].join(' ');
	return `={{ (() => { ${script} })() }}`;
}
