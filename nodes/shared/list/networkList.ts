import omit from 'lodash/omit';

import { quote } from '../text';
import { OTHER_LISTS, type ListResource } from '../resources';

/** What all lists that can be chosen have in common. */
export const NETWORK_LIST: ListResource = {
	path: '',
	unknownShape: true,
	typed: true,
	noun: 'row',
	plural: 'rows',
	fields: [],
};

const LONGEST_PATH = 200;
const PATH = /^\/api((?:\/[\w.~-]+)+)\/v\d{1,4}$/;

/** Why a path cannot be that of a list, as a sentence. Undefined if it can. */
export function explainInvalidPath(path: string): string | undefined {
	const form = 'A path looks like /api/tariffs/v1.';
	if (path === '') return `no list is chosen. Type its path. ${form}`;
	const shown = quote(path);
	if (path.length > LONGEST_PATH) return `${shown} is too long. ${form}`;
	if (/^[a-z][a-z\d+.-]*:|^\/\//i.test(path)) {
		return `${shown} includes a host. The platform's address is in the credential: leave it out here. ${form}`;
	}
	if (/[?#]/.test(path)) return `${shown} holds a query. Leave it out: use Filters, Sort and Limit. ${form}`;
	if (/%|\\|[^\x21-\x7e]/.test(path)) {
		return `${shown} has a character not allowed here, such as %, a backslash or a space. ${form}`;
	}
	if (path.split('/').some((segment) => /^\.+$/.test(segment))) return `${shown} has a part made of dots. ${form}`;
	if (!PATH.test(path))
		return `${shown} is not the path of a list: it begins with /api/ and ends with its version. ${form}`;
	return undefined;
}

/** The list at a path that a person chose or typed. Of most, nothing else is known. */
export function networkList(path: string): ListResource {
	const name = PATH.exec(path)?.[1]?.slice(1) ?? path;
	const known = OTHER_LISTS.find((list) => otherListPath(list) === path);
	return { ...NETWORK_LIST, plural: `rows of "${name}"`, ...omit(known, 'name'), path };
}

/** The path of a list without a node. */
export function otherListPath({ name, path }: (typeof OTHER_LISTS)[number]): string {
	return path ?? `/api/${name}/v1`;
}
