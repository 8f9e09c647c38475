import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../platform/ids.ts';
import { type TestDatabase, type TestStore, testStores } from '../../../testing/test-database.ts';
import type { AnyChangeKind } from '../../change-kind.ts';
import { testControlPlane } from '../../testing/control-plane.ts';
import { flagChange, prerequisitesChange, targetingChange } from '../flags/index.ts';
import { applyChange } from './apply.ts';
import { changeJob } from './job.ts';
import * as store from './store.ts';

const kinds: AnyChangeKind[] = [targetingChange, flagChange, prerequisitesChange];

describe.each(testStores)('a waiting change of a kind that this server does not know, on %s', (_name, start) => {
  let stores: TestStore;
  let database: TestDatabase;
  beforeAll(async () => {
    stores = await start();
    database = await stores.fresh();
  });
  afterAll(async () => {
    await database?.close();
    await stores?.close();
  });

  it('is never applied: approval fails, the job fails, and the change stays unchanged', async () => {
    const { db } = database;
    // As the migration of a newer version does, while old and new servers run side by side during an upgrade.
    await sql`ALTER TABLE flag_changes DROP CONSTRAINT flag_changes_kind_check`.execute(db);
    const plane = testControlPlane(db);
    const { caller, workspace, project, production } = await plane.addTenant('acme');
    const flagId = newId();
    await db
      .insertInto('flags')
      .values({
        id: flagId,
        project_id: project.id,
        key: 'checkout',
        name: 'checkout',
        description: '',
        kind: 'boolean',
        variants: JSON.stringify([
          { key: 'true', value: true },
          { key: 'false', value: false },
        ]),
        default_variant: 'true',
        off_variant: 'false',
        tags: [],
        temporary: true,
        created_by: caller.user.id,
        updated_at: new Date(plane.clock.ms),
      })
      .execute();
    const id = newId();
    await store.insertChange(db, {
      id,
      project_id: project.id,
      kind: 'experiment' as 'flag',
      flag_id: flagId,
      segment_id: null,
      environment_id: production.id,
      status: 'scheduled',
      // A valid targeting, which would turn the flag on for everybody.
      payload: { enabled: true, off_variant: 'false', fallthrough: { variant: 'true' }, targets: [], rules: [] },
      diff: [],
      base_version: 0,
      needs: [],
      comment: null,
      apply_at: null,
      created_at: new Date(plane.clock.ms),
      created_by: caller.user.id,
    });
    const change = await store.findChange(db, project.id, id);
    if (change === undefined) throw new Error('the change is not there');
    const now = new Date(plane.clock.ms);
    const applied = db.transaction().execute((trx) => applyChange(trx, kinds, change, workspace.id, now));
    await expect(applied).rejects.toMatchObject({ error: 'CHANGE_KIND_UNKNOWN' });
    const run = {
      name: id,
      payload: { change: id },
      scheduledFor: now,
      epoch: 1,
      signal: new AbortController().signal,
      now: () => plane.clock.ms,
      commit: <T>(effects: (trx: typeof db) => Promise<T>) => db.transaction().execute(effects),
      finish: async (effects?: (trx: typeof db) => Promise<void>) => {
        if (effects !== undefined) await db.transaction().execute(effects);
      },
    };
    await expect(changeJob({ changeKinds: kinds, announce: async () => {} }).run(run)).rejects.toMatchObject({
      error: 'CHANGE_KIND_UNKNOWN',
    });
    expect((await store.findChange(db, project.id, id))?.status).toBe('scheduled');
    const written = await db.selectFrom('flag_targeting').select('flag_id').where('flag_id', '=', flagId).execute();
    expect(written).toEqual([]);
  });
});
