import type { INodeParameters } from 'n8n-workflow';

import type { Bench } from '../stationTrigger/support.ts';
import { IN_STATUS, OUT_OF_ORDER, points, setPoints, STATUS_CHANGE } from './support.ts';

/** What the model knows of one event, independently of its record in the trigger. */
interface EventRule {
	/** Whether Report Initial State reports it for what was already so before the first poll. */
	isReportedAtFirst: boolean;
	/** Settings of a trigger on this event. */
	parameters: INodeParameters;
	/** What makes it happen to the charge point of a station whose status was 1, in one or two polls. */
	happen: Array<(bench: Bench, station: number) => void>;
}

const breaks = (bench: Bench, station: number) => setPoints(bench, station, points(station, 3));
const works = (bench: Bench, station: number) => setPoints(bench, station, points(station, 1));

/** One rule for each event of the charge point trigger. */
export const RULES: Readonly<Record<string, EventRule>> = {
	outOfOrder: { isReportedAtFirst: true, parameters: OUT_OF_ORDER, happen: [breaks] },
	backInOrder: { isReportedAtFirst: false, parameters: OUT_OF_ORDER, happen: [breaks, works] },
	inStatus: { isReportedAtFirst: true, parameters: IN_STATUS, happen: [breaks, () => {}] },
	leftStatus: { isReportedAtFirst: false, parameters: IN_STATUS, happen: [breaks, () => {}, works] },
	statusChanged: {
		isReportedAtFirst: true,
		parameters: { ...STATUS_CHANGE, toValues: ['3', '4'] },
		happen: [breaks],
	},
};
