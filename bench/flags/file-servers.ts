import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../packages/server/src/testing/test-client.ts';
import { freePort } from '../../test/support/server-process.ts';
import { postRequest } from '../support/load.ts';
import { type Contender, type Context, countries, flagKeys, isDivided, oneContext, requestsOf } from './contender.ts';

interface FileServer {
  readonly name: string;
  readonly path: string;
  readonly files: (port: number) => Readonly<Record<string, unknown>>;
  readonly args: (directory: string, port: number, other: number) => readonly string[];
  /** Which of the two free ports answers. */
  readonly answers: 'first' | 'second';
}

/** A server of OFREP that reads its flags from a file. */
async function fromFile({ name, path, files, args, answers }: FileServer): Promise<Contender> {
  const directory = mkdtempSync(join(tmpdir(), 'fanion-bench-peer-'));
  const [first, second] = [await freePort(), await freePort()];
  for (const [file, content] of Object.entries(files(first)))
    writeFileSync(join(directory, file), JSON.stringify(content));
  const child = spawn(path, args(directory, first, second), { cwd: directory, stdio: 'ignore' });
  const port = answers === 'first' ? first : second;
  const [single, bulk] = ['/ofrep/v1/evaluate/flags/flag-0', '/ofrep/v1/evaluate/flags'];
  await until(async () => {
    const answer = await fetch(`http://127.0.0.1:${port}${single}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ context: oneContext }),
    }).catch(() => undefined);
    return answer?.ok === true && ((await answer.json()) as { value?: unknown }).value === true;
  }, 30_000);
  return {
    name,
    port,
    pid: child.pid ?? 0,
    requests: requestsOf({
      single: (context: Context) => postRequest(single, { context }),
      bulk: (context: Context) => postRequest(bulk, { context }),
    }),
    target: { single: 1, bulk: 1, contexts: 1 },
    stop() {
      child.kill('SIGKILL');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const variations = { on: true, off: false };
const forEach = (flag: (key: string) => unknown) => Object.fromEntries(flagKeys.map((key) => [key, flag(key)]));
const halves = {
  fractional: [
    ['on', 50],
    ['off', 50],
  ],
};

export const startFlagd = (path: string): Promise<Contender> =>
  fromFile({
    name: 'flagd',
    path,
    files: () => ({
      'flags.json': {
        flags: forEach((key) => ({
          state: 'ENABLED',
          variants: variations,
          defaultVariant: 'off',
          targeting: { if: [{ in: [{ var: 'country' }, countries] }, 'on', isDivided(key) ? halves : 'off'] },
        })),
      },
    }),
    args: (directory, first, second) => [
      'start',
      '--uri',
      `file:${join(directory, 'flags.json')}`,
      '--port',
      String(first),
      '--ofrep-port',
      String(second),
      '--management-port',
      '0',
      '--sync-port',
      '0',
    ],
    answers: 'second',
  });

/** Its configuration and flags are YAML, which JSON is a part of. */
export const startGoFeatureFlag = (path: string): Promise<Contender> =>
  fromFile({
    name: 'GO Feature Flag relay proxy',
    path,
    files: (port) => ({
      'goff.yaml': {
        server: { mode: 'http', port },
        loglevel: 'error',
        pollingInterval: 60_000,
        disableVersionHeader: true,
        retrievers: [{ kind: 'file', path: 'flags.yaml' }],
      },
      'flags.yaml': forEach((key) => ({
        variations,
        targeting: [{ query: `country in [${countries.map((each) => `"${each}"`).join(', ')}]`, variation: 'on' }],
        defaultRule: isDivided(key) ? { percentage: { on: 50, off: 50 } } : { variation: 'off' },
      })),
    }),
    args: (directory) => ['--config', join(directory, 'goff.yaml')],
    answers: 'first',
  });
