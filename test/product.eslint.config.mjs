import tseslint from 'typescript-eslint';

// The size of the product's functions. n8n's strict mode wants its own config, unchanged, at the root, so this rule has
// a file of its own: eslint --config test/product.eslint.config.mjs nodes credentials

export default tseslint.config({
	files: ['nodes/**/*.ts', 'credentials/**/*.ts'],
	languageOptions: { parser: tseslint.parser },
	rules: {
		complexity: ['error', 15],
		'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
	},
});
