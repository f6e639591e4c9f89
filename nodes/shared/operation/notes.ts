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
