import { isBlank, quote } from '../../text';
import { type Faults } from '../faults';
import { AGE_UNITS, MOST_BACK, PERIODS, type AgeUnit, type Period } from '../values/periods';

type Entry = Readonly<Record<string, unknown>>;

/** Reads the period of a condition: its name, and how many days or hours. Adds a fault for what cannot be used. */
export function readPeriodInto(entry: Entry, place: string, faults: Faults): Period | undefined {
	const name = oneOf(entry.period, PERIODS, 'period', `${place} > Period`, faults);
	if (name === 'lastDays') {
		const days = wholeNumber(entry.days, `${place} > Days`, faults);
		return days === undefined ? undefined : { name, days };
	}
	if (name === 'lastHours') {
		const hours = wholeNumber(entry.hours, `${place} > Hours`, faults);
		return hours === undefined ? undefined : { name, hours };
	}
	return name && { name };
}

/** Reads the age of a condition: how many of a unit. Adds a fault for what cannot be used. */
export function readAgeInto(
	entry: Entry,
	place: string,
	faults: Faults,
): { amount: number; unit: AgeUnit } | undefined {
	const amount = wholeNumber(entry.amount, `${place} > Amount`, faults);
	const unit = oneOf(entry.unit, AGE_UNITS, 'unit', `${place} > Unit`, faults);
	return amount === undefined || unit === undefined ? undefined : { amount, unit };
}

function oneOf<Name extends string>(
	value: unknown,
	names: readonly Name[],
	noun: string,
	place: string,
	faults: Faults,
): Name | undefined {
	const found = names.find((name) => name === value);
	if (found !== undefined) return found;
	if (isBlank(value)) return faults.add(place, `no ${noun} is chosen. Choose one, or choose another operator.`);
	return faults.add(place, `${quote(value)} is not a ${noun}. Use one of: ${names.join(', ')}.`);
}

function wholeNumber(value: unknown, place: string, faults: Faults): number | undefined {
	const number = typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : value;
	if (typeof number === 'number' && Number.isInteger(number) && number >= 1 && number <= MOST_BACK) return number;
	return faults.add(place, `${quote(value)} cannot be used. Enter a whole number from 1 to ${MOST_BACK}.`);
}
