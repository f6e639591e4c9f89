import difference from 'lodash/difference';
import intersection from 'lodash/intersection';

import type { ParsedCsv } from '../shared/csv/read';
import type { SessionRecords, SessionId } from '../shared/csv/sessions';
import type { ExportFindings } from './findings';

/** A part of a file (the sessions that are collected and written at once), without its records. */
export interface PartStatus {
	findings: ExportFindings;
	/** Whether its records are stored, so that none of them can be replaced. */
	isStored: boolean;
}

/** What came in an answer, without its records. */
interface AnswerSummary {
	part: PartStatus;
	/** Whether it lacks a session that was asked for. */
	isShort: boolean;
	end: SessionRecords['end'];
	last: readonly SessionId[];
	/** Its sessions that are not in doubt. */
	sure: readonly SessionId[];
}

/** Sessions whose records may not all have come, and the part that they are in. */
export interface UncertainSessions {
	part: PartStatus;
	ids: readonly SessionId[];
}

/**
 * Which sessions are in doubt: the last one of an answer that is cut, or lacks one that was asked for. Where records of one
 * session do not stand together, all of such an answer. That an answer is cut, or that records do not stand together, may
 * show only in a later one.
 */
export class UncertaintyTracker {
	/** Whether an answer of the run had a final line end. One without is then cut. */
	private closes = false;
	/** Whether, in an answer of the run, records of one session did not stand together. */
	private mixes = false;
	/** Answers of which a later one may show more. */
	private readonly answers: AnswerSummary[] = [];

	/** Takes an answer in. Returns what is in doubt now and was not before, of this answer and of earlier ones. */
	add(
		ids: readonly SessionId[],
		file: ParsedCsv,
		{ records, last, isMixed, end }: SessionRecords,
		part: PartStatus,
	): UncertainSessions[] {
		const { closes, mixes } = this;
		const sure = [...new Set([...records.keys(), ...last])];
		const answer: AnswerSummary = { part, isShort: records.size < ids.length, end, last, sure };
		this.closes ||= file.isClosed && file.records.length > 0;
		this.mixes ||= isMixed;
		const isNews = closes !== this.closes || mixes !== this.mixes;
		const doubts = [...(isNews ? this.answers : []), answer].map((each) => this.judge(each));
		if (answer.isShort || end !== 'whole') this.answers.push(answer);
		return doubts.filter(({ ids: found }) => found.length > 0);
	}

	private judge(answer: AnswerSummary): UncertainSessions {
		const { part, isShort, end, last, sure } = answer;
		const isCut = end === 'cut' || (end === 'open' && this.closes);
		const ids = isShort || isCut ? (this.mixes ? sure : intersection(sure, last)) : [];
		answer.sure = difference(sure, ids);
		return { part, ids };
	}
}
