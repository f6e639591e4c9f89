import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

import type { Browser, Page } from 'playwright-core';

import {
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
import { PICTURES, type FirstScreenPicture, type PanelPicture } from './pictures.ts';
import { connect, CREDENTIAL_TYPE, startShowcase, type Showcase } from './showcase.ts';
import { startStage, walkThrough } from './walkThrough.ts';
import { endWith, REPOSITORY, run, withCleanup, type Later, type Log } from './tools.ts';

const NAMES = PICTURES.map(({ name }) => name);

const HELP = `npm run screenshots      takes the pictures of docs/images anew, in light and dark: test/n8n/pictures.ts lists them

  --only NAME       one of ${NAMES.join(', ')}; may be repeated
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
type Target = Pick<Showcase, 'credential'> & { n8n: N8nClient; address: string };

async function target(later: Later): Promise<Target> {
	const { url, email, password } = values;
	if (url === undefined) {
		const showcase = await startShowcase({
			log,
			later,
			timezone: TIMEZONE,
			platform: { sessions: 20_000, stations: 250 },
		});
		return { ...showcase, address: showcase.platform.baseUrl };
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
	return { n8n, credential: { id, name }, address };
}

async function importFor(
	{ n8n, credential, address }: Target,
	{ workflow }: Pick<PanelPicture, 'workflow'>,
): Promise<string> {
	return await n8n.importWorkflow(connect(workflow, credential, address));
}

/** Shows what the picture is of, and returns its area. */
async function showPanel(page: Page, where: Target, picture: PanelPicture): Promise<Area> {
	await page.setViewportSize(PICTURE_WINDOW);
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

const REPORT_WIDTH = 600;

/** Runs the workflow, and shows its mail as a mail program would, beside an alert. */
async function takeFirstScreen(
	browser: Browser,
	where: Target,
	{ name, workflow, node }: FirstScreenPicture,
	themes: readonly Theme[],
): Promise<void> {
	const execution = await where.n8n.execute(await importFor(where, { workflow }));
	const html = outputOf(execution, node)[0]?.html;
	if (typeof html !== 'string') throw new Error(`${name}: the node "${node}" gave no mail.`);
	for (const theme of themes) {
		const context = await browser.newContext({
			viewport: { width: REPORT_WIDTH, height: 100 },
			colorScheme: theme,
			deviceScaleFactor: 2,
		});
		const page = await context.newPage();
		await page.setContent(html);
		const report = await page.screenshot({ fullPage: true, animations: 'disabled' });
		await page.setViewportSize(FIRST_SCREEN);
		await page.setContent(firstScreen(report, theme));
		await takeAndSay(page, { x: 0, y: 0, ...FIRST_SCREEN }, fileOf(name, theme));
		await context.close();
	}
}

/** The panels, in one window for each theme and an n8n with all examples; and the first screen. */
async function takePictures(
	pictures: ReadonlyArray<PanelPicture | FirstScreenPicture>,
	themes: readonly Theme[],
	browser: Browser,
	later: Later,
): Promise<void> {
	if (pictures.length === 0) return;
	const where = await target(later);
	addresses.set(where.address, PLATFORM_ADDRESS);
	for (const picture of pictures) {
		if (picture.kind === 'firstScreen') await takeFirstScreen(browser, where, picture, themes);
	}
	for (const theme of themes) {
		const page = await openEditor(browser, where.n8n, theme);
		for (const picture of pictures) {
			if (picture.kind !== 'panel') continue;
			await takeAndSay(page, await showPanel(page, where, picture), fileOf(picture.name, theme));
		}
		await page.context().close();
	}
}

/** docs/first-alert.md: a new n8n for each theme, as a beginner has it. */
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
	const unknown = (values.only ?? []).filter((name) => !NAMES.includes(name));
	if (values.help || unknown.length > 0) {
		if (unknown.length > 0) log(`There is no ${unknown.join(', no ')}.\n`);
		log(HELP);
		return unknown.length > 0 ? 1 : 0;
	}
	const wanted = PICTURES.filter(({ name }) => values.only?.includes(name) ?? true);
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
