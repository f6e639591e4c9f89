import js from '@eslint/js';
import { globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

import { literals } from './product.eslint.config.mjs';

// The default config of n8n's node-cli forbids timers and `process` everywhere; that rule is for code that runs inside n8n.
// The tests are linted by their own, type-aware rules instead.
export default tseslint.config(globalIgnores(['**/.cache/**', '**/node_modules/**']), {
	files: ['**/*.ts'],
	extends: [js.configs.recommended, tseslint.configs.recommendedTypeChecked],
	languageOptions: {
		parserOptions: { project: ['./tsconfig.json'], tsconfigRootDir: import.meta.dirname },
	},
	rules: {
		...literals,
		// Node's test runner waits for the tests itself.
		'@typescript-eslint/no-floating-promises': [
			'error',
			{ allowForKnownSafeCalls: [{ from: 'package', package: 'node:test', name: ['test'] }] },
		],
	},
});
