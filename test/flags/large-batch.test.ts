import { afterAll, beforeAll, expect, it } from 'vitest';
import { longestTurn } from '../../packages/server/src/testing/event-loop.ts';
import { type SignedUp, signUp, type TestResponse, testClient } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';

const flags = 5_000;
const environments = ['development', 'production', 'staging', 'preview'];

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({});
});
afterAll(() => server?.stop());

async function company(): Promise<SignedUp> {
  const user = await signUp(server.base, 'company');
  for (const key of environments.slice(2))
    expect((await user.post(`${user.project}/environments`, { key, name: key })).status).toBe(201);
  return user;
}

const keyOf = (i: number) => `flag-${String(i).padStart(4, '0')}`;

/** A company's flags: one rule and a split in each environment, and prerequisites of every tenth. */
function writesOf(): object[] {
  const all = Array.from({ length: flags }, (_, i) => i);
  const rollout = {
    weights: [
      { variant: 'true', weight: 25_000 },
      { variant: 'false', weight: 75_000 },
    ],
  };
  return [
    ...all.map((i) => ({ write: 'create_flag', key: keyOf(i), name: `Flag ${i}`, kind: 'boolean' })),
    ...all
      .filter((i) => i % 10 === 0)
      .map((i) => ({
        write: 'set_prerequisites',
        flag: keyOf(i),
        prerequisites: [{ flag: keyOf(i + 1), variants: ['true'] }],
        version: 1,
      })),
    ...all.flatMap((i) =>
      environments.map((environment) => ({
        write: 'set_targeting',
        flag: keyOf(i),
        environment,
        version: 0,
        enabled: true,
        off_variant: 'false',
        fallthrough: { rollout },
        rules: [{ clauses: [{ attribute: 'country', op: 'in', values: ['CH', 'DE'] }], variant: 'true' }],
      })),
    ),
  ];
}

it('writes 5,000 flags in 4 environments in one transaction, and lets other requests in between', async () => {
  const user = await company();
  const writes = writesOf();
  const sdk = testClient(server.base, { bearer: await user.sdkKey() });
  const evaluate = async (context: object) =>
    (await sdk.post(`/ofrep/v1/evaluate/flags/${keyOf(flags - 1)}`, { context })).json;
  let answer!: TestResponse;
  const longest = await longestTurn(async () => {
    answer = await user.post(`${user.project}/flag-batches`, { writes });
  });
  expect(answer.status, answer.text.slice(0, 500)).toBe(200);
  expect(answer.data.results).toHaveLength(writes.length);
  expect(longest).toBeLessThan(200);
  const inSwitzerland = await evaluate({ targetingKey: 'u', country: 'CH' });
  expect(inSwitzerland).toMatchObject({ value: true, reason: 'TARGETING_MATCH' });

  // The last of many writes is rejected, and nothing of the others stays.
  const off = writes.filter((write) => 'environment' in write).slice(0, 1_000);
  const bad = { ...off[0], flag: keyOf(flags - 1), version: 1, fallthrough: { variant: 'nowhere' } };
  const changed = [...off.map((write) => ({ ...write, version: 1, enabled: false })), bad];
  const rejected = await user.post(`${user.project}/flag-batches`, { writes: changed });
  expect(rejected.json.error.details).toMatchObject([{ path: 'writes.1000.fallthrough.variant' }]);
  const history = await user.get(`${user.project}/flags/${keyOf(0)}/changes`);
  expect(history.data).toHaveLength(1 + 1 + environments.length);
}, 600_000);
