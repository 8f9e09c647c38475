import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../platform/clock.ts';
import { newId } from '../../../platform/ids.ts';
import { createLog } from '../../../platform/log.ts';
import { connectDatabase } from '../../../platform/postgres/database.ts';
import { mintSecret } from '../../../platform/secrets.ts';
import { startOwnPostgres, type TestStore } from '../../../testing/test-database.ts';
import { testControlPlane } from '../../testing/control-plane.ts';
import { createAccess, createKnownKeys } from './index.ts';

describe('SDK keys while PostgreSQL is down', () => {
  let store: TestStore;
  let directory: string;
  beforeAll(async () => {
    store = await startOwnPostgres();
    directory = await mkdtemp(join(tmpdir(), 'fanion-outage-'));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('are accepted if they were valid, and rejected if they were revoked or never seen, also after a restart', async () => {
    // A separate connection, like a server's, which outlives the store.
    const connection = connectDatabase(store.connection, { maxConnections: 5, timeoutMs: 5_000, onError: () => {} });
    const { db } = connection;
    const tenant = await testControlPlane(db).addTenant('acme');
    const log = createLog('silent');
    const file = join(directory, 'keys.json');
    const addKey = async () => {
      const { secret, hash, prefix } = mintSecret('svc_sdk_');
      const id = newId();
      await db
        .insertInto('sdk_keys')
        .values({
          id,
          workspace_id: tenant.workspace.id,
          project_id: tenant.project.id,
          environment_id: tenant.production.id,
          name: 'key',
          kind: 'server',
          allowed_origins: [],
          prefix,
          secret_hash: hash,
          created_by: null,
          last_used_at: null,
          revoked_at: null,
        })
        .execute();
      return { id, credentials: { cookie: undefined, apiKey: undefined, authorization: `Bearer ${secret}` } };
    };
    const [good, revoked, unseen] = [await addKey(), await addKey(), await addKey()];
    const knownKeys = createKnownKeys({ file, log });
    const access = createAccess({ db, clock: systemClock, knownKeys });
    await access.sdkCaller(good.credentials);
    await access.sdkCaller(revoked.credentials);
    await db.updateTable('sdk_keys').set({ revoked_at: new Date() }).where('id', '=', revoked.id).execute();
    access.forget({ keyId: revoked.id });
    await knownKeys.flush();

    await store.close();
    const restarted = createAccess({ db, clock: systemClock, knownKeys: createKnownKeys({ file, log }) });
    for (const [name, one] of [
      ['running', access],
      ['restarted', restarted],
    ] as const) {
      expect(await one.sdkCaller(good.credentials), name).toMatchObject({ environmentId: tenant.production.id });
      for (const key of [revoked, unseen])
        await expect(Promise.resolve(one.sdkCaller(key.credentials)), name).rejects.toThrow();
    }
    await connection.close();
  });
});
