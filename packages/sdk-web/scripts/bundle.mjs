// Builds the published files: one each for `import` and `require`. `node scripts/bundle.mjs [<out dir>]`, after `tsc -b`.
import { copyFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const out = resolve(process.argv[2] ?? dist);
const declarations = ['index.d.ts', 'options.d.ts', 'provider.d.ts'];

for (const format of ['esm', 'cjs']) {
  const { metafile } = await build({
    entryPoints: [join(dist, 'index.js')],
    outfile: join(out, format, 'index.js'),
    format,
    bundle: true,
    absWorkingDir: root,
    platform: 'browser',
    target: 'es2020',
    external: ['@openfeature/web-sdk'],
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    logLevel: 'warning',
  });
  // Code of others would need its license here.
  const strange = Object.keys(metafile.inputs).filter((input) => !input.startsWith('dist/'));
  if (strange.length > 0) throw new Error(`the bundle would contain ${strange.join(', ')}`);
}

// The CommonJS files need their own package.json and declarations.
const cjs = join(out, 'cjs');
await writeFile(join(cjs, 'package.json'), '{ "type": "commonjs" }\n');
for (const file of declarations) {
  await copyFile(join(dist, file), join(cjs, file));
  if (out !== dist) await copyFile(join(dist, file), join(out, file));
}
await copyFile(join(root, '../../LICENSE'), join(out, 'LICENSE'));
