import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** The published package, installed in a project with nothing but OpenFeature. */
const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url));
let project: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'fanion-sdk-package-'));
  const packed = join(project, 'packed');
  await run(process.execPath, [join(root, 'scripts/bundle.mjs'), join(packed, 'dist')]);
  for (const name of ['package.json', 'README.md']) await cp(join(root, name), join(packed, name));
  // From the tarball, so that files that `files` omits are missing here too.
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--silent'], { cwd: packed });
  const installed = join(project, 'node_modules/@fanion/sdk');
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', join(packed, stdout.trim()), '-C', installed, '--strip-components=1']);
  for (const name of ['@openfeature', '@opentelemetry', '@types', 'undici-types']) {
    await symlink(join(modules, name), join(project, 'node_modules', name));
  }
});
afterAll(() => rm(project, { recursive: true, force: true }));

/** Evaluates a flag of a ruleset from its own server. */
const program = `
const ruleset = { version: 1, environment: 'e', project: 'p', segments: {}, flags: { f: {
  key: 'f', kind: 'boolean', version: 1, enabled: true, off_variant: 'on', fallthrough: { variant: 'on' },
  variants: [{ key: 'on', value: true }], targets: [], salt: 's', prerequisites: [],
  rules: [{ id: 'r', salt: 's', clauses: [{ attribute: 'x', op: 'matches', values: ['^a+$'] }], variant: 'on' }],
} } };
const server = http.createServer((_, response) => response.end(JSON.stringify({ data: ruleset })));
server.listen(0, '127.0.0.1', async () => {
  const endpoint = 'http://127.0.0.1:' + server.address().port;
  await OpenFeature.setProviderAndWait(new FanionProvider({ endpoint, sdkKey: 'k', streaming: false }));
  const { value, reason } = await OpenFeature.getClient().getBooleanDetails('f', false, { x: 'aaa' });
  console.log(value, reason);
  // Not closed: the provider must not keep the process alive.
  server.close();
});
`;

describe('the published package', () => {
  it.each([
    [
      'import',
      'program.mjs',
      `import { FanionProvider } from '@fanion/sdk'; import { OpenFeature } from '@openfeature/server-sdk'; import http from 'node:http';`,
    ],
    [
      'require',
      'program.cjs',
      `const { FanionProvider } = require('@fanion/sdk'); const { OpenFeature } = require('@openfeature/server-sdk'); const http = require('node:http');`,
    ],
  ])('evaluates after %s, and lets the process end', async (_, file, head) => {
    await writeFile(join(project, file), head + program);
    // require() of ES modules would hide a broken CommonJS build.
    const flags = file.endsWith('.cjs') ? ['--no-experimental-require-module'] : [];
    const { stdout } = await run(process.execPath, [...flags, file], { cwd: project });
    expect(stdout.trim()).toBe('true TARGETING_MATCH');
  });

  it.each([
    ['node16', 'node16', ['use.mts', 'use.cts']],
    ['nodenext', 'nodenext', ['use.mts', 'use.cts']],
    ['esnext', 'bundler', ['use.mts', 'use.ts']],
  ])('has types for module %s, resolved as %s', async (module, moduleResolution, files) => {
    const use = `
      import { FanionProvider, type FanionProviderOptions } from '@fanion/sdk';
      import { OpenFeature } from '@openfeature/server-sdk';
      import type { Logger } from '@opentelemetry/api-logs';
      declare const logger: Logger;
      const options: FanionProviderOptions = { endpoint: 'http://localhost', sdkKey: 'k', exposures: { logger } };
      OpenFeature.setProvider(new FanionProvider(options));
      // @ts-expect-error the key is needed
      new FanionProvider({ endpoint: 'http://localhost' });
    `;
    for (const file of files) await writeFile(join(project, file), use);
    const compilerOptions = {
      module,
      moduleResolution,
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      types: ['node'],
    };
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    const tsc = join(modules, 'typescript/bin/tsc');
    const { stdout } = await run(process.execPath, [tsc, '-p', project]).catch((error: { stdout: string }) => error);
    expect(stdout).toBe('');
  });

  it('lists the licenses of the code that it contains', async () => {
    const notices = await readFile(join(project, 'node_modules/@fanion/sdk/dist/THIRD-PARTY-NOTICES.md'), 'utf8');
    expect(notices).toContain('re2js');
    expect(notices).toMatch(/MIT|BSD/);
  });
});
