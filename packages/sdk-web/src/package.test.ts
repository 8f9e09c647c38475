import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';

/** The published package, installed in a project with nothing but OpenFeature. */
const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url));
let project: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'fanion-sdk-web-'));
  const packed = join(project, 'packed');
  await run(process.execPath, [join(root, 'scripts/bundle.mjs'), join(packed, 'dist')]);
  for (const name of ['package.json', 'README.md']) await cp(join(root, name), join(packed, name));
  // From the tarball, so that files that `files` omits are missing here too.
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--silent'], { cwd: packed });
  const installed = join(project, 'node_modules/@fanion/sdk-web');
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', join(packed, stdout.trim()), '-C', installed, '--strip-components=1']);
  await symlink(join(modules, '@openfeature'), join(project, 'node_modules/@openfeature'));
});
afterAll(() => rm(project, { recursive: true, force: true }));

it('adds at most 10 kB to a page, minified and compressed', async () => {
  const page = join(project, 'page.js');
  await writeFile(page, `import { FanionWebProvider } from '@fanion/sdk-web'; window.provider = FanionWebProvider;`);
  const { outputFiles } = await build({
    entryPoints: [page],
    bundle: true,
    minify: true,
    format: 'esm',
    external: ['@openfeature/web-sdk'],
    write: false,
  });
  const bytes = gzipSync(outputFiles[0]?.contents ?? '').length;
  expect(bytes).toBeGreaterThan(500);
  expect(bytes).toBeLessThanOrEqual(10_000);
});

it.each([
  ['program.mjs', `import { FanionWebProvider } from '@fanion/sdk-web';`],
  ['program.cjs', `const { FanionWebProvider } = require('@fanion/sdk-web');`],
])('is loaded by %s', async (file, head) => {
  const program = `${head} const provider = new FanionWebProvider({ endpoint: 'http://localhost', clientKey: 'k' });
    console.log(provider.metadata.name, provider.resolveBooleanEvaluation('f', true).errorCode);`;
  await writeFile(join(project, file), program);
  // require() of ES modules would hide a broken CommonJS build.
  const flags = file.endsWith('.cjs') ? ['--no-experimental-require-module'] : [];
  const { stdout } = await run(process.execPath, [...flags, file], { cwd: project });
  expect(stdout.trim()).toBe('fanion-web PROVIDER_NOT_READY');
});

it.each([
  ['nodenext', 'nodenext', ['use.mts', 'use.cts']],
  ['esnext', 'bundler', ['use.mts', 'use.ts']],
])('has types for module %s, resolved as %s', async (module, moduleResolution, files) => {
  const use = `
    import { FanionWebProvider, type FanionWebProviderOptions } from '@fanion/sdk-web';
    import { OpenFeature } from '@openfeature/web-sdk';
    const options: FanionWebProviderOptions = { endpoint: 'http://localhost', clientKey: 'k' };
    OpenFeature.setProvider(new FanionWebProvider(options));
    // @ts-expect-error the key is needed
    new FanionWebProvider({ endpoint: 'http://localhost' });
  `;
  for (const file of files) await writeFile(join(project, file), use);
  const lib = ['es2022', 'dom'];
  const compilerOptions = { module, moduleResolution, lib, types: [], strict: true, noEmit: true, skipLibCheck: true };
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const tsc = join(modules, 'typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [tsc, '-p', project]).catch((error: { stdout: string }) => error);
  expect(stdout).toBe('');
});
