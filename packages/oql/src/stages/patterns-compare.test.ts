import { afterAll, beforeAll, expect, test } from 'vitest';
import { validate } from '../compile.ts';
import { type Engine, startEngine } from '../testing/engine.ts';
import { SCOPE } from '../testing/fixture.ts';
import { type FixtureTable, rows, START } from '../testing/world.ts';

/** Patterns of this hour beside those of the hour before. */

const HOUR = 3_600_000_000_000n;
const line = (hour: number, service: string, body: string) => ({
  ...SCOPE,
  environment: 'production',
  time: START + BigInt(hour) * HOUR + 1n,
  service,
  body,
});
const times = (count: number, make: (i: number) => ReturnType<typeof line>) =>
  Array.from({ length: count }, (_, i) => make(i));
const LINES = [
  ...times(5, (i) => line(0, 'cart', `disk full on node-${i}`)),
  ...times(3, (i) => line(-1, 'cart', `cache warmed in ${i} ms`)),
  ...times(8, (i) => line(0, 'cart', `order ${i} paid`)),
  ...times(2, (i) => line(-1, 'cart', `order ${i} paid`)),
  // With one name in each hour alone, the name would be part of both templates.
  ...times(4, () => line(0, 'login', 'user alice logged in')),
  ...times(4, () => line(-1, 'login', 'user bob logged in')),
  { ...line(0, 'cart', 'foreign'), workspace: 8 },
];
const LOGS: FixtureTable = {
  insert: `INSERT INTO logs (workspace, project, environment, retention_days, time, observed_time, severity, service, body)
    SELECT workspace, project, environment, 3650, fromUnixTimestamp64Nano(time, 'UTC'), fromUnixTimestamp64Nano(time, 'UTC'), 9, service, body
    FROM format(JSONEachRow, 'workspace UInt32, project UInt32, environment String, time Int64, service String, body String', {data})`,
  rows: rows(LINES),
};

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine([LOGS]);
});
afterAll(() => engine.stop());

test('are new, gone, more or as frequent, with the same template in both', async () => {
  const query =
    'logs | patterns | compare 1h | sort pattern | fields pattern, count, count_before, state, share_before';
  expect((await engine.ask(query)).rows).toEqual([
    ['cache warmed in * ms', 0, 3, 'gone', 3 / 9],
    ['disk full on *', 5, 0, 'new', 0],
    ['order * paid', 8, 2, 'more', 2 / 9],
    ['user * logged in', 4, 4, 'same', 4 / 9],
  ]);
});

test('come by the largest difference, and by keys', async () => {
  const { rows: answer } = await engine.ask(
    'logs | patterns by service.name | compare 1h | fields service.name, pattern, state',
  );
  expect(answer).toEqual([
    ['cart', 'order * paid', 'more'],
    ['cart', 'disk full on *', 'new'],
    ['cart', 'cache warmed in * ms', 'gone'],
    ['login', 'user * logged in', 'same'],
  ]);
});

test.each([
  [
    'logs | patterns by bucket(1h) | compare 1d',
    /leave out `bucket\(…\)`, as in `logs \| patterns by service\.name \| compare 1d`/,
  ],
  ['logs | patterns by bucket(1h) | where count > 3 | compare 1d', /leave out `bucket\(…\)`/],
  ['logs | patterns | where count > 3 | compare 1d', /must come next.*`logs \| patterns \| compare 1d \| where/],
  ['logs | compare 1d', /must follow `stats`/],
])('names the right question for %s', (query, message) => {
  expect(validate(query).diagnostics.map((found) => found.message)).toEqual([expect.stringMatching(message)]);
});

test.each([
  'logs | patterns by bucket(1h) | stats n=sum(count) by bucket(1h) | compare 1d',
  'logs | patterns by service.name | compare 1d | where state == "new"',
  'logs | patterns by bucket(1h)',
])('is valid: %s', (query) => {
  expect(validate(query).valid).toBe(true);
});
