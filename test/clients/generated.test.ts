import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, signUp, testClient } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';
import { outputOf } from './support.ts';

/*
 * Clients that generators of others make from the served API document. Each is generated, checked, and makes the same calls;
 * what the calls return shows that names, optional fields, unions and errors are understood.
 */

const run = promisify(execFile);
const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
/** `FANION_TEST_PYTHON`: the Python of an environment with openapi-python-client 0.29.1, as `.ci/run` creates it. */
const python = process.env.FANION_TEST_PYTHON ?? 'python3';
const generator = join(dirname(python), 'openapi-python-client');
const version = outputOf(generator, ['--version'], 'no openapi-python-client; set FANION_TEST_PYTHON');
const timeout = 240_000;

let server: TestServer;
let user: SignedUp;
let directory: string;
let document: string;

beforeAll(async () => {
  server = await startTestServer();
  user = await signUp(server.base);
  directory = await mkdtemp(join(tmpdir(), 'fanion-generated-'));
  document = join(directory, 'openapi.json');
  await writeFile(document, (await testClient(server.base).get('/api/v1/openapi.json')).text);
});
afterAll(async () => {
  await server?.stop();
  if (directory !== undefined) await rm(directory, { recursive: true, force: true });
});

/** Runs a program that makes the calls, and returns what it prints. */
async function call(program: string, args: readonly string[], env: Record<string, string> = {}) {
  const permissions = [
    'projects:write',
    'flags:read',
    'flags:write',
    'tokens:write',
    'telemetry:query',
    'alerts:write',
  ];
  const token = await user.token([...permissions, 'dashboards:write'], {});
  const { stdout } = await run(program, args, {
    env: { ...process.env, FANION_BASE: server.base, FANION_WORKSPACE: user.workspaceId, FANION_TOKEN: token, ...env },
    timeout,
  });
  return JSON.parse(stdout);
}

const told = (project: string) => ({
  server: 'fanion',
  project,
  variants: ['true', 'false'],
  flags: ['new-checkout'],
  next_cursor: null,
  weights: [['true', 100_000]],
  writes: 1,
  value: true,
  rows: [[0]],
  every: '1m',
  panels: ['requests'],
  error: 'SVC-4001',
});

describe('a generated client', () => {
  it(
    'in TypeScript has the types of what it calls',
    async () => {
      const out = join(directory, 'typescript');
      await mkdir(out);
      const cli = at('../../node_modules/swagger-typescript-api/dist/cli.mjs');
      await run(process.execPath, [
        cli,
        'generate',
        '-p',
        document,
        '-o',
        out,
        '-n',
        'api.ts',
        '--generate-union-enums',
      ]);
      await copyFile(at('./generated/calls.ts'), join(out, 'calls.ts'));
      await symlink(at('../../node_modules'), join(out, 'node_modules'));
      await writeFile(join(out, 'package.json'), '{"type":"module"}');
      const compilerOptions = {
        ...{ strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true, types: ['node'] },
        ...{ target: 'es2022', module: 'nodenext', lib: ['es2023', 'dom', 'dom.iterable'] },
      };
      await writeFile(join(out, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['calls.ts'] }));
      await run(process.execPath, [at('../../node_modules/typescript/bin/tsc'), '-p', out]).catch((error) => {
        throw new Error(error.stdout);
      });
      const tsx = at('../../node_modules/tsx/dist/cli.mjs');
      expect(await call(process.execPath, [tsx, join(out, 'calls.ts')])).toEqual(told('typescript'));
    },
    timeout,
  );

  it.skipIf(version === undefined)(
    'in Python imports, and calls',
    async () => {
      const out = join(directory, 'python');
      await mkdir(out);
      const config = join(directory, 'python.yaml');
      await writeFile(config, 'post_hooks: []\n');
      const args = ['generate', '--path', document, '--output-path', join(out, 'fanion_client')];
      const { stdout, stderr } = await run(generator, [...args, '--meta', 'none', '--config', config]);
      // What it leaves out are protocols other than JSON.
      const lost = (stdout + stderr).split('\n').filter((line) => /^(Unable|Attempted|Cannot|Unsupported)/.test(line));
      expect(
        lost.filter((line) => !/x-protobuf|x-ndjson|application\/yaml|content type text\/plain/.test(line)),
      ).toEqual([]);
      expect(await call(python, [at('./python/generated.py')], { PYTHONPATH: out })).toEqual(told('python'));
    },
    timeout,
  );
});
