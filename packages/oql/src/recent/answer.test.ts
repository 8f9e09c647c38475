import { UNKNOWN_START } from '@fanion/series';
import { describe, expect, it } from 'vitest';
import { compile } from '../index.ts';
import { START } from '../testing/world.ts';
import { answerRecent, type RecentSeries } from './index.ts';

const START_MS = Number(START / 1_000_000n);

interface Labels {
  readonly attributes?: Readonly<Record<string, string>>;
  readonly types?: string;
  readonly environment?: string;
  readonly project?: number;
}

/** Times and starts in seconds from the beginning of the hour. */
function series(
  points: readonly (readonly [at: number, value: number, since?: number])[],
  { attributes = { job: 'a' }, types = '', environment = 'production', project = 1 }: Labels = {},
): RecentSeries {
  const ms = (seconds: number) => seconds * 1_000;
  const own = Object.entries({ service: 'shop', environment });
  return {
    project,
    labels: {
      attributes: { texts: new Map(Object.entries(attributes)), types },
      resource: { texts: new Map(), types: '' },
      own: { texts: new Map(own), types: '' },
    },
    count: points.length,
    times: Float64Array.from(points, ([at]) => ms(at)),
    values: Float64Array.from(points, ([, value]) => value),
    starts: Float64Array.from(points, ([, , since]) => (since === undefined ? UNKNOWN_START : ms(since))),
  };
}

function questionOf(stages: string, seconds: readonly [number, number] = [0, 120]) {
  const [fromNs, toNs] = seconds.map((at) => START + BigInt(at) * 1_000_000_000n) as [bigint, bigint];
  const compiled = compile(`metric m | ${stages}`, {
    scope: { workspace: 7, project: 1, environment: 'production' },
    window: { fromNs, toNs },
    limit: 100,
    nowNs: toNs,
  });
  if (!compiled.ok || !compiled.recent) throw new Error(`${stages} is not answered from memory`);
  return compiled.recent;
}

function rowsOf(stages: string, all: readonly RecentSeries[], seconds?: readonly [number, number]) {
  return answerRecent(questionOf(stages, seconds), { originMs: START_MS, series: all }, 100)?.rows;
}

const text = (seconds: number) => new Date(START_MS + seconds * 1_000).toISOString().replace('T', ' ').slice(0, 19);

describe('edges of buckets', () => {
  it('counts a point at the beginning of a bucket in this bucket, and one at the end of the window in none', () => {
    const points = series([
      [0, 1],
      [60, 2],
      [119.999, 4],
      [120, 8],
    ]);
    expect(rowsOf('sum by bucket(1m)', [points])).toEqual([
      [text(0), 1],
      [text(60), 6],
    ]);
  });

  it('counts a point at the end of a Prometheus range, and none at its beginning', () => {
    // From 0 to 60: at 0 is outside. The rate from 30 to 60 is 1 a second, extrapolated by 30 seconds to zero.
    const points = series([
      [0, 500],
      [30, 1_030],
      [60, 1_060],
      [90, 1_090],
    ]);
    expect(rowsOf('promincrease 1m | sum by bucket(1m)', [points], [0, 60])).toEqual([[text(0), 60]]);
    expect(
      answerRecent(
        questionOf('promincrease 1m | sum by bucket(1m)', [0, 60]),
        { originMs: START_MS, series: [points] },
        1,
      )?.points,
    ).toBe(3);
  });

  it('evaluates the last Prometheus bucket at the end of the window', () => {
    const points = series([
      [0, 1_000],
      [30, 1_030],
      [60, 1_060],
      [90, 1_090],
    ]);
    expect(rowsOf('promincrease 1m | sum by bucket(1m)', [points], [0, 90])).toEqual([
      [text(0), 60],
      [text(60), 60],
    ]);
  });

  it('has no rate of one point', () => {
    expect(rowsOf('promrate 1m | sum by bucket(1m)', [series([[10, 1]])], [0, 60])).toEqual([]);
  });

  it('reads the whole first bucket of a growth, and compares with an earlier point', () => {
    const points = series([
      [-10, 100],
      [10, 107],
      [70, 110],
    ]);
    expect(rowsOf('increase | sum by bucket(1m)', [points], [30, 120])).toEqual([
      [text(0), 7],
      [text(60), 3],
    ]);
  });

  it('compares with points of ten minutes before, and leaves series with earlier ones to the engine', () => {
    expect(
      rowsOf('increase | sum', [
        series([
          [-600, 100],
          [10, 107],
        ]),
      ]),
    ).toEqual([[7]]);
    expect(
      rowsOf('increase | sum', [
        series([
          [-600.001, 100],
          [10, 107],
        ]),
      ]),
    ).toBeUndefined();
  });

  it('writes buckets of less than a second with their nanoseconds', () => {
    expect(rowsOf('count by bucket(500ms)', [series([[0.7, 1]])], [0, 1])).toEqual([[`${text(0)}.500000000`, '1']]);
  });
});

describe('resets and starts', () => {
  it('counts all of a value that is lower or has a later start', () => {
    const points = series([
      [-1, 100, -900],
      [10, 3, -900],
      [20, 10, 15],
    ]);
    expect(rowsOf('increase | sum', [points])).toEqual([[13]]);
  });

  it('counts all of the first value where the series began in the range', () => {
    expect(
      rowsOf('increase | sum', [
        series([
          [10, 5, 5],
          [20, 6, 5],
        ]),
      ]),
    ).toEqual([[6]]);
    expect(
      rowsOf('increase | sum', [
        series([
          [-10, 5, -15],
          [20, 6, -15],
        ]),
      ]),
    ).toEqual([[1]]);
    expect(
      rowsOf('increase | sum', [
        series([
          [10, 5],
          [20, 6],
        ]),
      ]),
    ).toBeUndefined();
  });

  it('subtracts what a gauge lost', () => {
    expect(
      rowsOf('delta | sum', [
        series([
          [-10, 9],
          [10, 4],
        ]),
      ]),
    ).toEqual([[-5]]);
  });
});

describe('which series count', () => {
  const points = [
    [-1, 1],
    [0, 1],
  ] as const;
  it('are those of the project and environment', () => {
    const other = [series(points, { project: 2 }), series(points, { environment: 'staging' }), series(points)];
    expect(rowsOf('count', other)).toEqual([['1']]);
  });
});

describe('what only the engine answers', () => {
  it('labels that read as numbers which are not finite or too long', () => {
    const labelled = (job: string) => [series([[0, 1]], { attributes: { job } })];
    expect(rowsOf('count by job', labelled('nan'))).toBeUndefined();
    expect(rowsOf('count by job', labelled('-Infinity'))).toBeUndefined();
    expect(rowsOf('count by job', labelled('1234567890123456789'))).toBeUndefined();
    expect(rowsOf('count by job', labelled('infra'))).toEqual([['sinfra', '1']]);
  });

  it('more groups and buckets than memory is kept for', () => {
    const many = Array.from({ length: 400 }, (_, id) => series([[0, 1]], { attributes: { job: `${id}` } }));
    expect(rowsOf('count by job, bucket(1s)', many, [0, 3_000])).toBeUndefined();
  });
});

describe('rows', () => {
  it('have labels with the letter of their type, numbers first and missing ones last', () => {
    const labelled = (attributes: Record<string, string>, types = '') => series([[0, 1]], { attributes, types });
    const all = [
      labelled({}),
      labelled({ code: 'b' }),
      labelled({ code: '10' }, '\0code\x01n'),
      labelled({ code: '9' }),
      labelled({ code: '' }),
    ];
    expect(rowsOf('count by code', all)).toEqual([
      ['s9', '1'],
      ['n10', '1'],
      ['s', '1'],
      ['sb', '1'],
      [null, '1'],
    ]);
  });

  it('are one without keys, also for no points', () => {
    expect(rowsOf('stats a=sum(value), b=avg(value), c=max(value), d=count()', [])).toEqual([[0, null, null, '0']]);
    expect(rowsOf('sum by job', [])).toEqual([]);
  });

  it('are at most as many as asked for', () => {
    const question = questionOf('count by bucket(1s)');
    expect(
      answerRecent(
        question,
        {
          originMs: START_MS,
          series: [
            series([
              [0, 1],
              [1, 1],
              [2, 1],
            ]),
          ],
        },
        2,
      )?.rows,
    ).toEqual([
      [text(0), '1'],
      [text(1), '1'],
    ]);
  });
});
