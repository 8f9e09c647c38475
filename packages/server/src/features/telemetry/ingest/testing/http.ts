import { cp, mkdtemp } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import { registerIngestProtocols } from '../../../../protocols/index.ts';
import { type Authenticate, Ingest, type IngestLimits, type IngestPrincipal } from '../index.ts';
import { quietLog } from './store.ts';

export const principal: IngestPrincipal = {
  workspaceId: '018f0000-0000-7000-8000-000000000001',
  workspace: 7,
  projectId: '018f0000-0000-7000-8000-000000000002',
  project: 9,
  environment: 'production',
  retentionDays: { traces: 30, logs: 30, metrics: 90, profiles: 30 },
  tokenId: '018f0000-0000-7000-8000-000000000003',
};

export interface TestServer {
  base: string;
  dataDir: string;
  ingest: Ingest;
  /** As the HTTP endpoints configure it. */
  authenticate: Authenticate;
  send(signal: string, body: Uint8Array | string, headers?: Record<string, string>): Promise<Response>;
  close(): Promise<void>;
}

export interface TestServerOptions {
  clickhouse: { url: string; database: string };
  dataDir?: string;
  limits?: Partial<IngestLimits>;
  walMaxBytes?: number;
  /** Of the token `good`. */
  project?: number;
}

/** A fresh directory below that of the test run, which is removed as a whole. */
export function temporaryDir(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'fanion-ingest-'));
}

export async function copyDataDir(dir: string): Promise<string> {
  const copy = await temporaryDir();
  await cp(dir, copy, { recursive: true });
  return copy;
}

/** The tokens `good` and `other` (of another project) pass, `weak` lacks the permission, `often` is rate limited. */
export const authenticate: Authenticate = async (authorization) => {
  if (authorization === 'Bearer good') return principal;
  if (authorization === 'Bearer other') return { ...principal, project: 10 };
  if (authorization === 'Bearer weak') return { denied: 403, message: 'permission denied: telemetry:ingest required' };
  if (authorization === 'Bearer often') return { denied: 429, message: 'too many wrong tokens', retryAfter: 7 };
  return { denied: 401, message: 'no valid token' };
};

/** Ingest behind HTTP on a free port, for the tokens of {@link authenticate}. */
export async function startTestServer(options: TestServerOptions): Promise<TestServer> {
  const dataDir = options.dataDir ?? (await temporaryDir());
  const ingest = await Ingest.open({
    dataDir,
    clickhouse: options.clickhouse,
    walMaxBytes: options.walMaxBytes ?? 1024 ** 3,
    fsync: true,
    log: quietLog,
    clock: { now: () => Date.now() },
    limits: { segmentAgeMs: 100, minFreeBytes: 0, ...options.limits },
  });
  const app = Fastify();
  const { project = principal.project } = options;
  const authenticateIt: Authenticate = async (...sent) => {
    const found = await authenticate(...sent);
    return found === principal ? { ...principal, project } : found;
  };
  registerIngestProtocols(app, ingest.receiver(authenticateIt));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const base = `http://127.0.0.1:${port}`;
  return {
    base,
    dataDir,
    ingest,
    authenticate: authenticateIt,
    send: (signal, body, headers = {}) =>
      fetch(`${base}/v1/${signal}`, {
        method: 'POST',
        headers: { authorization: 'Bearer good', 'content-type': 'application/x-protobuf', ...headers },
        body: typeof body === 'string' ? body : new Uint8Array(body),
      }),
    async close() {
      await app.close();
      await ingest.stop();
    },
  };
}
