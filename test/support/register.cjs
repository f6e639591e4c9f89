// Lets a plain Node process require the tests' TypeScript as CommonJS: n8n-core and n8n-workflow are CommonJS packages,
// and memory and CPU are measured in processes without Jest. Usage: node --require ./test/support/register.cjs -e "…"
const { readFileSync } = require('node:fs');
const { transformSync } = require('@swc/core');

require.extensions['.ts'] = (module, filename) => {
	const { code } = transformSync(readFileSync(filename, 'utf8'), {
		filename,
		module: { type: 'commonjs' },
		jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
	});
	module._compile(code, filename);
};
