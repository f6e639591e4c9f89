const { src, dest, series } = require('gulp');

/** Icons keep their folder: nodes and credentials name them relative to their own compiled file. */
function copyIcons() {
	return src('icons/**/*.svg', { encoding: false }).pipe(dest('dist/icons'));
}

/** Codex (search words and documentation links) and output schemas stand beside the node they describe. */
function copyNodeFiles() {
	return src(['nodes/**/*.node.json', 'nodes/**/__schema__/**/*.json'], { base: '.' }).pipe(dest('dist'));
}

exports.build = series(copyIcons, copyNodeFiles);
