import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Engine, startEngine } from '../testing/engine.ts';
import { type FixtureTable, TENANT } from '../testing/world.ts';

/** One log every 30 minutes around each clock change of 2026, identified by its time. */
const HALF_HOUR = 1_800_000;
const AROUND = ['2026-03-08', '2026-03-29', '2026-04-05', '2026-09-06', '2026-10-04', '2026-10-25', '2026-11-01'];
const TIMES = AROUND.flatMap((day) =>
  Array.from({ length: 3 * 48 }, (_, i) => Date.parse(day) - 48 * HALF_HOUR + i * HALF_HOUR),
);
const LOGS: FixtureTable = {
  insert: `INSERT INTO logs (workspace, project, environment, retention_days, time, service)
    SELECT ${TENANT.workspace}, ${TENANT.project}, '${TENANT.environment}', 3650, fromUnixTimestamp64Milli(time, 'UTC'), 'clock'
    FROM format(JSONEachRow, 'time Int64', {data})`,
  rows: [...new Set(TIMES)].map((time) => ({ time: String(time) })),
};
const window = {
  fromNs: BigInt(Date.parse('2026-01-01')) * 1_000_000n,
  toNs: BigInt(Date.parse('2027-01-01')) * 1_000_000n,
};

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine([LOGS]);
});
afterAll(() => engine.stop());

/** The calendar day of a time in a time zone, by the runtime's own time zone data. */
function dayIn(zone: string): (milliseconds: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return (milliseconds) => format.format(milliseconds);
}

// Clocks that change at 2:00, at 1:00 and at midnight, by an hour and by half an hour, and clocks that never change.
test.each(['Europe/Berlin', 'America/Denver', 'America/Santiago', 'Australia/Lord_Howe', 'Asia/Kolkata', 'UTC'])(
  'days in %s begin at its midnight, also where they have 23 or 25 hours',
  async (zone) => {
    const dayOf = dayIn(zone);
    const times = [...new Set(TIMES)].sort((a, b) => a - b);
    const expected = new Map<string, { first: number; count: number }>();
    for (const time of times) {
      const day = expected.get(dayOf(time)) ?? { first: time, count: 0 };
      expected.set(dayOf(time), { ...day, count: day.count + 1 });
    }
    const { rows, kind } = await engine.ask(
      `logs | stats n=count(), first=min(time) by bucket(time, 1d, "${zone}") | extend before = lag(n)`,
      { window },
    );
    expect(kind).toBe('timeseries');
    expect(rows.map(([time]) => dayOf(Date.parse(String(time))))).toEqual([...expected.keys()]);
    expect(rows.map(([, n]) => n)).toEqual([...expected.values()].map(({ count }) => count));
    for (const [time, , first] of rows) {
      const beginning = Date.parse(String(time));
      expect(beginning).toBeLessThanOrEqual(Date.parse(String(first)));
      // Just before, it was another day.
      expect(dayOf(beginning - 1)).not.toBe(dayOf(beginning));
    }
    const previous = (day: string) => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
    expect(rows.map((row) => row[3])).toEqual(
      [...expected.keys()].map((day) => expected.get(previous(day))?.count ?? null),
    );
  },
);

test('takes the name of a time zone in any case', async () => {
  const by = (zone: string) => engine.ask(`logs | stats n=count() by bucket(1d, "${zone}")`, { window });
  expect((await by('europe/berlin')).rows).toEqual((await by('Europe/Berlin')).rows);
});

test('starts weeks on Mondays', async () => {
  const { rows } = await engine.ask('logs | stats n=count() by bucket(1w, "Europe/Berlin")', { window });
  const format = new Intl.DateTimeFormat('en', {
    timeZone: 'Europe/Berlin',
    weekday: 'short',
    hour: 'numeric',
    hourCycle: 'h23',
  });
  expect(new Set(rows.map(([time]) => format.format(Date.parse(String(time)))))).toEqual(new Set(['Mon, 00']));
});

const ZONES = ['Europe/Dublin', 'America/Santiago', 'Australia/Lord_Howe', 'UTC'];
const nanoseconds = (ms: number) => BigInt(ms) * 1_000_000n;
const sorted = [...new Set(TIMES)].sort((a, b) => a - b);
const within = (from: number, to: number) => sorted.filter((time) => time >= from && time < to).length;

/** The first moments of all days of a year in a time zone whose names pass a test, found by trying every half hour. */
function beginnings(zone: string, isWanted: (day: string) => boolean): number[] {
  const dayOf = dayIn(zone);
  const found: number[] = [];
  let before = '';
  for (let at = Date.parse('2025-12-30'); at < Date.parse('2027-01-04'); at += HALF_HOUR) {
    const day = dayOf(at);
    if (day !== before && before !== '' && isWanted(day)) found.push(at);
    before = day;
  }
  return found;
}

describe.each(ZONES)('in %s', (zone) => {
  const days = beginnings(zone, (day) => day.startsWith('2026-'));
  const months = beginnings(zone, (day) => day.endsWith('-01') && day.startsWith('202'));

  /** The periods that begin at these moments, each with the end of the period and the beginning of an earlier one. */
  const periods = (starts: readonly number[], first: number, count: number, back = 1) =>
    starts.slice(first, first + count).map((start, i) => ({
      start,
      end: starts[first + i + 1] ?? 0,
      earlier: starts[first + i - back] ?? 0,
      earlierEnd: starts[first + i - back + 1] ?? 0,
    }));
  const ask = async (query: string, of: readonly { start: number; end: number }[]) => {
    const asked = { fromNs: nanoseconds(of[0]?.start ?? 0), toNs: nanoseconds(of.at(-1)?.end ?? 0) };
    const { rows } = await engine.ask(query, { window: asked });
    return rows.map(([time, ...values]) => [Date.parse(String(time)), ...values]);
  };

  test('fills the days without rows', async () => {
    const year = periods(days, 0, 364);
    expect(await ask(`logs | stats n=count() by bucket(1d, "${zone}") | fill 0`, year)).toEqual(
      year.map(({ start, end }) => [start, within(start, end)]),
    );
  });

  test('groups by months, and fills those without rows', async () => {
    const year = periods(months, 0, 12);
    expect(await ask(`logs | stats n=count() by bucket(1mo, "${zone}") | fill 0`, year)).toEqual(
      year.map(({ start, end }) => [start, within(start, end)]),
    );
  });

  test('interpolates between months by their length', async () => {
    const autumn = periods(months, 8, 3);
    const query = `logs | where month(time, "${zone}") != 10 | stats n=1.0 * count() by bucket(1mo, "${zone}") | fill linear`;
    const [september, october, november] = autumn.map(({ start, end }) => ({ start, n: within(start, end) }));
    if (!september || !october || !november) throw new Error('no months');
    const part = (october.start - september.start) / (november.start - september.start);
    const rows = await ask(query, autumn);
    expect(rows.map(([start]) => start)).toEqual(autumn.map(({ start }) => start));
    expect([rows[0]?.[1], rows[2]?.[1]]).toEqual([september.n, november.n]);
    expect(rows[1]?.[1]).toBeCloseTo(september.n + part * (november.n - september.n), 9);
  });

  test('compares each day with the day before', async () => {
    const around = periods(days, beginnings(zone, (day) => day < '2026-03-28' && day > '2026').length, 4);
    expect(
      await ask(
        `logs | stats n=count() by bucket(1d, "${zone}") | fill 0 | compare 1d | fields time, n, n_before`,
        around,
      ),
    ).toEqual(
      around.map(({ start, end, earlier, earlierEnd }) => [start, within(start, end), within(earlier, earlierEnd)]),
    );
  });

  test('compares each month with the month before, and with the one a quarter before', async () => {
    for (const back of [1, 3]) {
      const half = periods(months, 4, 7, back);
      const query = `logs | stats n=count() by bucket(1mo, "${zone}") | fill 0 | compare ${back}mo | fields time, n, n_before`;
      expect(await ask(query, half)).toEqual(
        half.map(({ start, end, earlier, earlierEnd }) => [start, within(start, end), within(earlier, earlierEnd)]),
      );
    }
  });

  test('compares a month without buckets with the month before', async () => {
    const [april] = periods(months, 3, 1);
    if (!april) throw new Error('no months');
    const asked = { fromNs: nanoseconds(april.start), toNs: nanoseconds(april.end) };
    const { rows } = await engine.ask(`logs | stats n=count() | compare 1mo "${zone}" | fields n, n_before`, {
      window: asked,
    });
    expect(rows).toEqual([[within(april.start, april.end), within(april.earlier, april.earlierEnd)]]);
  });

  test('counts by the hour of the day and the day of the week', async () => {
    const parts = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', hourCycle: 'h23' });
    const counts = new Map<number, number>();
    for (const time of sorted) {
      const hour = Number(parts.format(time));
      counts.set(hour, (counts.get(hour) ?? 0) + 1);
    }
    const { rows } = await engine.ask(`logs | stats n=count() by h=hour(time, "${zone}")`, { window });
    expect(rows).toEqual([...counts].sort(([a], [b]) => a - b));
  });
});
