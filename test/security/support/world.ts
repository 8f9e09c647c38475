import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compose } from '../../../packages/server/src/compose.ts';
import { readConfig } from '../../../packages/server/src/config.ts';
import { systemClock } from '../../../packages/server/src/platform/clock.ts';
import { createLog } from '../../../packages/server/src/platform/log.ts';
import type { Database } from '../../../packages/server/src/platform/postgres/database.ts';
import { openStores } from '../../../packages/server/src/stores.ts';
import {
  addMember,
  type SignedUp,
  signUp,
  testClient,
  until,
} from '../../../packages/server/src/testing/test-client.ts';
import { startTestPostgres } from '../../../packages/server/src/testing/test-database.ts';

/** An owner and their workspace, with one resource of every kind. */
export interface Tenant extends SignedUp {
  readonly name: string;
  readonly productionId: string;
  readonly developmentId: string;
  /** A role without any permission. */
  readonly emptyRoleId: string;
  /** A second member, with the empty role. */
  readonly colleague: { readonly memberId: string; readonly email: string };
  readonly flagKey: string;
  readonly service: string;
  readonly traceId: string;
  /** The id of an alert instance that fires. Its rule is evaluated within ten seconds, while other tests run. */
  readonly instanceId: Promise<string>;
}

export interface World {
  readonly base: string;
  readonly db: Database;
  /** The server's whole log, at the most verbose level. */
  log(): string;
  readonly ada: Tenant;
  readonly eve: Tenant;
  stop(): Promise<void>;
}

/**
 * Two separate tenants, on a server that the test files of a worker share. It runs on real PostgreSQL,
 * whose tables the tests read.
 */
export async function startWorld(): Promise<World> {
  shared ??= startShared();
  const { base, db, lines } = await shared;
  const logged = lines.length;
  // All files sign up from one address, whose limit is for one of them.
  await db.deleteFrom('attempts').where('kind', '=', 'signup:address').execute();
  const [ada, eve] = [await settle(base, 'ada'), await settle(base, 'eve')];
  return { base, db, log: () => lines.slice(logged).join(''), ada, eve, stop: async () => {} };
}

let shared: ReturnType<typeof startShared> | undefined;

/** It ends with the worker, and its folder with the run. */
async function startShared(): Promise<{ base: string; db: Database; lines: readonly string[] }> {
  const postgres = await startTestPostgres();
  const { db, connection } = await postgres.fresh();
  const dataDir = await mkdtemp(join(tmpdir(), 'fanion-security-'));
  const config = readConfig({
    FANION_PORT: '0',
    FANION_OTLP_HTTP_PORT: '0',
    FANION_OTLP_GRPC_PORT: '0',
    FANION_FLAGD_PORT: '0',
    FANION_FLAGD_SYNC_PORT: '0',
    FANION_DATA_DIR: dataDir,
    FANION_LOG_LEVEL: 'trace',
    FANION_REQUESTS_PER_MINUTE: '1000000',
    FANION_ENGINE_MEMORY: '2GiB',
    FANION_SECRET_KEY: 'a secret key that nobody has to keep',
    DATABASE_URL: `postgres://${connection.user}@/${connection.database}?host=${encodeURIComponent(connection.host)}&port=${connection.port}`,
  });
  const lines: string[] = [];
  const log = createLog(config.logLevel, { write: (line: string) => void lines.push(line) });
  const app = await compose(config, {
    log,
    clock: systemClock,
    stores: openStores(config, log),
    webDirectory: undefined,
  });
  await app.listen();
  return { base: app.url, db, lines };
}

/** Throws if a test's own preparation fails, so that it is not mistaken for a rejection. */
export async function need<T extends { status: number; text: string }>(answer: Promise<T>): Promise<T> {
  const got = await answer;
  if (got.status >= 300) throw new Error(`preparation failed: ${got.status} ${got.text}`);
  return got;
}

async function settle(base: string, name: string): Promise<Tenant> {
  const owner = await signUp(base, `${name}-${randomBytes(4).toString('hex')}`);
  const { data: environments } = await need(owner.get(`${owner.project}/environments`));
  const [production, development] = environments as { id: string }[];
  const role = { name: 'Nobody', permissions: [] };
  const { data: emptyRole } = await need(owner.post(`${owner.workspace}/roles`, role));
  const colleague = await signUp(base, `${name}-colleague-${randomBytes(4).toString('hex')}`);
  const memberId = await addMember(owner, colleague, emptyRole.id);
  const flagKey = `flag-of-${name}`;
  await need(owner.post(`${owner.project}/flags`, { key: flagKey, name: flagKey, kind: 'boolean' }));
  const service = `service-of-${name}`;
  const traceId = randomBytes(16).toString('hex');
  const ingest = testClient(base, { bearer: await owner.token(['telemetry:ingest']) });
  await need(ingest.post('/v1/traces', spanOf(service, traceId)));
  await until(async () => (await owner.get(`/api/v1/services/${service}`)).status === 200);
  await until(async () => (await owner.get(`${owner.workspace}/traces/${traceId}`)).status === 200);
  const instanceId = firstInstance(owner);
  // A failure is reported to the tests that wait for it; without this, Node would end the process first.
  instanceId.catch(() => {});
  return {
    ...owner,
    // Some operations leave an owner with several workspaces, so the request names one.
    token: async (permissions, more = { project: owner.projectId, environment: 'production' }) => {
      const token = { name: `token ${randomBytes(4).toString('hex')}`, permissions, ...more };
      const { data } = await need(owner.post(`/api/v1/tokens?workspace=${owner.workspaceId}`, token));
      return data.token;
    },
    name,
    productionId: production?.id ?? '',
    developmentId: development?.id ?? '',
    emptyRoleId: emptyRole.id,
    colleague: { memberId, email: colleague.email },
    flagKey,
    service,
    traceId,
    instanceId,
  };
}

/** The instance of a new rule that always fires. */
async function firstInstance(owner: SignedUp): Promise<string> {
  const rule = await need(
    owner.post(`${owner.workspace}/alert-rules`, {
      name: 'Always',
      query: 'spans | stats value=count()',
      condition: { op: '>=', threshold: 0 },
      project: owner.projectId,
      every: '10s',
      window: '7d',
      offset: '0s',
    }),
  );
  const list = `${owner.workspace}/alert-instances?rule=${rule.data.id}`;
  return until(async () => (await need(owner.get(list))).data[0]?.id);
}

/** One span as OTLP/JSON. */
export function spanOf(service: string, traceId: string) {
  const now = BigInt(Date.now()) * 1_000_000n;
  return {
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: service } }] },
        scopeSpans: [
          {
            spans: [
              {
                traceId,
                spanId: randomBytes(8).toString('hex'),
                name: 'work',
                kind: 2,
                startTimeUnixNano: String(now - 1_000_000n),
                endTimeUnixNano: String(now),
                events: [
                  {
                    timeUnixNano: String(now - 500_000n),
                    name: 'exception',
                    attributes: [{ key: 'exception.type', value: { stringValue: `Error of ${service}` } }],
                  },
                ],
              },
            ],
          },
        ],
      },
    ],
  };
}
