import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { until } from '../../packages/server/src/testing/test-client.ts';
import { startTestPostgres } from '../../packages/server/src/testing/test-database.ts';
import { freePort } from '../../test/support/server-process.ts';
import { postRequest } from '../support/load.ts';
import { bulkFlags, type Contender, type Context, countries, flagKeys, isDivided, requestsOf } from './contender.ts';
import { newerNode, skipped } from './peers.ts';

/**
 * Unleash's own endpoint for applications, `POST /api/frontend`. It has none for a single flag, so the first run has
 * one flag only.
 */
export async function startUnleash(): Promise<Contender | undefined> {
  const node = newerNode();
  if (node === undefined) return undefined;
  const postgres = await startTestPostgres();
  const { connection } = postgres;
  const port = await freePort();
  const [admin, frontend] = ['*:*.benchadmin', 'default:development.benchpage'];
  const child = spawn(node, [fileURLToPath(new URL('../peers/unleash.mjs', import.meta.url))], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      DATABASE_HOST: 'host' in connection ? connection.host : '',
      DATABASE_USER: 'user' in connection ? connection.user : 'postgres',
      PORT: String(port),
      ADMIN_TOKEN: admin,
      FRONTEND_TOKEN: frontend,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const stop = async () => {
    child.kill('SIGKILL');
    await postgres.close();
  };
  await until(async () => output.includes('it listens') || child.exitCode !== null, 90_000);
  if (child.exitCode !== null) {
    skipped('unleash-server', `it ended: ${output.slice(-300)}`);
    await stop();
    return undefined;
  }
  const api = async (path: string, body: unknown) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/admin/projects/default/features${path}`, {
      method: 'POST',
      headers: { authorization: admin, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`unleash-server: ${path}: ${response.status} ${await response.text()}`);
  };
  const create = async (key: string) => {
    await api('', { name: key, type: 'release' });
    const strategies = `/${key}/environments/development/strategies`;
    const constraints = [{ contextName: 'country', operator: 'IN', values: countries }];
    await api(strategies, { name: 'default', constraints, parameters: {} });
    const parameters = { rollout: '50', stickiness: 'userId', groupId: key };
    if (isDivided(key)) await api(strategies, { name: 'flexibleRollout', constraints: [], parameters });
    await api(`/${key}/environments/development/on`, {});
  };
  const asked = ({ targetingKey, ...properties }: Context) => ({ context: { userId: targetingKey, properties } });
  // It answers with the flags that are on: in Germany, all.
  const served = (count: number) =>
    until(async () => {
      const response = await fetch(`http://127.0.0.1:${port}/api/frontend`, {
        method: 'POST',
        headers: { authorization: frontend, 'content-type': 'application/json' },
        body: JSON.stringify(asked({ targetingKey: 'user-1', country: 'DE', plan: 'pro' })),
      });
      return ((await response.json()) as { toggles?: unknown[] }).toggles?.length === count;
    }, 60_000);
  await create(flagKeys[0] ?? '');
  await served(1);
  const request = (context: Context) => postRequest('/api/frontend', asked(context), { authorization: frontend });
  return {
    name: 'unleash-server',
    port,
    pid: child.pid ?? 0,
    requests: requestsOf({ single: request, bulk: request }),
    async prepareBulk() {
      for (const key of flagKeys.slice(1)) await create(key);
      await served(bulkFlags);
    },
    target: { single: 6, bulk: 8, contexts: 8 },
    stop,
  };
}
