import type { ILoadOptionsFunctions } from 'n8n-workflow';

import type { ListResource } from '../resources';
import type { Parameter } from '../parameters/parameter';

/** The list that an operation reads: always the same one, or one that the user chooses. */
export interface ListParameter extends Parameter<ListResource> {
	/** What all lists to choose from share; the list itself where none is chosen. */
	readonly common: ListResource;
	/** The path of what dropdowns of its fields depend on: they are loaded again when it changes. */
	readonly reloads?: string;
	/**
	 * The list that is chosen in the editor, for dropdowns of its fields.
	 *
	 * @throws PlatformError if none is chosen, or its path cannot be used
	 */
	chosenIn(context: ILoadOptionsFunctions): ListResource;
}

/** A list that is not chosen, so it has no property. */
export function fixedListParameter(list: ListResource): ListParameter {
	return { common: list, properties: () => [], read: () => list, chosenIn: () => list };
}
