import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import type { Page } from 'playwright-core';

import {
	areaOf,
	byTestId,
	executeNode,
	openBrowser,
	openEditor,
	openNode,
	openWorkflow,
	parametersArea,
	settled,
	THEMES,
	unrollParameters,
	type Area,
	type Theme,
} from './browser.ts';
import { N8nClient } from './client.ts';
import { PICTURES, type CanvasPicture, type CredentialPicture, type PanelPicture, type Picture } from './pictures.ts';
import { connect, CREDENTIAL_TYPE, startShowcase, type Showcase } from './showcase.ts';
import { endWith, REPOSITORY, run, withCleanup, type Later, type Log } from './tools.ts';

const NAMES = PICTURES.map(({ name }) => name);

const HELP = `npm run screenshots      takes the pictures of docs/images anew, in light and dark: test/n8n/pictures.ts lists them

  --only NAME       one of ${NAMES.join(', ')}; may be repeated
  --theme THEME     light or dark only
  --out FOLDER      another folder than docs/images
  --url URL --email ADDRESS --password TEXT
                    an n8n that is running already ("npm start" prints all three); otherwise one is started`;

/** Wide enough for a table beside the parameters, narrow enough to be read at the width of a page. */
const WINDOW = { width: 1366, height: 900 };

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

const log: Log = (line) => console.log(line);

/** The n8n to take pictures of, and what is needed to make an imported workflow run in it. */
type Target = Pick<Showcase, 'credential'> & { n8n: N8nClient; address: string };

async function target(later: Later): Promise<Target> {
	const { url, email, password } = values;
	if (url === undefined) {
		const showcase = await startShowcase({
			log,
			later,
			timezone: 'Europe/Berlin',
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
	return { n8n, credential: { id: credential.id, name: credential.name }, address: '' };
}

/** Brings what the picture is of to the screen, and says where it is. */
async function show(page: Page, where: Target, picture: Picture): Promise<Area> {
	await page.setViewportSize(WINDOW);
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
	const parameters = await parametersArea(page);
	if (!picture.output) return parameters;
	const output = await areaOf([page.locator(byTestId('output-panel'))]);
	return { ...parameters, width: output.x + output.width - parameters.x };
}

async function showCanvas(page: Page, where: Target, picture: CanvasPicture): Promise<Area> {
	const id = await importFor(where, picture);
	await openWorkflow(page, where.n8n, id);
	const area = await areaOf(await page.locator(byTestId('canvas-node')).all(), 40);
	await tidy(page);
	return area;
}

async function showCredential(page: Page, where: Target, { credential }: CredentialPicture): Promise<Area> {
	const name = 'Charging Network account';
	const id = credential
		? await where.n8n.createCredential(name, credential.type, credential.data)
		: where.credential.id;
	await page.goto(`${where.n8n.url}/home/credentials/${id}`);
	const dialog = page.locator(byTestId('editCredential-modal'));
	await dialog.waitFor();
	await settled(page);
	// The test has been done at the stand-in; the picture shows an address as a user has it.
	for (const input of await dialog.locator('input').all()) {
		if ((await input.inputValue()).startsWith('http://127.')) await input.evaluate(showAddress);
	}
	await tidy(page);
	return await areaOf([dialog]);
}

function showAddress(input: { value: string }): void {
	input.value = 'https://api.example.com';
}

/** Takes away what would cover something, and lets go of the mouse and the keyboard. */
async function tidy(page: Page): Promise<void> {
	await page.addStyleTag({ content: `${CLUTTER.join(', ')} { display: none !important; }` });
	await page.mouse.move(0, 0);
	await settled(page);
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

const fileOf = ({ name }: Picture, theme: Theme) => `${name}${theme === 'dark' ? '-dark' : ''}.png`;

async function main(): Promise<number> {
	const unknown = (values.only ?? []).filter((name) => !NAMES.includes(name));
	if (values.help || unknown.length > 0) {
		if (unknown.length > 0) log(`There is no ${unknown.join(', no ')}.\n`);
		log(HELP);
		return unknown.length > 0 ? 1 : 0;
	}
	mkdirSync(values.out, { recursive: true });
	return await withCleanup(async (later) => {
		const browser = await openBrowser();
		later(() => browser.close());
		const where = await target(later);
		for (const theme of THEMES.filter((candidate) => !values.theme || candidate === values.theme)) {
			const page = await openEditor(browser, where.n8n, theme);
			for (const picture of PICTURES.filter(({ name }) => values.only?.includes(name) ?? true)) {
				const file = join(values.out, fileOf(picture, theme));
				await take(page, await show(page, where, picture), file);
				log(file);
			}
			await page.context().close();
		}
		return 0;
	});
}

await endWith(main);
