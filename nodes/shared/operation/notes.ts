/** What was odd about a list, for items whose figures rest on it: later nodes and agents cannot read notes. */
export function listNotesJson(listNotes: readonly string[]): { listNotes?: string[] } {
	return listNotes.length > 0 ? { listNotes: [...listNotes] } : {};
}

/**
 * What the user should know of a result, by name and in order: when it is said (left out where the text decides), and in
 * which words. A list is several notes.
 */
export type NoteRules<Facts> = Readonly<
	Record<string, { when?(facts: Facts): boolean; text(facts: Facts): string | readonly string[] }>
>;

export function selectNotes<Facts>(notes: NoteRules<Facts>, facts: Facts): string[] {
	return Object.values(notes).flatMap(({ when, text }) => (when?.(facts) === false ? [] : text(facts)));
}
