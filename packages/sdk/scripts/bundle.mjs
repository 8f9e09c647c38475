// Builds the published files: one each for `import` and `require`, including the engine and its regular expressions, so
// that the package installs nothing besides OpenFeature. `node scripts/bundle.mjs [<out dir>]`, after `tsc -b`.
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const out = resolve(process.argv[2] ?? dist);
/** The declarations of the package's public API; they name no type of the engine. */
const declarations = ['index.d.ts', 'options.d.ts', 'provider.d.ts'];

for (const format of ['esm', 'cjs']) {
  const { metafile } = await build({
    entryPoints: [join(dist, 'index.js')],
    outfile: join(out, format, 'index.js'),
    format,
    bundle: true,
    absWorkingDir: root,
    platform: 'node',
    target: 'node20',
    external: ['@openfeature/server-sdk'],
    sourcemap: true,
    sourcesContent: false,
    legalComments: 'inline',
    metafile: true,
    logLevel: 'warning',
  });
  await checkContents(metafile);
}

// The CommonJS files need their own package.json and declarations.
const cjs = join(out, 'cjs');
await writeFile(join(cjs, 'package.json'), '{ "type": "commonjs" }\n');
for (const file of declarations) {
  if (/@fanion\//.test(await readFile(join(dist, file), 'utf8'))) throw new Error(`${file} names a type of the engine`);
  await copyFile(join(dist, file), join(cjs, file));
  if (out !== dist) await copyFile(join(dist, file), join(out, file));
}

await copyFile(join(root, '../../LICENSE'), join(out, 'LICENSE'));
const require = createRequire(join(root, '../flag-engine/package.json'));
const licence = await readFile(join(dirname(require.resolve('re2js')), '..', 'LICENSE'), 'utf8');
await writeFile(
  join(out, 'THIRD-PARTY-NOTICES.md'),
  `# Third-party notices\n\nThe files in \`dist/esm\` and \`dist/cjs\` contain [re2js](https://github.com/le0pard/re2js):\n\n\`\`\`\n${licence.trim()}\n\`\`\`\n`,
);

/** Rejects unexpected contents, whose license would have to be listed. */
async function checkContents(metafile) {
  const known = /^(\.\.\/flag-engine\/)?dist\/|^(\.\.\/)*node_modules\/re2js\//;
  const strange = Object.keys(metafile.inputs).filter((input) => !known.test(input));
  if (strange.length > 0) throw new Error(`the bundle would contain ${strange.join(', ')}`);
}
