import type { ValuesOf } from '../../../../nodes/shared/parameters/parameter';
import type { NamesOf } from '../../../../nodes/shared/parameters/reading';
import { flag, oneOf, whole } from '../../../../nodes/shared/parameters/simple';

const choices = [
	{ name: 'Blue', value: 'blue' },
	{ name: 'Red', value: 'red' },
] as const;
const declared = {
	colour: oneOf({ label: 'Colour', choices, default: 'red' }),
	options: { parts: { loud: flag({ label: 'Loud', default: true }), speed: whole({ label: 'Speed', default: 4 }) } },
};

it('a misspelt parameter, option or choice does not compile', () => {
	const names = Object.keys({ ...declared, ...declared.options.parts }) as Array<NamesOf<typeof declared>>;
	expect(names.includes('speed')).toBe(true);
	// @ts-expect-error there is no such option
	expect(names.includes('sped')).toBe(false);
	const values = { colour: 'blue' } as ValuesOf<typeof declared>;
	// @ts-expect-error the parameter is called colour
	void values.color;
	// @ts-expect-error no colour has this name
	expect(values.colour === 'green').toBe(false);
	// @ts-expect-error the default is one of the choices
	oneOf({ label: 'Colour', choices, default: 'green' });
});
