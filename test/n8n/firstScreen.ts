/** The README's first picture: the messages of an alert in a chat, beside the report of a Monday. */

const MESSAGES = [
	['07:56', 'Zürich Market Square 003 has been offline since 07:46, for 10 minutes.'],
	['08:31', 'Zürich Market Square 003 is back online. It was offline from 07:46 to 08:31, for 45 minutes.'],
	['09:12', 'Charge point 32 of Graz Depot North 014 has been out of order (3) since 09:02, for 10 minutes.'],
	['09:44', 'Session 30062 failed, it started at 09:41.'],
];

const COLOURS = {
	light: { page: '#ffffff', card: '#f1f5f9', text: '#0f172a', faint: '#64748b', edge: '#cbd5e1' },
	dark: { page: '#0d1117', card: '#161b22', text: '#e6edf3', faint: '#8b949e', edge: '#30363d' },
};

/** In CSS pixels. */
export const FIRST_SCREEN = { width: 880, height: 430 };

/** @param report the picture of the report, 1,200 points wide */
export function firstScreen(report: Buffer, theme: keyof typeof COLOURS): string {
	const { page, card, text, faint, edge } = COLOURS[theme];
	const messages = MESSAGES.map(
		([time, message]) => `<p><b>Charging alerts</b> <small>${time}</small><br>${message}</p>`,
	).join('');
	return `<style>
		body { margin: 0; display: flex; gap: 24px; padding: 20px; height: 390px; background: ${page}; color: ${text}; font: 14px/1.45 'Liberation Sans', Arial, sans-serif }
		section { flex: 1; border: 1px solid ${edge}; border-radius: 12px; background: ${card}; padding: 4px 20px; overflow: hidden }
		figure { flex: 1; margin: 0; border: 1px solid ${edge}; border-radius: 12px; overflow: hidden }
		img { width: 100% }
		small { color: ${faint}; margin-left: 6px }
		h1 { font-size: 15px; color: ${faint}; font-weight: 600 }
	</style>
	<section><h1># charging</h1>${messages}</section>
	<figure><img src="data:image/png;base64,${report.toString('base64')}"></figure>`;
}
