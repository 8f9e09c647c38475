import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectDatabase } from '../../packages/server/src/platform/postgres/database.ts';
import { probePostgres } from '../../packages/server/src/platform/postgres/probe.ts';
import { type SignedUp, signUp, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { startTestPostgres, type TestStore } from '../../packages/server/src/testing/test-database.ts';
import { flagsOf } from '../flags/support.ts';
import { type Pooler, pgbouncerVersion, startPooler } from '../support/pgbouncer.ts';
import { freePort, type ServerProcess, serveProcess } from '../support/server-process.ts';
import { type SharedStores, startSharedStores } from '../support/shared-stores.ts';

if (pgbouncerVersion === undefined) console.log('skipped: PgBouncer is not installed (apt-get install pgbouncer)');

/** A port at which nobody listens. */
const closed = 'localhost:1';

describe.skipIf(pgbouncerVersion === undefined)('addresses in DATABASE_URL, behind PgBouncer with TLS', () => {
  let store: TestStore;
  let primary: Pooler;
  let standby: Pooler;
  beforeAll(async () => {
    store = await startTestPostgres();
    const readOnly = await store.fresh();
    const { database } = readOnly.connection;
    await sql.raw(`ALTER DATABASE ${database} SET default_transaction_read_only = on`).execute(readOnly.db);
    primary = await startPooler(store.connection);
    standby = await startPooler(readOnly.connection);
  });
  afterAll(async () => {
    await Promise.all([primary?.stop(), standby?.stop()]);
    await store?.close();
  });

  const open = (hosts: readonly string[], query: string) =>
    connectDatabase(
      { url: `postgres://postgres@${hosts.join(',')}/fanion?${query}` },
      { maxConnections: 2, timeoutMs: 20_000, onError: () => {} },
    );
  const verified = ({ caFile }: Pooler) => `sslmode=verify-full&sslrootcert=${encodeURIComponent(caFile)}`;
  const write = async (hosts: readonly string[], query: string) => {
    const { db, close } = open(hosts, query);
    try {
      await sql`CREATE TABLE IF NOT EXISTS pg_temp_marker (n integer)`.execute(db);
      return 'written';
    } finally {
      await close();
    }
  };
  const at = ({ port }: Pooler) => `localhost:${port}`;

  it('pass over a server that does not answer', async () => {
    expect(await write([closed, at(primary)], verified(primary))).toBe('written');
  });

  it('pass over a standby, and find the server that takes writes', async () => {
    // Each has its own certificate, so that only the encryption is asked for here.
    expect(await write([at(standby), closed, at(primary)], 'sslmode=no-verify')).toBe('written');
    const url = `postgres://postgres@${at(standby)},${at(primary)}/fanion?sslmode=no-verify`;
    expect((await probePostgres(url, 10_000)).mayMigrate).toBe(true);
  });

  it('fail where none takes writes, and say so', async () => {
    await expect(write([closed, at(standby)], 'sslmode=no-verify')).rejects.toThrow(/takes no writes/);
  });

  it('refuse a certificate of an unknown authority, or of another name', async () => {
    await expect(write([at(primary)], 'sslmode=verify-full')).rejects.toThrow(/self-signed/);
    await expect(write([`127.0.0.1:${primary.port}`], verified(primary))).rejects.toThrow(/altnames/);
  });
});

describe.skipIf(pgbouncerVersion === undefined)('two servers on PgBouncer in transaction mode', () => {
  let stores: SharedStores;
  let pooler: Pooler;
  const servers: ServerProcess[] = [];
  let user: SignedUp;
  beforeAll(async () => {
    stores = await startSharedStores();
    pooler = await startPooler(stores.database);
    const options = `sslmode=verify-full&sslrootcert=${encodeURIComponent(pooler.caFile)}`;
    const DATABASE_URL = `postgres://postgres@${closed},localhost:${pooler.port}/fanion?${options}`;
    for (const name of ['one', 'two']) {
      mkdirSync(join(stores.directory, name));
      servers.push(await serveProcess(join(stores.directory, name), await freePort(), { ...stores.env, DATABASE_URL }));
    }
    user = await signUp(servers[0]?.base ?? '');
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.end('SIGKILL')));
    await pooler?.stop();
    await stores?.stop();
  });

  it('a change on one reaches the other within seconds, without a session of its own in PostgreSQL', async () => {
    const bearer = await user.sdkKey();
    const other = testClient(servers[1]?.base ?? '', { bearer });
    const evaluate = () => other.post('/ofrep/v1/evaluate/flags/pooled', { context: { targetingKey: 'u' } });
    const flags = flagsOf(user);
    await flags.create('pooled');
    for (const [variant, value] of [
      ['true', true],
      ['false', false],
      ['true', true],
    ] as const) {
      await flags.serve('pooled', { fallthrough: { variant } });
      // The outbox is polled each second; more is the machine's.
      await until(async () => (await evaluate()).json.value === value, 10_000);
    }
  });

  it('a burst of requests shares the five connections of the pooler', async () => {
    const answers = await Promise.all(
      servers.flatMap(({ base }) => {
        const client = testClient(base, { bearer: undefined });
        return [...Array(40).keys()].map(() => client.get('/readyz'));
      }),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const created = await Promise.all(
      [...Array(30).keys()].map((n) =>
        user.post(`${user.workspace}/saved-queries`, { name: `q ${n}`, query: 'spans | count' }),
      ),
    );
    expect(created.map(({ status }) => status)).toEqual(created.map(() => 201));
    expect(servers.map(({ output }) => /level":50|ERROR/.test(output()))).toEqual([false, false]);
  });
});
