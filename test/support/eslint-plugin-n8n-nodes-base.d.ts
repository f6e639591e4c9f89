declare module 'eslint-plugin-n8n-nodes-base' {
	const plugin: import('eslint').ESLint.Plugin;
	export default plugin;
}
