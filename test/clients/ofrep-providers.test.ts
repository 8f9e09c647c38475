import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, signUp, testClient } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';
import { flagsOf } from '../flags/support.ts';
import { outputOf } from './support.ts';

const run = promisify(execFile);
const script = fileURLToPath(new URL('./python/flags.py', import.meta.url));

/** `FANION_TEST_PYTHON`: a Python with `openfeature-sdk` and `openfeature-provider-ofrep`. */
const python = process.env.FANION_TEST_PYTHON ?? 'python3';
const bin = outputOf(
  python,
  ['-c', 'import openfeature.contrib.provider.ofrep, sys; print(sys.executable)'],
  `${python} lacks OpenFeature's OFREP provider; set FANION_TEST_PYTHON`,
);

/** The claims of docs/compatibility.md about OFREP providers in other languages. */
describe('OFREP providers of other languages', () => {
  let server: TestServer;
  let user: SignedUp;
  let key: string;

  beforeAll(async () => {
    server = await startTestServer();
    user = await signUp(server.base, 'languages');
    key = await user.sdkKey();
    const flags = flagsOf(user);
    const numbers = (...values: number[]) => ({
      kind: 'number',
      variants: values.map((value, i) => ({ key: `v${i}`, value })),
    });
    await flags.create('factor', numbers(1, 0.5));
    await flags.serve('factor', { fallthrough: { variant: 'v0' } });
    await flags.create('count', numbers(1, 2));
    await flags.serve('count', { fallthrough: { variant: 'v0' } });
    await flags.create('off');
    await flags.create('none', { kind: 'boolean', off_variant: null });
  });
  afterAll(() => server?.stop());

  it.skipIf(bin === undefined)(
    'Python: numbers by the kind of the flag, off flags, code defaults, unknown flags',
    async () => {
      const calls = [
        ['float', 'factor', 9.5],
        ['integer', 'count', 9],
        ['boolean', 'off', true],
        ['boolean', 'none', true],
        ['boolean', 'unknown', true],
      ];
      const { stdout } = await run(python, [script, server.base, key, JSON.stringify(calls)], { timeout: 100_000 });
      expect(JSON.parse(stdout)).toEqual([
        [1, 'DEFAULT', null],
        [1, 'DEFAULT', null],
        [false, 'DISABLED', null],
        // The caller's default, as required; this provider reads `variant` although the protocol does not require it.
        [true, 'ERROR', 'GENERAL'],
        [true, 'ERROR', 'FLAG_NOT_FOUND'],
      ]);
      // "1.0" if a double is requested.
      expect(stdout).toMatch(/^\[\[1\.0, .*\[1, /);
    },
  );

  it('Go: returns the code default for an off flag, so that must be the off value', async () => {
    const ask = async (flag: string, fallback: unknown) => {
      const { json } = await testClient(server.base, { bearer: key }).post(`/ofrep/v1/evaluate/flags/${flag}`, {
        context: {},
      });
      return goProvider(json, fallback);
    };
    expect(await ask('off', false)).toEqual({ value: false, reason: 'DISABLED' });
    expect(await ask('off', true)).toEqual({ value: true, reason: 'DISABLED' });
    expect(await ask('none', true)).toEqual({ value: true, reason: 'DISABLED' });
    expect(await ask('factor', 9.5)).toEqual({ value: 1, reason: 'DEFAULT' });
  });
});

/** The rule of `providers/ofrep` 0.1.7 for a successful answer: the value is ignored if the reason is DISABLED. */
function goProvider({ value, reason }: { readonly value?: unknown; readonly reason: string }, fallback: unknown) {
  if (reason === 'DISABLED') return { value: fallback, reason };
  if (typeof value !== typeof fallback) return { value: fallback, reason: 'ERROR' };
  return { value, reason };
}
