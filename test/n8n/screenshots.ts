import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

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
import { N8nClient } from './client.ts';
import { PICTURES, type CanvasPicture, type CredentialPicture, type PanelPicture, type Picture } from './pictures.ts';
import { connect, CREDENTIAL_TYPE, startShowcase, type Showcase } from './showcase.ts';
import { startStage, walkThrough } from './walkThrough.ts';
import { endWith, REPOSITORY, run, until, withCleanup, type Later, type Log } from './tools.ts';

const NAMES = PICTURES.map(({ name }) => name);

const HELP = `npm run screenshots      takes the pictures of docs/images anew, in light and dark: test/n8n/pictures.ts lists them

  --only NAME       one of ${NAMES.join(', ')}; may be repeated
  --theme THEME     light or dark only
  --out FOLDER      another folder than docs/images
  --url URL --email ADDRESS --password TEXT
                    an n8n that is running already ("npm start" prints all three); otherwise one is started`;

/** What comes and goes by itself, or stands beside what is shown. */
const CLUTTER = ['.el-notification', '.el-popper.is-dark', byTestId('floating-nodes'), byTestId('panel-drag-button')];

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

/** The n8n to take pictures of, and what is needed to make an imported workflow run in it. */
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
	return { n8n, credential: { id, name }, address: typeof testUrl === 'string' ? testUrl : '' };
}

/** Brings what the picture is of to the screen, and says where it is. */
async function show(page: Page, where: Target, picture: Picture): Promise<Area> {
	await page.setViewportSize(PICTURE_WINDOW);
	switch (picture.kind) {
		case 'panel':
			return await showPanel(page, where, picture);
		case 'canvas':
			return await showCanvas(page, where, picture);
		case 'credential':
			return await showCredential(page, where, picture);
	}
}

async function importFor(where: Target, { workflow }: PanelPicture | CanvasPicture): Promise<string> {
	return await where.n8n.importWorkflow(connect(workflow, where.credential, where.address));
}

async function showPanel(page: Page, where: Target, picture: PanelPicture): Promise<Area> {
	await openWorkflow(page, where.n8n, await importFor(where, picture));
	await openNode(page, picture.node);
	if (picture.output) {
		await executeNode(page);
		await page
			.locator(byTestId('output-panel'))
			.locator(byTestId(`radio-button-${picture.output}`))
			.click();
	}
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
	return await areaOf([...(await nodes.all()), ...(await page.locator(byTestId('canvas-handle-plus')).all())], 50);
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

/** Takes away what would cover something, lets go of the mouse, and shows addresses as users have them. */
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

/** The addresses of the stand-ins on this machine, and what stands for them in pictures. */
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

/** Writes a picture with as few colours as are hardly told from the original: a third of the bytes. */
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
	await take(page, area, file);
	log(file);
}

/** The panels and dialogs: one window for each theme, in an n8n with all examples. */
async function takePictures(pictures: readonly Picture[], themes: readonly Theme[], browser: Browser, later: Later) {
	if (pictures.length === 0) return;
	const where = await target(later);
	addresses.set(where.address, PLATFORM_ADDRESS);
	for (const theme of themes) {
		const page = await openEditor(browser, where.n8n, theme);
		for (const picture of pictures) {
			await takeAndSay(page, await show(page, where, picture), fileOf(picture.name, theme));
		}
		await page.context().close();
	}
}

/** The README's first alert: a new n8n for each theme, as for somebody who begins. */
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
	mkdirSync(values.out, { recursive: true });
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
