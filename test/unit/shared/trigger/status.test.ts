import { isNoneAValue, readStatus } from '../../../../nodes/shared/trigger/status';
import { UNKNOWN } from '../../../../nodes/shared/trigger/watch/alertRule';

it.each([
	[3, 3],
	['3', 3],
	[' Faulted ', 'Faulted'],
	[true, 'true'],
	[{ Id: 3, Name: 'Faulted' }, 3],
	[undefined, UNKNOWN],
	[null, UNKNOWN],
	['', UNKNOWN],
	[' ', UNKNOWN],
	[[3], UNKNOWN],
	[{ Name: 'Faulted' }, UNKNOWN],
	[{ Id: null }, UNKNOWN],
])('the status in %j is read as %p', (shown, status) => {
	expect(readStatus(shown, false)).toBe(status);
});

it('none is a status of its own for the hardware, and where it was chosen', () => {
	expect(['HardwareStatus', 'NetworkStatus'].map((field) => isNoneAValue(field))).toEqual([true, false]);
	expect(isNoneAValue('Status', undefined, new Set([null, 3]))).toBe(true);
	expect(readStatus(null, true)).toBeNull();
});
