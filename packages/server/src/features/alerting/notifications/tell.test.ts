import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestPglite, type TestDatabase, type TestStore } from '../../../testing/test-database.ts';
import type { Announcement } from './tell.ts';
import { type AlertingWorld, alertingWorld } from './testing/alerting-world.ts';
import { type Recorder, startRecorder } from './testing/recorder.ts';

let store: TestStore;
let database: TestDatabase;
let world: AlertingWorld;
let recorder: Recorder;
beforeAll(async () => {
  store = await startTestPglite();
  database = await store.fresh();
  world = await alertingWorld(database.db);
  recorder = await startRecorder(world.clock);
});
afterAll(async () => {
  await world?.stop();
  await recorder?.stop();
  await database?.close();
  await store?.close();
});

const tell = (changes: Partial<Announcement>) =>
  database.db.transaction().execute((trx) =>
    world.own.tell(
      trx,
      {
        workspaceId: world.tenant.workspace.id,
        channels: [],
        key: 'guarded_release:1',
        labels: { alertname: 'Guarded release of banner', severity: 'critical', flag: 'banner' },
        summary: 'The guarded release of banner was rolled back.',
        description: 'Error rate is worse.',
        path: '/w/ada/default/flags/banner',
        status: 'firing',
        ...changes,
      },
      new Date(world.clock.ms),
    ),
  );
const received = (path: string) => recorder.received.filter((one) => one.path === path);

it('notifies channels of an event that is not an alert, and retries until they accept it', async () => {
  const hook = await world.addChannel('hook', `${recorder.base}/hook`);
  let status = 503;
  recorder.answers(() => ({ status }));
  await tell({ channels: [hook, '019346e2-8b7a-7c4e-9d3f-5a6b7c8d9e0f'] });
  await world.own.engine.runDue();
  status = 200;
  world.clock.ms += 3_600_000 / 2;
  await world.own.engine.runDue();
  world.clock.ms += 3_600_000;
  await world.own.engine.runDue();
  const bodies = received('/hook');
  expect(bodies.map((one) => one.status)).toEqual([503, 200]);
  expect(new Set(bodies.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  expect(JSON.parse(bodies.at(-1)?.body ?? '')).toMatchObject({
    status: 'firing',
    alerts: [
      {
        labels: { flag: 'banner' },
        annotations: { summary: 'The guarded release of banner was rolled back.' },
        generatorUrl: 'https://fanion.example.com/w/ada/default/flags/banner',
      },
    ],
  });
});

it('sends nothing if the transaction does not commit, and sends resolved only to channels with send_resolved', async () => {
  recorder.answers(() => ({ status: 200 }));
  const quiet = await world.addChannel('quiet', `${recorder.base}/quiet`, { send_resolved: false });
  const glad = await world.addChannel('glad', `${recorder.base}/glad`);
  await expect(
    database.db.transaction().execute(async (trx) => {
      const announcement = { workspaceId: world.tenant.workspace.id, channels: [glad], key: 'lost', labels: {} };
      const texts = { summary: '', description: '', path: '', status: 'firing' } as const;
      await world.own.tell(trx, { ...announcement, ...texts }, new Date(world.clock.ms));
      throw new Error('rolled back');
    }),
  ).rejects.toThrow('rolled back');
  await tell({ channels: [quiet, glad], key: 'guarded_release:2', status: 'resolved' });
  await world.own.engine.runDue();
  expect([received('/quiet').length, received('/glad').length]).toEqual([0, 1]);
});
