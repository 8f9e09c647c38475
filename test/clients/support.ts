import { execFileSync } from 'node:child_process';
import { expect } from 'vitest';
import { type SignedUp, signUp, until } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';
import { freePort } from '../support/server-process.ts';

/** A server to which a third-party client sends. */
export interface ClientWorld {
  readonly base: string;
  readonly grpcPort: number;
  readonly token: string;
  readonly user: SignedUp;
  /** The first value of the first row. */
  one(query: string): Promise<unknown>;
  /** Waits until a query returns a value. */
  gives(query: string, wanted: unknown): Promise<void>;
  stop(): Promise<void>;
}

/** @param window of the queries; by default the last hour */
export async function startClientWorld(
  env: Record<string, string> = {},
  window = { from: 'now-1h', to: 'now+5m' },
): Promise<ClientWorld> {
  const grpcPort = await freePort();
  const server: TestServer = await startTestServer({ env: { FANION_OTLP_GRPC_PORT: String(grpcPort), ...env } });
  const user = await signUp(server.base);
  const one = async (query: string) => {
    const answer = await user.post(`${user.workspace}/query`, { query, ...window });
    expect(answer.status, answer.text).toBe(200);
    return answer.data.rows[0]?.[0];
  };
  return {
    base: server.base,
    grpcPort,
    token: await user.token(['telemetry:ingest']),
    user,
    one,
    async gives(query, wanted) {
      let last: unknown;
      await until(async () => {
        last = await one(query);
        return last === wanted;
      }, 30_000).catch(() => expect(last, query).toBe(wanted));
    },
    stop: () => server.stop(),
  };
}

/** The output of a program, or `undefined` if it cannot be run; then logs the reason for skipping. */
export function outputOf(program: string, args: readonly string[], skipped: string): string | undefined {
  try {
    return execFileSync(program, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: 20_000 }).toString();
  } catch (error) {
    console.log(`skipped: ${skipped} (${error instanceof Error ? error.message.split('\n')[0] : error})`);
    return undefined;
  }
}
