import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signUp, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { freePort, serveProcess } from '../../test/support/server-process.ts';
import { postRequest } from '../support/load.ts';
import { type Contender, countries, flagKeys, isDivided, oneContext, requestsOf } from './contender.ts';

export interface Ours extends Contender {
  /** Of SDKs on servers. */
  readonly key: string;
  /** Of pages and mobile applications. */
  readonly clientKey: string;
  readonly answers: { readonly single: string; readonly bulk: string };
}

/** The built server, as `npm start` runs it, with an SDK key. */
export async function startFanion(name = 'Fanion', env: Readonly<Record<string, string>> = {}): Promise<Ours> {
  const dataDir = mkdtempSync(join(tmpdir(), 'fanion-bench-'));
  const server = await serveProcess(dataDir, await freePort(), env);
  const user = await signUp(server.base);
  const halves = {
    weights: [
      { variant: 'true', weight: 50_000 },
      { variant: 'false', weight: 50_000 },
    ],
  };
  const writes = flagKeys.flatMap((key) => [
    { write: 'create_flag', key, name: key, kind: 'boolean' },
    {
      ...{
        write: 'set_targeting',
        flag: key,
        environment: 'production',
        version: 0,
        enabled: true,
        off_variant: 'false',
      },
      fallthrough: isDivided(key) ? { rollout: halves } : { variant: 'false' },
      rules: [{ clauses: [{ attribute: 'country', op: 'in', values: countries }], variant: 'true' }],
    },
  ]);
  const written = await user.post(`${user.project}/flag-batches`, { writes });
  if (written.status !== 200) throw new Error(written.text);
  const key = await user.sdkKey();
  const clientKey = await user.sdkKey('production', { kind: 'client' });
  const sdk = testClient(server.base, { bearer: key });
  const [single, bulk] = ['/ofrep/v1/evaluate/flags/flag-0', '/ofrep/v1/evaluate/flags'];
  await until(async () => (await sdk.post(single, { context: oneContext })).json?.value === true);
  const headers = { authorization: `Bearer ${key}` };
  return {
    name,
    key,
    clientKey,
    port: Number(new URL(server.base).port),
    pid: server.child.pid ?? 0,
    requests: requestsOf({
      single: (context) => postRequest(single, { context }, headers),
      bulk: (context) => postRequest(bulk, { context }, headers),
    }),
    target: { single: 1, bulk: 1, contexts: 1 },
    answers: {
      single: (await sdk.post(single, { context: oneContext })).text,
      bulk: (await sdk.post(bulk, { context: oneContext })).text,
    },
    async stop() {
      await server.end('SIGTERM');
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
