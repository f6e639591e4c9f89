const { availableParallelism } = require('node:os');

// npm run test:deep sets DEEP (test/support/draws.ts): the same random tests, *.deep.test.ts, with more draws, and what only
// shows with large amounts: *.scale.test.ts.
const kinds = process.env.DEEP ? '*.{deep,scale}.test.ts' : '!(*.scale).test.ts';

/** @type {import('jest').Config} */
module.exports = {
	testEnvironment: 'node',
	testMatch: [`<rootDir>/test/**/${kinds}`],
	testPathIgnorePatterns: ['/node_modules/', '/test/n8n/'],
	modulePathIgnorePatterns: ['<rootDir>/test/n8n/'],
	globalSetup: '<rootDir>/test/support/beforeAll.ts',
	setupFiles: ['<rootDir>/test/support/setup.ts', '<rootDir>/test/support/seed.ts'],
	transform: {
		'^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }],
	},
	// Many tests wait for the stand-in.
	maxWorkers: availableParallelism() + 1,
	// Under Node 20 what a test file has loaded is never freed, and collecting garbage takes ever longer.
	workerIdleMemoryLimit: '1GB',
	// Large amounts take a minute where n8n runs beside them.
	testTimeout: process.env.DEEP ? 300_000 : 120_000,
};
