import tseslint from 'typescript-eslint';

// The size of the product's functions, and how literals are written. n8n's strict mode wants its own config, unchanged, at
// the root, so these rules have a file of their own: eslint --config test/product.eslint.config.mjs nodes credentials scripts

/** An object or a list is read at once: its entries stand in it, and not in another literal that is spread into it. */
export const literals = {
	'no-restricted-syntax': [
		'error',
		{
			selector: 'SpreadElement > ObjectExpression, SpreadElement > ArrayExpression',
			message: 'Write these entries into the object or list itself.',
		},
	],
};

export default tseslint.config(
	{
		files: ['nodes/**/*.ts', 'credentials/**/*.ts'],
		languageOptions: { parser: tseslint.parser },
		rules: {
			...literals,
			complexity: ['error', 15],
			'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
		},
	},
	{ files: ['scripts/**/*.mjs'], rules: literals },
);
