import type { IHttpRequestOptions, IRequestOptions } from 'n8n-workflow';

import { editorContext, loadPackage } from '../../support/harness.ts';
import { API_KEY, ScriptedServer, sendJson } from '../../support/scriptedServer';

/** The address of the credential, and another one. */
const platform = new ScriptedServer();
const other = new ScriptedServer();

beforeAll(async () => await Promise.all([platform.start(), other.start()]));
afterAll(async () => await Promise.all([platform.stop(), other.stop()]));
beforeEach(() => {
	platform.script((_, response) => sendJson(response, 200, {}));
	other.script((_, response) => sendJson(response, 200, {}));
});

/** n8n's two helpers that add a credential: that of current nodes, and the older one of the HTTP Request node. */
describe('the API key', () => {
	async function helpers() {
		const type = 'chargingNetworkApi';
		const credential = { environment: 'production', productionUrl: `${platform.baseUrl}/gateway`, apiKey: API_KEY };
		const node = { type: 'chargingSessions', credential, parameters: {} };
		const { context } = await editorContext(node);
		return {
			request: async (request: IHttpRequestOptions) =>
				(await context.helpers.httpRequestWithAuthentication.call(context, type, request)) as unknown,
			olderRequest: async (request: IRequestOptions) =>
				(await context.helpers.requestWithAuthentication.call(context, type, request)) as unknown,
		};
	}
	const carriers = (server: ScriptedServer) => server.received.filter(({ headers }) => headers['api-key'] === API_KEY);

	it('goes to the host of the base URL, whatever the path', async () => {
		const { request, olderRequest } = await helpers();
		await request({ url: `${platform.baseUrl}/api/other/v1` });
		await request({ baseURL: platform.baseUrl, url: '/api/other/v1' });
		await olderRequest({ uri: `${platform.baseUrl}/api/other/v1` });
		// With certificates checked, and without a proxy, where the request says so.
		await request({ url: platform.baseUrl, skipSslCertificateValidation: false });
		await olderRequest({ uri: platform.baseUrl, rejectUnauthorized: true, proxy: '' });
		expect(carriers(platform)).toHaveLength(5);
	});

	it('is refused for another host, and nothing is sent there', async () => {
		const { request, olderRequest } = await helpers();
		const sameNameOtherPort = other.baseUrl;
		const withoutTls = platform.baseUrl.replace('http:', 'https:');
		const withOwnHostAsUser = other.baseUrl.replace('://', `://${new URL(platform.baseUrl).host}@`);
		for (const target of [sameNameOtherPort, withoutTls, withOwnHostAsUser]) {
			const { origin } = new URL(target);
			const refusal = {
				message: `This credential is for ${platform.baseUrl}, but the request goes to ${origin}`,
				description: expect.stringMatching(
					/is sent to the credential’s base URL only, so nothing was sent\. Use/,
				) as string,
			};
			await expect(request({ baseURL: target, url: '/api' })).rejects.toMatchObject(refusal);
			await expect(olderRequest({ uri: `${target}/api` })).rejects.toMatchObject(refusal);
		}
		await expect(request({ baseURL: platform.baseUrl, url: `${other.baseUrl}/api` })).rejects.toThrow('goes to');
		await expect(request({ url: '/api' })).rejects.toThrow('goes to an address that is not a URL');
		expect(other.received).toEqual([]);
	});

	it.each([
		['a proxy', { proxy: { host: '127.0.0.1', port: 9 } }, { proxy: 'http://user:word@127.0.0.1:9' }],
		['certificate checks off', { skipSslCertificateValidation: true }, { rejectUnauthorized: false }],
		['certificate checks off', { agentOptions: { rejectUnauthorized: false } }, { rejectUnauthorized: false }],
	])('a request with %s is refused, and nothing is sent', async (_, newer, older) => {
		const { request, olderRequest } = await helpers();
		const url = `${platform.baseUrl}/api`;
		for (const send of [
			async () => await request({ url, ...newer }),
			async () => await olderRequest({ uri: url, ...older } as IRequestOptions),
		]) {
			await expect(send()).rejects.toMatchObject({
				message: expect.stringMatching(/^This credential is not used (through a proxy|without)/) as string,
				description: expect.stringMatching(/so nothing was sent\. Turn off (Proxy|Ignore SSL Issues)/) as string,
			});
		}
		expect(carriers(platform)).toEqual([]);
	});

	it('is refused with the name of another host in the header Host: a shared gateway would take it there', async () => {
		const { request, olderRequest } = await helpers();
		const headers = { host: 'elsewhere.example' };
		const refusal = {
			message: `This credential is for ${platform.baseUrl}, but the request goes to elsewhere.example`,
		};
		await expect(request({ url: platform.baseUrl, headers })).rejects.toMatchObject(refusal);
		await expect(olderRequest({ uri: platform.baseUrl, headers })).rejects.toMatchObject(refusal);
		await request({ url: platform.baseUrl, headers: { Host: new URL(platform.baseUrl).host } });
		expect(carriers(platform)).toHaveLength(1);
	});

	it('does not follow a redirect to another host', async () => {
		const { request, olderRequest } = await helpers();
		platform.script((_, response) => void response.writeHead(302, { location: other.baseUrl }).end());
		await expect(request({ url: platform.baseUrl, maxRedirects: 5 })).rejects.toMatchObject({ httpCode: '302' });
		const followed = { followRedirect: true, followAllRedirects: true };
		await expect(olderRequest({ uri: platform.baseUrl, ...followed })).rejects.toMatchObject({ httpCode: '302' });
		expect(other.received).toEqual([]);
	});
});

it('the signed-in user is not offered by the HTTP Request node: n8n lists there what has a way to authenticate', async () => {
	const { credentialTypes } = await loadPackage();
	const ways = ['authenticate', 'preAuthentication', 'extends', 'genericAuth'];
	const waysOf = (name: string) => ways.filter((way) => way in (credentialTypes[name]?.type ?? {}));
	expect([waysOf('chargingNetworkApi'), waysOf('chargingNetworkUserApi')]).toEqual([['authenticate'], []]);
});
