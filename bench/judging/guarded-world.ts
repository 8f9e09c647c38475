import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signUp, testClient } from '../../packages/server/src/testing/test-client.ts';
import { freePort, serveProcess } from '../../test/support/server-process.ts';
import { processes } from './processes.ts';

/** The built server, as `npm start` runs it, with flags whose guarded releases watch error rates. */
export async function guardedWorld() {
  const dataDir = mkdtempSync(join(tmpdir(), 'fanion-judging-'));
  const server = await serveProcess(dataDir, await freePort());
  const user = await signUp(server.base);
  const sdkKey = await user.sdkKey();
  const token = await user.token(['telemetry:ingest']);
  const path = (flag: string) => `${user.project}/environments/production/flags/${flag}`;
  const expectStatus = (status: number, answer: { readonly status: number; readonly text: string }) => {
    if (answer.status !== status) throw new Error(`${answer.status}: ${answer.text}`);
  };

  return {
    port: Number(new URL(server.base).port),
    sdkKey,
    token,

    /** A flag whose variant `true` is served to nobody yet. */
    async addFlag(flag: string): Promise<void> {
      expectStatus(201, await user.post(`${user.project}/flags`, { key: flag, name: flag, kind: 'boolean' }));
      const targeting = { enabled: true, off_variant: 'false', fallthrough: { variant: 'false' }, version: 0 };
      expectStatus(200, await user.put(path(flag), { ...targeting, targets: [], rules: [] }));
    },

    async arm(flag: string, guard: { readonly tolerance: number; readonly min_units: number }): Promise<void> {
      const release = {
        variant: 'true',
        steps: [{ weight: 50_000, hold: '7d' }],
        guards: [{ metric: 'error_rate', ...guard }],
      };
      expectStatus(200, await user.put(`${path(flag)}/guarded-release`, release));
      expectStatus(200, await user.post(`${path(flag)}/guarded-release/arm`));
    },

    async release(flag: string): Promise<{ state: string; looks: number; ended_reason: string | null }> {
      return (await user.get(`${path(flag)}/guarded-release`)).data;
    },

    async releases(): Promise<readonly { state: string; looks: number }[]> {
      return (await user.get(`${user.project}/guarded-releases?limit=500`)).data;
    },

    /** What a unit gets now. */
    async variant(flag: string, unit: string): Promise<string> {
      const sdk = testClient(server.base, { bearer: sdkKey });
      return (await sdk.post(`/ofrep/v1/evaluate/flags/${flag}`, { context: { targetingKey: unit } })).json.variant;
    },

    /** Seconds of processor time of the server, and of the stores that it has started. */
    cpu(): { readonly server: number; readonly stores: number } {
      const main = server.child.pid;
      let [own, stores] = [0, 0];
      for (const { pid, parent, seconds } of processes()) {
        if (pid === main) own += seconds;
        else if (parent === main) stores += seconds;
      }
      return { server: own, stores };
    },

    async stop(): Promise<void> {
      await server.end('SIGTERM');
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
