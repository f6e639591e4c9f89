import type { IExecuteFunctions, INodeProperties, IPollFunctions } from 'n8n-workflow';

import { QueryError } from '../../../../nodes/shared/dsquery/faults';
import { operation } from '../../../../nodes/shared/operation/operation';
import { fields } from '../../../../nodes/shared/parameters/chosen';
import { options, patience } from '../../../../nodes/shared/parameters/options';
import { always, notice, shownFor, type Parameters } from '../../../../nodes/shared/parameters/parameter';
import { propertiesOf, readItem, readPoll } from '../../../../nodes/shared/parameters/reading';
import { flag, oneOf, someOf, whole } from '../../../../nodes/shared/parameters/simple';

const COLOURS = [
	{ name: 'Blue', value: 'blue' },
	{ name: 'Red', value: 'red' },
] as const;
const colour = oneOf({ label: 'Colour', choices: COLOURS, default: 'red' });
const DECLARED = {
	limit: whole({ label: 'Limit', default: 50, min: 1 }),
	colour,
	shade: shownFor('colour', ['blue'], whole({ label: 'Shade', default: 3, max: 9 })),
	about: notice('About this'),
	options: options({
		speed: whole({ label: 'Speed (Rows per Second)', default: 4, min: 1, max: 9 }),
		pause: always(whole({ label: 'Pause', default: 7 })),
		loud: flag({ label: 'Loud', default: true }),
	}),
};

const stored = (parameters: Record<string, unknown>) => (name: string, fallback: unknown) =>
	parameters[name] ?? fallback;
const ofItem = <P extends Parameters>(parameters: Record<string, unknown>, declared: P) =>
	readItem(
		{
			getNodeParameter: (name: string, _: number, fallback: unknown) => stored(parameters)(name, fallback),
			getTimezone: () => 'UTC',
		} as unknown as IExecuteFunctions,
		0,
		declared,
	);
const ofPoll = <P extends Parameters>(parameters: Record<string, unknown>, declared: P) =>
	readPoll({ getNodeParameter: stored(parameters), getTimezone: () => 'UTC' } as unknown as IPollFunctions, declared);

describe.each([
	['an input item', ofItem],
	['a poll', ofPoll],
] as const)('the parameters of %s', (_, read) => {
	it('have their defaults; an option that was not added is undefined or off, or has its default', () => {
		const { values, faults } = read({}, DECLARED);
		faults.check();
		expect(values).toEqual({
			...{ limit: 50, colour: 'red', shade: undefined, about: undefined },
			options: { speed: undefined, pause: 7, loud: false },
		});
	});

	it('have what is stored, written as expressions and AI models write it', () => {
		const given = { limit: ' 7 ', colour: 'BLUE', shade: '4', options: { loud: 'true', speed: null } };
		const { values, faults } = read(given, DECLARED);
		faults.check();
		expect(values).toMatchObject({ limit: 7, colour: 'blue', shade: 4, options: { speed: 4, loud: true } });
	});

	it('are refused beyond their limits, under the label that the panel shows', () => {
		const { faults } = read({ limit: 0, colour: 'green', shade: 99, options: { speed: '10' } }, DECLARED);
		expect(() => faults.check()).toThrow(
			new QueryError([
				{ place: 'Limit', message: 'a whole number of 1 or more is needed, but it is 0.' },
				{ place: 'Colour', message: '"green" is none of: blue, red.' },
				{
					place: 'Options > Speed (Rows per Second)',
					message: 'a whole number from 1 to 9 is needed, but it is "10".',
				},
			]),
		);
	});

	it('are refused by name, also those among the options', () => {
		const reading = read({}, DECLARED);
		reading.refuse('limit', 'no.');
		reading.refuse('speed', 'no.');
		// @ts-expect-error there is no such parameter
		reading.refuse('sped', 'no.');
		expect(() => reading.faults.check()).toThrow('Limit: no.\nOptions > Speed (Rows per Second): no.');
	});
});

it('a parameter that depends on another one is shown for it, also within the options', () => {
	const declared = { colour, options: options({ shade: shownFor('/colour', ['blue'], notice('Blue')) }) };
	const [, { options: inside = [] } = {}] = propertiesOf(declared);
	expect((inside[0] as INodeProperties).displayOptions).toEqual({ show: { '/colour': ['blue'] } });
});

it('a dropdown loads again when the list changes, and when what it depends on beside it changes', () => {
	const load = async () => await Promise.resolve([]);
	const dropdown = { method: 'getNames', load, dependsOn: 'list.value' };
	const [names] = propertiesOf({ names: fields({ label: 'Names', dropdown, dependsOn: ['colour'] }) });
	expect(names?.typeOptions?.loadOptionsDependsOn).toEqual(['list.value', 'colour']);
});

it('a misspelt parameter does not compile', () => {
	const names = { name: 'Paint', value: 'paint', action: 'Paint', description: 'Paints' };
	const { properties } = operation({
		...names,
		parameters: {
			colour,
			several: someOf({ label: 'Several', choices: COLOURS, default: ['red'] }),
			options: options({ loud: flag({ label: 'Loud', default: true }), ...patience }),
		},
		check({ colour: chosen, ...values }, refuse) {
			// @ts-expect-error the parameter is called several
			void values.severel;
			// @ts-expect-error no parameter has this name
			refuse('color', 'no.');
			// @ts-expect-error no colour has this name
			if (chosen === 'green') refuse('colour', 'no.');
		},
		async run(values) {
			const pages = [[{ loud: values.options.loud, colour: values.colour }]];
			// @ts-expect-error the option is called loud
			void values.options.lout;
			return await Promise.resolve({ pages, notes: [] });
		},
	});
	expect(properties.map(({ name }) => name)).toEqual(['colour', 'several', 'options']);
	// @ts-expect-error the default is one of the choices
	oneOf({ label: 'Colour', choices: COLOURS, default: 'green' });
});
