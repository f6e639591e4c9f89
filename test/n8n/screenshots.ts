import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import type { Browser, Page } from 'playwright-core';

import {
	areaOf,
	byTestId,
	executeNode,
	openBrowser,
	openEditor,
	openNode,
	openWorkflow,
	panelArea,
	PICTURE_WINDOW,
	settled,
	THEMES,
	unrollParameters,
	type Area,
	type Theme,
} from './browser.ts';
import { FIRST_SCREEN, firstScreen } from './firstScreen.ts';
import { N8nClient, outputOf } from './client.ts';
import {
	PICTURES,
	type CanvasPicture,
	type CredentialPicture,
	type ExamplePicture,
	type MailPicture,
	type PanelPicture,
	type Picture,
} from './pictures.ts';
import { connect, CREDENTIAL_TYPE, INCIDENT_COLUMNS, startShowcase, type Showcase } from './showcase.ts';
import { startStage, walkThrough } from './walkThrough.ts';
import { endWith, REPOSITORY, run, until, withCleanup, type Later, type Log } from './tools.ts';

const EXAMPLES = 'examples';
const NAMES = PICTURES.map(({ name }) => name);

const HELP = `npm run screenshots      takes the pictures of docs/images anew, in light and dark: test/n8n/pictures.ts lists them

  --only NAME       one of ${NAMES.filter((name) => !name.includes('/')).join(', ')}, examples/NAME,
                    or examples for all of those; may be repeated
  --theme THEME     light or dark only
  --out FOLDER      another folder than docs/images
  --url URL --email ADDRESS --password TEXT
                    an n8n that is running already ("npm start" prints all three); otherwise one is started`;

/** Elements that come and go by themselves, or are beside what is shown. */
const CLUTTER = [
	'.el-notification',
	'.el-popper.is-dark',
	byTestId('floating-nodes'),
	byTestId('panel-drag-button'),
	byTestId('instance-ai-canvas-action-button'),
];

const { values } = parseArgs({
	options: {
		out: { type: 'string', default: join(REPOSITORY, 'docs/images') },
		only: { type: 'string', multiple: true },
		theme: { type: 'string' },
		url: { type: 'string' },
		email: { type: 'string' },
		password: { type: 'string' },
		help: { type: 'boolean', default: false },
	},
});

const TIMEZONE = 'Europe/Berlin';
const PLATFORM_ADDRESS = 'https://api.example.com';
const CHAT_ADDRESS = 'https://chat.example.com/hooks/alerts';

const log: Log = (line) => console.log(line);

/** The n8n to take pictures of, and what imported workflows need to run in it. */
type Target = Pick<Showcase, 'credential'> & { n8n: N8nClient; address: string; dataTable: string };

async function target(later: Later): Promise<Target> {
	const { url, email, password } = values;
	if (url === undefined) {
		const showcase = await startShowcase({
			log,
			later,
			timezone: TIMEZONE,
			platform: { sessions: 20_000, stations: 250 },
		});
		return { ...showcase, address: showcase.platform.baseUrl, dataTable: await addIncidents(showcase.n8n) };
	}
	if (!email || !password) throw new Error('--url needs --email and --password: "npm start" prints all three.');
	const n8n = new N8nClient(url.replace(/\/$/, ''), { email, password });
	await n8n.logIn();
	const credentials = await n8n.request<{ id: string; name: string; type: string }[]>('GET', '/credentials');
	const credential = credentials.find(({ type }) => type === CREDENTIAL_TYPE);
	if (!credential) throw new Error('That n8n has no Charging Network credential.');
	const { id, name } = credential;
	const { testUrl } = (await n8n.savedCredential(id)).data;
	const address = typeof testUrl === 'string' ? testUrl : '';
	return { n8n, credential: { id, name }, address, dataTable: await addIncidents(n8n) };
}

/** A data table with incidents. */
async function addIncidents(n8n: N8nClient): Promise<string> {
	const incidents = await n8n.createDataTable(`Incidents for pictures ${Date.now()}`, INCIDENT_COLUMNS);
	await n8n.addDataTableRows(incidents, incidentRows());
	return incidents;
}

/** Shows what the picture is of, and returns its area. */
async function show(page: Page, where: Target, picture: Picture): Promise<Area> {
	await page.setViewportSize(PICTURE_WINDOW);
	switch (picture.kind) {
		case 'panel':
			return await showPanel(page, where, picture);
		case 'canvas':
			return await showCanvas(page, where, picture);
		case 'example':
			return await showExample(page, where, picture);
		case 'credential':
			return await showCredential(page, where, picture);
	}
}

async function importFor(
	{ n8n, credential, address, dataTable }: Target,
	{ workflow }: Pick<PanelPicture, 'workflow'>,
): Promise<string> {
	return await n8n.importWorkflow(connect(workflow, credential, address, dataTable));
}

async function showPanel(page: Page, where: Target, picture: PanelPicture): Promise<Area> {
	await openWorkflow(page, where.n8n, await importFor(where, picture));
	await openNode(page, picture.node);
	await settled(page);
	if (picture.output) {
		await executeNode(page);
		await page
			.locator(byTestId('output-panel'))
			.locator(byTestId(`radio-button-${picture.output}`))
			.click();
	}
	await settled(page);
	await unrollParameters(page);
	await tidy(page);
	if (picture.part) return await picture.part(page);
	return await panelArea(page, picture.output ? ['parameters', 'output'] : ['parameters']);
}

async function showCanvas(page: Page, where: Target, picture: CanvasPicture): Promise<Area> {
	await openWorkflow(page, where.n8n, await importFor(where, picture));
	await page.locator('[data-test-id^="execute-workflow-button"]').last().click();
	const nodes = page.locator(byTestId('canvas-node'));
	const done = page.locator(byTestId('canvas-node-status-success'));
	await until('every node has run', async () => (await done.count()) === (await nodes.count()));
	await tidy(page);
	return await canvasArea(page);
}

async function showExample(page: Page, where: Target, picture: ExamplePicture): Promise<Area> {
	await openWorkflow(page, where.n8n, await importFor(where, picture));
	await tidy(page);
	return await canvasArea(page);
}

/** All nodes on the canvas, with their names. */
async function canvasArea(page: Page): Promise<Area> {
	const shown = [byTestId('canvas-node'), byTestId('canvas-handle-plus')].map((each) => page.locator(each).all());
	const area = await areaOf((await Promise.all(shown)).flat(), 50);
	return { ...area, height: area.height + 30 };
}

async function createFor(
	{ n8n, address }: Target,
	{ name, type, data }: NonNullable<CredentialPicture['credential']>,
): Promise<string> {
	return await n8n.createCredential(name, type, { environment: 'test', testUrl: address, ...data });
}

async function showCredential(page: Page, where: Target, { credential }: CredentialPicture): Promise<Area> {
	const id = credential ? await createFor(where, credential) : where.credential.id;
	await page.goto(`${where.n8n.url}/home/credentials/${id}`);
	const dialog = page.locator(byTestId('editCredential-modal'));
	await dialog.waitFor();
	await settled(page);
	await tidy(page);
	return await areaOf([dialog]);
}

/** Hides what would cover something, moves the mouse away, and shows addresses as users have them. */
async function tidy(page: Page): Promise<void> {
	await page.addStyleTag({ content: `${CLUTTER.join(', ')} { display: none !important; }` });
	await page.mouse.move(0, 0);
	await settled(page);
	for (const [local, shown] of addresses) {
		const rename = { from: local, to: shown };
		await page.locator('input').evaluateAll(renameValues, rename);
		await page.getByText(local).evaluateAll(renameTexts, rename);
	}
}

/** The stand-ins' addresses on this machine, and what pictures show instead. */
const addresses = new Map<string, string>();

interface Rename {
	from: string;
	to: string;
}

function renameValues(inputs: { value: string }[], { from, to }: Rename): void {
	for (const input of inputs) {
		if (input.value.includes(from)) input.value = input.value.replace(from, to);
	}
}

function renameTexts(elements: { textContent: string }[], { from, to }: Rename): void {
	for (const element of elements) element.textContent = element.textContent.replace(from, to);
}

/** Writes a picture with fewer colours, which is hardly visible and takes a third of the bytes. */
async function take(page: Page, area: Area, file: string): Promise<void> {
	await page.screenshot({ path: file, clip: area, animations: 'disabled' });
	const advice = 'The picture could not be made small. On Debian or Ubuntu: "apt-get install -y pngquant".';
	await run('pngquant', ['--force', '--strip', '--speed', '1', '--output', file, '64', file], {
		cwd: REPOSITORY,
		advice,
	});
}

const fileOf = (name: string, theme: Theme) => join(values.out, `${name}${theme === 'dark' ? '-dark' : ''}.png`);

async function takeAndSay(page: Page, area: Area, file: string): Promise<void> {
	mkdirSync(dirname(file), { recursive: true });
	await take(page, area, file);
	log(file);
}

/** Runs the workflow, and opens its mail as a mail program would. */
async function takeMail(
	browser: Browser,
	where: Target,
	picture: MailPicture,
	themes: readonly Theme[],
): Promise<void> {
	const execution = await where.n8n.execute(await importFor(where, picture));
	const html = outputOf(execution, picture.node)[0]?.html;
	if (typeof html !== 'string') throw new Error(`${picture.name}: the node "${picture.node}" gave no mail.`);
	for (const theme of themes) {
		for (const [kind, width] of Object.entries(picture.widths)) {
			const context = await browser.newContext({
				viewport: { width, height: 100 },
				colorScheme: theme,
				deviceScaleFactor: 2,
			});
			const page = await context.newPage();
			await page.setContent(html);
			const area = await areaOf([page.locator('html')]);
			await page.setViewportSize({ width, height: Math.ceil(area.height) });
			area.height = Math.min(area.height, picture.tallest ?? Infinity);
			if (area.width > width) throw new Error(`${picture.name}: the mail is ${area.width} points wide, not ${width}.`);
			const file = fileOf(`${picture.name}-${kind}`, theme);
			await takeAndSay(page, area, file);
			if (picture.isOnFirstScreen && kind === 'mail') {
				await page.setViewportSize(FIRST_SCREEN);
				await page.setContent(firstScreen(file, theme));
				await takeAndSay(page, { x: 0, y: 0, ...FIRST_SCREEN }, fileOf('alert-and-report', theme));
			}
			await context.close();
		}
	}
}

/**
 * Rows like those of the example that stores incidents, for the stations of the stand-in, since the beginning of last
 * month. Three are open now.
 */
function incidentRows(): IDataObject[] {
	const now = DateTime.now();
	const begin = DateTime.now().setZone(TIMEZONE).startOf('month').minus({ months: 1 });
	const end = begin.plus({ months: 1 });
	const iso = (time: DateTime) => time.toUTC().toISO({ suppressMilliseconds: true });
	const last = Math.floor(now.diff(begin).as('hours') / 17);
	const over = Array.from({ length: last }, (_, index) => {
		const since = begin.plus({ hours: 17 * index, minutes: (index * 23) % 60 });
		return {
			kind: 'incident',
			incidentId: `incident ${index}`,
			stationId: String(1 + ((index * index * 7) % 60)),
			since: iso(since),
			until: iso(since.plus({ minutes: 10 + ((index * index * 31) % 400) })),
		};
	});
	const watched = [
		{ from: begin, to: begin.plus({ days: 11, hours: 3 }) },
		{ from: begin.plus({ days: 11, hours: 9 }), to: end },
		{ from: end, to: now },
	];
	const open = [
		{ incidentId: 'open 1', stationId: '14', since: iso(now.minus({ hours: 31 })) },
		{ incidentId: 'open 2', stationId: '77', since: iso(now.minus({ minutes: 12 })) },
		{ incidentId: 'open 3', stationId: '40', since: iso(now.minus({ hours: 5 })), chargePointId: '402' },
	];
	const watching = watched.map(({ from, to }, index) => ({
		kind: 'watching',
		incidentId: `watching ${index}`,
		since: iso(from),
		until: iso(to),
		stations: '250',
		polls: String(to.diff(from).as('minutes') / 5),
		openIncidents: JSON.stringify(to === now ? open : []),
	}));
	return [...over, ...open.map((incident) => ({ kind: 'incident', ...incident })), ...watching];
}

/** The panels and dialogs, in one window for each theme and an n8n with all examples; and the mails. */
async function takePictures(
	pictures: ReadonlyArray<Picture | MailPicture>,
	themes: readonly Theme[],
	browser: Browser,
	later: Later,
): Promise<void> {
	if (pictures.length === 0) return;
	const where = await target(later);
	addresses.set(where.address, PLATFORM_ADDRESS);
	for (const picture of pictures) if (picture.kind === 'mail') await takeMail(browser, where, picture, themes);
	for (const theme of themes) {
		const page = await openEditor(browser, where.n8n, theme);
		for (const picture of pictures) {
			if (picture.kind === 'mail' || (picture.kind === 'example' && theme === 'dark')) continue;
			await takeAndSay(page, await show(page, where, picture), fileOf(picture.name, theme));
		}
		await page.context().close();
	}
}

/** The README's first alert: a new n8n for each theme, as a beginner has it. */
async function takeWalk(themes: readonly Theme[], browser: Browser, later: Later): Promise<void> {
	for (const theme of themes) {
		const stage = await startStage({ log, later, timezone: TIMEZONE });
		addresses.set(stage.platform.baseUrl, PLATFORM_ADDRESS).set(stage.receiver.url, CHAT_ADDRESS);
		const page = await openEditor(browser, stage.n8n, theme);
		await walkThrough({ ...stage, page }, async (name, area) => {
			await tidy(page);
			await takeAndSay(page, await area(), fileOf(name, theme));
		});
		await page.context().close();
	}
}

async function main(): Promise<number> {
	const unknown = (values.only ?? []).filter((name) => !NAMES.includes(name) && name !== EXAMPLES);
	if (values.help || unknown.length > 0) {
		if (unknown.length > 0) log(`There is no ${unknown.join(', no ')}.\n`);
		log(HELP);
		return unknown.length > 0 ? 1 : 0;
	}
	const wanted = PICTURES.filter(
		({ name, kind }) => values.only?.some((only) => only === name || (only === EXAMPLES && kind === 'example')) ?? true,
	);
	const themes = THEMES.filter((candidate) => !values.theme || candidate === values.theme);
	return await withCleanup(async (later) => {
		const browser = await openBrowser();
		later(() => browser.close());
		await takePictures(
			wanted.filter((picture) => picture.kind !== 'walk'),
			themes,
			browser,
			later,
		);
		if (wanted.some(({ kind }) => kind === 'walk')) await takeWalk(themes, browser, later);
		return 0;
	});
}

await endWith(main);
