import { applyBehaviour } from '../../platform/behaviour.ts';
import { startPlatform, type StandIn } from '../../platform/index.ts';
import { credentialFor, runNode, userCredentialFor } from '../harness.ts';

export interface Found {
	check: string;
	list: string;
	result: string;
	text: string;
	evidence: string;
}

const ROWS = 330;
const SCOPES = ['charging-sessions:read', 'charging-stations:read', 'tariffs:read', 'billing:read'];

/** Runs Check Platform against the stand-in. */
export class CheckBench {
	platform!: StandIn;

	constructor() {
		beforeAll(async () => {
			this.platform = await startPlatform({ sessions: ROWS, stations: ROWS, locations: 60, tariffs: 130, idGaps: 1 });
		});
		afterAll(async () => await this.platform.close());
		beforeEach(() => this.platform.reset());
	}

	/** @param prepare changes rows before the check */
	async run(behaviour: object = {}, parameters: object = {}, key?: string, prepare = () => {}) {
		const { platform } = this;
		applyBehaviour(platform.behaviour, behaviour);
		prepare();
		const apiKey = key ?? platform.createKey({ scopes: SCOPES }).secret;
		const before = platform.requests.length;
		const { json, error } = await runNode({
			type: 'chargingNetworkList',
			credential: { ...credentialFor(platform), apiKey },
			user: userCredentialFor(platform),
			parameters: { operation: 'checkPlatform', ...parameters },
		});
		expect(error).toBeUndefined();
		const text = JSON.stringify(json);
		expect(text).not.toContain(apiKey);
		expect(text).not.toContain(platform.key);
		return { json, requests: platform.requests.slice(before) };
	}

	/** The findings, and the requests that were sent. */
	async check(...asked: Parameters<CheckBench['run']>) {
		const { json, requests } = await this.run(...asked);
		return { findings: json as unknown as Found[], requests };
	}
}

/** What is said about the platform: neither that it is as specified, nor that it cannot be told. */
export function claimsIn(findings: readonly Found[]): Found[] {
	return findings.filter(({ check, result }) => check !== 'What to do' && ['works around', 'limits'].includes(result));
}

export const found = (findings: readonly Found[], check: string): Found | undefined =>
	findings.find((one) => one.check === check);
