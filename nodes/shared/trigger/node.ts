import type { INodeExecutionData, INodeTypeDescription, IPollFunctions } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { methodsOf } from '../parameters/dropdown';
import { panelOf } from '../parameters/reading';
import { testChargingNetworkApi } from '../platform';
import { firstPollTexts } from './firstPoll';
import type { TriggerSettings } from './parameters';
import type { PollReading } from './watch/evaluate';
import type { TriggerDefinition } from './definition';
import { runTrigger } from './trigger';

/** What n8n asks of a trigger's node. Its names, icon, subtitle and inputs are in the `.node.ts`: n8n's lint reads them there. */
export function triggerNode<Settings extends TriggerSettings, Read extends PollReading>(
	trigger: TriggerDefinition<Settings, Read>,
) {
	const { parameters } = trigger;
	const panel = panelOf(parameters);
	const common = {
		group: ['trigger'],
		version: 1,
		polling: true,
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'chargingNetworkApi', required: true, testedBy: 'testChargingNetworkApi' }],
		properties: panel.properties,
		...firstPollTexts('emitInitialState' in (parameters.options?.parts ?? {})),
	} satisfies Partial<INodeTypeDescription>;
	return {
		common,
		methods: { credentialTest: { testChargingNetworkApi }, ...methodsOf([panel]) },
		async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
			return await runTrigger(trigger, this);
		},
	};
}
