import pick from 'lodash/pick';
import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { Faults, quote } from '../dsquery/faults';
import { readListQueryInto } from '../dsquery/read/form';
import type { Catalogue, Group } from '../dsquery/types';
import { readPaging, readPlatformOptions, wholeNumber } from '../node/parameters';
import type { PlatformOptions } from '../platform';
import { codeOf } from './keys';
import type { StatusValue } from './types';

/** Parameters that every trigger has. */
export interface PollSettings {
	output: 'items' | 'digest';
	pageSize: number;
	/** Requests for single rows that may be under way at once. */
	parallel: number;
	/**
	 * The same for pages of the list. One after the other costs the fewest requests, which every poll has to pay, so more
	 * is for those who ask for it.
	 */
	scanParallel: number;
	platformOptions: PlatformOptions;
}

/** Reads a trigger's parameters, and notes in `faults` what cannot be used. */
export class SettingsReader {
	readonly faults = new Faults();
	readonly options: IDataObject;

	constructor(
		private readonly context: IPollFunctions,
		private readonly catalogue: Catalogue,
	) {
		const options = this.value('options', {});
		this.options = typeof options === 'object' && options !== null ? (options as IDataObject) : {};
	}

	common(): PollSettings {
		const { options, faults } = this;
		const { pageSize, parallel } = readPaging(options, faults);
		const platformOptions = readPlatformOptions(options, faults);
		const output = this.oneOf('output', 'Output', ['items', 'digest'], 'items');
		const scanParallel = options.parallelRequests === undefined ? 1 : parallel;
		return { output, pageSize, parallel, scanParallel, platformOptions };
	}

	value(name: string, fallback: unknown): unknown {
		return this.context.getNodeParameter(name, fallback);
	}

	refuse(place: string, message: string): void {
		this.faults.add(place, message);
	}

	number(place: string, value: unknown, min: number, max: number): number {
		return wholeNumber(this.faults, place, value, min, max);
	}

	oneOf<Name extends string>(parameter: string, place: string, names: readonly Name[], fallback: Name): Name {
		const value = this.value(parameter, fallback);
		const name = names.find((candidate) => candidate === value);
		if (name === undefined) this.refuse(place, `${quote(value)} is not one of ${names.join(', ')}.`);
		return name ?? fallback;
	}

	list<Name extends string>(value: unknown, place: string, names: readonly Name[]): Name[] {
		const given = this.texts(value, place);
		for (const text of given) {
			if (!names.some((name) => name === text)) this.refuse(place, `"${text}" is not one of ${names.join(', ')}.`);
		}
		return names.filter((name) => given.includes(name));
	}

	codes(value: unknown, place: string): Set<StatusValue> {
		return new Set(this.texts(value, place).map(readCode));
	}

	/** Parameters as they are stored: a filter on "the last seven days" is the same filter tomorrow. */
	stored(paths: readonly string[]): object {
		return pick(this.context.getNode().parameters, paths);
	}

	filter(): Group | undefined {
		const form = { filters: this.value('filters', {}), logic: this.value('logic', 'And') };
		const place = { catalogue: this.catalogue, zone: this.context.getTimezone(), now: new Date() };
		return readListQueryInto(form, place, this.faults).filter;
	}

	texts(value: unknown, place: string): string[] {
		const entries: unknown[] = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [value];
		const texts: string[] = [];
		for (const entry of entries) {
			if (typeof entry === 'number') texts.push(String(entry));
			else if (typeof entry === 'string') texts.push(entry.trim());
			else this.refuse(place, 'a list of codes is needed. If this is an expression, it came out as something else.');
		}
		return texts.filter((text) => text !== '');
	}
}

/** A code as typed or chosen. `none` stands for a row without such a status. */
export function readCode(text: string): StatusValue {
	return text === 'none' ? null : codeOf(text);
}
