import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTelemetryWorld, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { addMember, type SignedUp, signUp } from '../../../testing/test-client.ts';

let world: TelemetryWorld;
let ada: SignedUp;
let bob: SignedUp;
beforeAll(async () => {
  world = await startTelemetryWorld();
  ada = world.ada;
  bob = await signUp(ada.base, 'bob');
  await addMember(ada, bob, 'admin');
  const flag = { key: 'checkout', name: 'Checkout', kind: 'boolean' };
  expect((await ada.post(`${ada.project}/flags`, flag)).status).toBe(201);
  expect((await ada.post(`${ada.project}/metrics`, { ...metric, key: 'clicked' })).status).toBe(201);
});
afterAll(() => world?.stop());

const place = { project: 'default' };
const metric = { key: 'bought', name: 'Bought', kind: 'conversion', source: 'logs', unit: 'user.id' };
const experiment = {
  ...{ key: 'faster', name: 'Faster', flag: 'checkout', environment: 'production', control: 'false' },
  variants: [
    { variant: 'false', weight: 50_000 },
    { variant: 'true', weight: 50_000 },
  ],
  metrics: { goals: ['clicked'] },
};

it.each([
  [
    'alert rule',
    'patch',
    () => `${ada.workspace}/alert-rules`,
    { ...place, name: 'a', query: 'spans | stats value=count()', condition: { op: '>', threshold: 1 } },
    { name: 'b' },
  ],
  [
    'SLO',
    'put',
    () => `${ada.workspace}/slos`,
    {
      ...place,
      name: 'a',
      indicator: { kind: 'events', source: 'spans', good: 'status != error' },
      objective: 0.9,
      window: { kind: 'rolling', period: '7d' },
    },
    { objective: 0.8 },
  ],
  [
    'recording rule',
    'put',
    () => `${ada.workspace}/recording-rules`,
    { ...place, name: 'shop.requests', query: 'spans | stats value=count()', every: '1m' },
    { unit: '1' },
  ],
  ['metric', 'put', () => `${ada.project}/metrics`, metric, { name: 'Bought something' }],
  ['experiment', 'put', () => `${ada.project}/experiments`, experiment, { name: 'Much faster' }],
  [
    'inhibition rule',
    'patch',
    () => `${ada.workspace}/inhibition-rules`,
    { name: 'a', source: ['x=1'], target: ['y=1'] },
    { name: 'b' },
  ],
  [
    'channel',
    'patch',
    () => `${ada.workspace}/channels`,
    { name: 'a', kind: 'email', config: { to: ['ada@example.com'] } },
    { name: 'b' },
  ],
  [
    'routing policy',
    'patch',
    () => `${ada.workspace}/routing-policies`,
    { name: 'a', matchers: ['x=1'] },
    { name: 'b' },
  ],
] as const)('names who wrote the current version of the %s', async (_noun, change, path, draft, changes) => {
  const created = await ada.post(path(), draft);
  expect(created.status, created.text).toBe(201);
  expect(created.data.updated_by).toEqual(created.data.created_by);
  const body = change === 'put' ? { ...draft, ...changes, version: 1 } : changes;
  const changed = await bob[change](`${path()}/${created.data.id}`, body);
  expect(changed.status, changed.text).toBe(200);
  expect(changed.data).toMatchObject({
    version: 2,
    created_by: { id: ada.userId },
    updated_by: { id: bob.userId, name: 'bob' },
  });
});
