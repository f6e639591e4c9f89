import type { INodeTypeDescription } from 'n8n-workflow';

/**
 * What n8n says of a trigger in its panel and when it is published: who expects what is so already would take a quiet
 * trigger for a broken one.
 *
 * @param hasInitialState whether it has the option Report Initial State
 */
export function firstPollTexts(
	hasInitialState: boolean,
): Pick<INodeTypeDescription, 'activationMessage' | 'triggerPanel'> {
	const unless = hasInitialState ? ', unless you have added the option Report Initial State' : '';
	const noted = `The first poll only notes how things are${unless}`;
	const building =
		'<b>While you build the workflow</b>, Fetch Test Event shows samples of what is there now. They are not remembered.';
	const executions =
		'These executions are in the <a data-key="executions">list of executions</a>, under Executions, not here.';
	return {
		activationMessage: `${noted}, so nothing comes until something changes. A trigger that was published before goes on where it was.`,
		triggerPanel: {
			header: 'Fetch a test event',
			executionsHelp: {
				inactive: `${building}<br /><br /><b>Once it is published</b>, n8n polls at the times under Poll Times. ${noted}; what changes after that starts the workflow. ${executions}`,
				active: `${building}<br /><br /><b>The workflow is published</b>: what changes starts it, at the next poll. ${executions}`,
			},
			activationHint: {
				inactive: `Once it is published: ${noted.replace('The', 'the')}. What changes after that starts the workflow.`,
				active: 'The workflow is published: what changes starts it. See Executions.',
			},
		},
	};
}
