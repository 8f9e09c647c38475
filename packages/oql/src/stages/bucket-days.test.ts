import { afterAll, beforeAll, expect, test } from 'vitest';
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
