import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Browser, Page } from 'playwright-core';

import { outputOf, type WorkflowFile } from './client.ts';
import { areaOf, byTestId, openBrowser, openEditor, Panel, WINDOW, type Area } from './panel.ts';
import { importFor, startPair, startShowcase, workflowOf, type Pair, type Showcase } from './showcase.ts';
import { REPOSITORY, run, runProgram } from './tools.ts';
import { chatOf, walkThrough, type Shot } from './walkThrough.ts';

/** A picture of a node's open panel. */
interface Picture {
	workflow: WorkflowFile;
	/** The node whose panel is opened, by its name in the workflow. */
	node: string;
	/** Only the filter. Otherwise the node is executed first, and its output is beside the parameters, as a table. */
	isFilter?: true;
	/** Only the last rows of the table. */
	isEnd?: true;
}

const FINISHED: INodeParameters = {
	operation: 'getAll',
	returnAll: true,
	logic: 'And',
	filters: {
		status: [{ operator: 'In', values: ['4'] }],
		startedAtUtc: [{ operator: 'InPeriod', period: 'lastMonth' }],
		energyConsumed: [{ operator: 'Gt', value: 20 }],
	},
	output: 'selected',
	outputFields: ['StationName', 'EnergyConsumed', 'Price'],
	sort: { by: [{ field: 'StartedAtUtc', direction: 'Desc' }] },
};

/** The example of docs/filters.md. */
const GROUPED: INodeParameters = {
	operation: 'getAll',
	logic: 'And',
	filters: {
		startedAtUtc: [{ operator: 'InPeriod', period: 'lastMonth' }],
		groups: [
			{
				logic: 'Or',
				filters: { status: [{ operator: 'Eq', value: '6' }], energyConsumed: [{ operator: 'Lt', value: '0.5' }] },
			},
		],
	},
};

/** The pictures of panels in docs/images: `<name>.png`, and `<name>-dark.png` for the dark theme. */
const PANELS: Readonly<Record<string, Picture>> = {
	'charging-sessions': { workflow: workflowOf('chargingSessions', FINISHED), node: 'chargingSessions' },
	'check-platform': {
		workflow: workflowOf('chargingNetworkList', { operation: 'checkPlatform' }),
		node: 'chargingNetworkList',
		isEnd: true,
	},
	group: { workflow: workflowOf('chargingSessions', GROUPED), node: 'chargingSessions', isFilter: true },
};

/** The pictures of docs/first-alert.md, which are taken in sequence. */
const WALK = 'walk';
/** The README's first picture. */
const FIRST = 'alert-and-report';
/** The file of a CSV export, as a spreadsheet shows it. */
const SHEET = 'csv-export';
const NAMES = [WALK, FIRST, SHEET, ...Object.keys(PANELS)];

const HELP = `npm run screenshots      takes the pictures of docs/images anew, in light and dark

  --only NAME       one of ${NAMES.join(', ')}; may be repeated`;

const THEMES = ['light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

/** Hides what comes and goes by itself, or is beside what is shown. */
const TIDY = `.el-notification, .el-popper.is-dark, ${byTestId('floating-nodes')}, ${byTestId('panel-drag-button')},
	${byTestId('instance-ai-canvas-action-button')}, ${byTestId('canvas-handle-plus-wrapper')},
	[class*='runDataLabel'] { display: none !important }`;

/** The editor's animations take no longer. */
const STILL_MS = 1500;

/** What takes a part of the window, once everything is still, and writes it with few colours, in a third of the bytes. */
const shotOf = (page: Page, { platform }: Pair, theme: Theme): Shot => {
	const addresses = [
		[chatOf(platform).url, 'https://chat.example.com/hooks/alerts'],
		[platform.baseUrl, 'https://api.example.com'],
	] as const;
	return async (name, area) => {
		await page.mouse.move(0, 0);
		// It may make the window taller; where things are then is seen once they are still.
		await area();
		await sleep(STILL_MS);
		const clip = await area();
		await page.locator('input, :text("http://127.0.0.1")').evaluateAll(rename, addresses);
		const file = join(REPOSITORY, 'docs/images', `${name}${theme === 'dark' ? '-dark' : ''}.png`);
		await page.screenshot({ path: file, clip, animations: 'disabled', style: TIDY });
		await page.setViewportSize(WINDOW);
		await run('pngquant', ['--force', '--strip', '--speed', '1', '--output', file, '64', file], {
			advice: 'The picture could not be made small. On Debian or Ubuntu: "apt-get install -y pngquant".',
		});
		console.log(file);
	};
};

/** Shows addresses as users have them, in place of the stand-in's on this machine. */
function rename(elements: { value?: string; textContent: string }[], addresses: readonly (readonly string[])[]): void {
	for (const element of elements) {
		for (const [from = '', to = ''] of addresses) {
			if (element.value?.includes(from)) element.value = element.value.replace(from, to);
			if (element.textContent.includes(from)) element.textContent = element.textContent.replace(from, to);
		}
	}
}

async function takePanel(page: Page, where: Showcase, theme: Theme, name: string, picture: Picture): Promise<void> {
	const id = await importFor(where, picture.workflow, where.credential);
	const panel = await Panel.open(page, where.n8n.url, id, picture.node);
	if (!picture.isFilter) {
		await panel.execute();
		await panel.output.locator(byTestId('radio-button-table')).click();
	}
	const shot = shotOf(page, where, theme);
	await shot(name, async () => {
		if (picture.isEnd) return await lastRows(panel);
		if (!picture.isFilter) return await panel.area(panel.output);
		await panel.unroll();
		const form = page.locator(byTestId('fixed-collection-filters')).first();
		return await areaOf([form, page.locator(byTestId('parameter-input-logic')).last()], 12);
	});
}

async function lastRows(panel: Panel): Promise<Area> {
	await panel.unroll();
	const pages = panel.output.locator(byTestId('ndv-data-pagination')).getByRole('button', { name: /\d$/ });
	await pages.last().click();
	const rows = panel.output.locator('tbody tr:visible');
	await rows.last().scrollIntoViewIfNeeded();
	return await areaOf((await rows.all()).slice(-3));
}

/** A page of its own with a picture in it, from one of the templates beside this file. */
async function takePage(page: Page, where: Pair, theme: Theme, name: string, html: string): Promise<void> {
	await page.setContent(html);
	await shotOf(page, where, theme)(name, () => areaOf([page.locator('main')]));
}

const templateOf = (file: string) => readFileSync(join(REPOSITORY, 'test/n8n', file), 'utf8');

/** How much of the mail is beside the chat, in its own pixels. */
const MAIL = { width: 560, height: 500 };

/** The mail of an example, as a mail program shows it, beside an alert in a chat. */
async function takeFirst(browser: Browser, where: Showcase, theme: Theme): Promise<void> {
	const execution = await where.n8n.execute(where.workflows.get('monday-report-by-mail.json') ?? '');
	const mail = outputOf(execution, 'Report')[0]?.html as string;
	const page = await browser.newPage({ viewport: { ...MAIL, height: 2000 }, deviceScaleFactor: 2, colorScheme: theme });
	await page.setContent(mail);
	const card = await areaOf([page.locator('.card')]);
	// The last row that is whole, so that the picture ends between two.
	const ends = (await Promise.all((await page.locator('.card tr').all()).map(async (row) => await row.boundingBox())))
		.map((box) => (box ? box.y + box.height : 0))
		.filter((end) => end <= card.y + MAIL.height);
	const clip = { ...card, height: Math.max(...ends) - card.y };
	const report = `data:image/png;base64,${(await page.screenshot({ clip })).toString('base64')}`;
	await page.setViewportSize(WINDOW);
	await takePage(page, where, theme, FIRST, templateOf('alert-and-report.html').replace('REPORT', report));
}

/** The file of an export, read by n8n itself, with the rows and columns of a spreadsheet. */
async function takeSheet(browser: Browser, where: Showcase, theme: Theme): Promise<void> {
	const parameters: INodeParameters = { operation: 'exportByFilter', logic: 'And', filters: FINISHED.filters };
	const workflow = workflowOf('chargingSessionsCsvExport', parameters);
	const read = { id: 'read', name: 'Read', type: 'n8n-nodes-base.extractFromFile', typeVersion: 1 };
	workflow.nodes.push({ ...read, position: [480, 0], parameters: { operation: 'csv' } });
	workflow.connections.chargingSessionsCsvExport = { main: [[{ node: 'Read', type: 'main', index: 0 }]] };
	const execution = await where.n8n.execute(await importFor(where, workflow, where.credential));
	const sheet = sheetOf(outputOf(execution, 'Read').slice(0, LINES - 1));
	const page = await browser.newPage({ viewport: WINDOW, deviceScaleFactor: 2, colorScheme: theme });
	await takePage(page, where, theme, SHEET, templateOf('spreadsheet.html').replace('ROWS', sheet));
}

/** The columns that fit, and how many lines. */
const COLUMNS = ['Id', 'Status', 'EnergyConsumed', 'StartedAtUtc', 'EndedAtUtc', 'StationId', 'StationName'];
const LINES = 10;

/** The rows of a table in HTML: the letters of the columns, their names, and a line for each row. */
function sheetOf(rows: readonly IDataObject[]): string {
	const lines = [COLUMNS, ...rows.map((row) => COLUMNS.map((name) => row[name] as string | number))];
	const letters = COLUMNS.map((_, place) => `<th>${String.fromCharCode(65 + place)}</th>`).join('');
	const cell = (value: string | number) =>
		`<td${/^[\d.]+$/.test(String(value)) ? ' class="number"' : ''}>${value}</td>`;
	const numbered = lines.map((cells, place) => `<tr><th>${place + 1}</th>${cells.map(cell).join('')}</tr>`);
	return [`<tr><th></th>${letters}</tr>`, ...numbered].join('');
}

await runProgram(async () => {
	const { values } = parseArgs({
		options: { only: { type: 'string', multiple: true }, help: { type: 'boolean' } },
	});
	const wanted = values.only ?? NAMES;
	if (values.help || wanted.some((name) => !NAMES.includes(name))) throw new Error(HELP);
	const browser = await openBrowser();
	const where = wanted.some((name) => name !== WALK) ? await startShowcase('2') : undefined;
	for (const theme of THEMES) {
		if (wanted.includes(WALK)) {
			// A new n8n, as a beginner has it.
			const pair = await startPair('2');
			const page = await openEditor(browser, pair.n8n, theme);
			await walkThrough(pair, page, '10', shotOf(page, pair, theme));
		}
		if (!where) continue;
		if (wanted.includes(FIRST)) await takeFirst(browser, where, theme);
		if (wanted.includes(SHEET)) await takeSheet(browser, where, theme);
		const page = await openEditor(browser, where.n8n, theme);
		for (const [name, picture] of Object.entries(PANELS)) {
			if (wanted.includes(name)) await takePanel(page, where, theme, name, picture);
		}
	}
});
