import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { validate } from '../compile.ts';
import { LIMITS } from '../syntax/guard.ts';
import { type Engine, startEngine } from '../testing/engine.ts';
import { SCOPE, WINDOW } from '../testing/fixture.ts';
import { type FixtureTable, rows, START } from '../testing/world.ts';

/** `context` beside a plain computation over the same records, of three pods, two environments and another tenant. */

interface Row {
  readonly workspace: number;
  readonly project: number;
  readonly environment: string;
  readonly time: bigint;
  readonly pod: string;
  readonly body: string;
}

const SECOND = 1_000_000_000n;
const MINUTE = 60n * SECOND;
/** Records every 30 s, from ten minutes before the range to ten minutes after it; the body says which one it is. */
const ROWS: readonly Row[] = Array.from({ length: 160 }, (_, i) => {
  const time = START - 10n * MINUTE + BigInt(i) * 30n * SECOND;
  return ['a', 'b', 'c'].map((pod, p): Row => {
    const environment = pod === 'c' && i % 2 === 0 ? 'staging' : 'production';
    return { ...SCOPE, environment, time: time + BigInt(p), pod, body: `${pod}${i} ${(i * 7 + p * 3) % 11}` };
  });
})
  .flat()
  .concat({ workspace: 8, project: 1, environment: 'production', time: START + MINUTE, pod: 'a', body: 'foreign 5' });

const LOGS: FixtureTable = {
  insert: `INSERT INTO logs (workspace, project, environment, retention_days, time, observed_time, severity, service, body, resource)
    SELECT workspace, project, environment, 3650, fromUnixTimestamp64Nano(time, 'UTC'), fromUnixTimestamp64Nano(time, 'UTC'), 9, 'shop', body,
    map('pod', pod) FROM format(JSONEachRow, 'workspace UInt32, project UInt32, environment String, time Int64, pod String, body String', {data})`,
  rows: rows(ROWS.map((row) => ({ ...row }))),
};
/** A tenant with a record more than may match. */
const MANY = { ...SCOPE, workspace: 9 };
const TOO_MANY: FixtureTable = {
  insert: LOGS.insert,
  rows: rows(
    Array.from({ length: LIMITS.contextMatches + 1 }, (_, i) => ({
      ...MANY,
      environment: 'production',
      time: START + BigInt(i),
      pod: 'a',
      body: i === 0 ? 'first' : 'match',
    })),
  ),
};

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine([LOGS, TOO_MANY]);
});
afterAll(() => engine.stop());

const REACH = 5n * MINUTE;

function expected(isMatch: (row: Row) => boolean, before: number, after: number) {
  const own = ROWS.filter((row) => row.workspace === SCOPE.workspace);
  const inRange = ({ time }: Row) => time >= WINDOW.fromNs && time < WINDOW.toNs;
  const read = own.filter(({ time }) => time >= WINDOW.fromNs - REACH && time < WINDOW.toNs + REACH);
  const kept = new Map<Row, boolean>();
  for (const row of read) {
    const stream = read.filter((other) => other.pod === row.pod && other.environment === row.environment);
    const at = stream.indexOf(row);
    const near = stream.slice(Math.max(0, at - after), at + before + 1);
    if (near.some((other) => inRange(other) && isMatch(other))) kept.set(row, inRange(row) && isMatch(row));
  }
  return [...kept].sort(([a], [b]) => Number(a.time - b.time)).map(([{ body }, matches]) => [body, matches]);
}

const ask = async (query: string) => (await engine.ask(`${query} | fields body, match`)).rows;

describe('records before and after a match', () => {
  test.each([
    ['context 2', 2, 2],
    ['context 3 before', 3, 0],
    ['context 1 after', 0, 1],
    ['context 4 before 1 after', 4, 1],
  ])('%s', async (stage, before, after) => {
    const answer = await ask(`logs | where body =~ " 5$" and resource.pod == "a" | ${stage}`);
    expect(answer).toEqual(expected(({ body, pod }) => body.endsWith(' 5') && pod === 'a', before, after));
    expect(answer.some(([, matches]) => matches === true)).toBe(true);
    expect(answer.some(([, matches]) => matches === false)).toBe(true);
  });

  test('are those of each stream, in the order of time, each once, for any condition', async () => {
    const side = fc.integer({ min: 1, max: 12 });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 10 }),
        fc.integer({ min: 0, max: 10 }),
        side,
        side,
        async (a, b, before, after) => {
          const answer = await ask(`logs | where body =~ " (${a}|${b})$" | context ${before} before ${after} after`);
          const isMatch = ({ body }: Row) => body.endsWith(` ${a}`) || body.endsWith(` ${b}`);
          expect(answer).toEqual(expected(isMatch, before, after));
        },
      ),
      { numRuns: 25 },
    );
  });

  test('include those outside of the range, beside a match at its end', async () => {
    const first = ROWS.find(({ time, pod }) => time === START && pod === 'a')?.body ?? '';
    const answer = await engine.ask(`logs | where body == "${first}" | context 2 | fields time, match`);
    expect(answer.rows.map(([, matches]) => matches)).toEqual([false, false, true, false, false]);
    expect(String(answer.rows[0]?.[0]) < new Date(Number(START / 1_000_000n)).toISOString()).toBe(true);
  });

  test('can be used in other stages, and no record of another tenant is among them', async () => {
    expect((await engine.ask('logs | where body =~ "foreign" | context 100 | stats n=count()')).rows).toEqual([[0]]);
    const { rows: counts } = await engine.ask(
      'logs | where body == "a40 7" or body == "a40 5" or body =~ "^a40 " | context 5 | stats n=count(), m=count(match)',
    );
    expect(counts).toEqual([[11, 1]]);
  });

  test('are an error where more records match than the limit, instead of some of them', async () => {
    const of = (condition: string) =>
      engine.ask(`logs | where ${condition} | context 1 | stats n=count(), m=count(match)`, { scope: MANY });
    expect((await of('body == "match"')).rows).toEqual([[LIMITS.contextMatches + 1, LIMITS.contextMatches]]);
    await expect(of('body in ("first", "match")')).rejects.toThrow('context: more than 10000 records match');
  });
});

test.each([
  'logs | stats n=count() by service.name | context 5',
  'logs | limit 5 | context 5',
  'spans | context 5',
  'logs | context 0',
  'logs | context 101',
  'logs | context 5m',
])('is refused: %s', (query) => {
  expect(validate(query).valid).toBe(false);
});
