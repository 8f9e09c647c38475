import type { ResultValue, Variant } from '@fanion/oql';
import { describe, expect, it } from 'vitest';
import { fail } from '../../../platform/fail.ts';
import { type AlertQuestion, type Ask, type AskedAnswer, alertVariant, createSharedAnswers } from './shared-answers.ts';

const query = 'spans | stats value=count() by service.name';
const question: AlertQuestion = {
  scope: { workspace: 1, project: 2, environment: undefined },
  query,
  fromNs: 0n,
  toNs: 60n,
  limit: 1_000,
  variant: undefined,
  together: [],
};
function answerOf(
  names: readonly string[],
  rows: readonly (readonly ResultValue[])[],
  { keys = names.slice(0, -1), truncated = false } = {},
): AskedAnswer {
  const columns = names.map((name) => ({ name, type: 'any' as const }));
  return { plan: { keys }, columns, rows, truncated, cost: { rowsRead: 1, bytesRead: 1, seconds: 0 } };
}
const answer = answerOf(['service.name', 'value'], [['cart', 1]]);

function shared() {
  const clock = { ms: 1_000_000, now: () => clock.ms };
  return { clock, share: createSharedAnswers({ clock }) };
}

describe('rules with equal queries', () => {
  it('ask once for a window, also when they differ in white space only', async () => {
    const { share } = shared();
    let asked = 0;
    const count = async () => {
      asked++;
      return answer;
    };
    const answers = await Promise.all([
      share(question, count),
      share({ ...question, query: 'spans |  stats value = count()\n  by service.name' }, count),
      share(question, count),
    ]);
    expect(asked).toBe(1);
    expect(new Set(answers.map(({ rows }) => rows))).toEqual(new Set([answer.rows]));
    await share(question, count);
    expect(asked).toBe(1);
  });

  it.each([
    ['another workspace', { scope: { ...question.scope, workspace: 9 } }],
    ['another project', { scope: { ...question.scope, project: 9 } }],
    ['an environment', { scope: { ...question.scope, environment: 'production' } }],
    ['another text', { query: 'spans | stats value=count()' }],
    ['another literal', { query: 'spans | where name == "a" | stats value=count() by service.name' }],
    ['another start', { fromNs: 1n }],
    ['another end', { toNs: 61n }],
  ])('do not share an answer with a question of %s', async (_name, changes) => {
    const { share } = shared();
    const other = answerOf(['service.name', 'value'], []);
    expect((await share(question, async () => answer)).rows).toBe(answer.rows);
    expect((await share({ ...question, ...changes }, async () => other)).rows).toBe(other.rows);
  });

  it('ask again after an answer that failed', async () => {
    const { share } = shared();
    const fails = () => share(question, () => Promise.reject(new Error('away')));
    await expect(Promise.all([fails(), fails()])).rejects.toThrow('away');
    expect((await share(question, async () => answer)).rows).toBe(answer.rows);
  });

  it('forget the oldest answers when they have too many rows', async () => {
    const { share } = shared();
    const large = answerOf(
      ['value'],
      Array.from({ length: 1_000 }, () => [1]),
    );
    let asked = 0;
    const count = async () => {
      asked++;
      return large;
    };
    for (let n = 0; n < 60; n++) await share({ ...question, toNs: BigInt(n) }, count);
    await share({ ...question, toNs: 59n }, count);
    expect(asked).toBe(60);
    await share({ ...question, toNs: 0n }, count);
    expect(asked).toBe(61);
  });
});

describe('rules whose queries differ in literals only', () => {
  const byRoute = (service: string) =>
    `spans | where service.name == "${service}" | stats value=max(duration) by http.route`;
  const total = (service: string) => `spans | where service.name == "${service}" | stats value=count()`;
  const columns = ['http.route', 'in_one_scan_0', 'value'];

  /** Asks for all of them at once, as their rules do at one slot. */
  function asker(
    queries: readonly string[],
    answers: (oql: string) => AskedAnswer,
    changes: Partial<AlertQuestion> = {},
  ) {
    const { share, clock } = shared();
    const together = queries.map(alertVariant).filter((one): one is Variant => one !== undefined);
    const asked: string[] = [];
    const ask: Ask = async (oql, _limit, params = {}) => {
      const values = (name: string) => (params[name] ?? []).map((value) => JSON.stringify(value)).join(', ');
      const written = oql.replace(/\$(\w+)/g, (_, name: string) => values(name));
      asked.push(written);
      return answers(written);
    };
    const askAll = (toNs = 60n) =>
      Promise.allSettled(
        queries.map((one) =>
          share({ ...question, query: one, variant: alertVariant(one), together, toNs, ...changes }, ask),
        ),
      );
    return { askAll, asked, clock };
  }
  const rowsOf = (settled: readonly PromiseSettledResult<Pick<AskedAnswer, 'rows'>>[]) =>
    settled.map((one) => (one.status === 'fulfilled' ? one.value.rows : 'failed'));

  it('are asked by one scan, and each gets its own rows and columns, nulls included', async () => {
    const { askAll, asked } = asker(['a', 'b', 'none'].map(byRoute), () =>
      answerOf(columns, [
        ['/x', 'a', 1],
        [null, 'a', null],
        ['/x', 'b', 'NaN'],
      ]),
    );
    const settled = await askAll();
    expect(asked).toEqual([
      'spans | where service.name in ("a", "b", "none") | stats value=max(duration) by http.route, in_one_scan_0=service.name',
    ]);
    expect(rowsOf(settled)).toEqual([
      [
        ['/x', 1],
        [null, null],
      ],
      [['/x', 'NaN']],
      [],
    ]);
    expect(settled[0]).toMatchObject({
      value: { keys: ['http.route'], columns: [{ name: 'http.route' }, { name: 'value' }], truncated: false },
    });
  });

  it('get what their query answers without rows, if that is a row', async () => {
    const { askAll, asked } = asker(['a', 'b', 'c'].map(total), (oql) =>
      oql.includes('where false')
        ? answerOf(['value'], [[0]], { keys: [] })
        : answerOf(['in_one_scan_0', 'value'], [['b', 7]]),
    );
    expect(rowsOf(await askAll())).toEqual([[[0]], [[7]], [[0]]]);
    expect(asked).toHaveLength(2);
  });

  it('each read the condition with their own number', async () => {
    const above = (threshold: number) => `spans | stats value=count() by name | where value > ${threshold}`;
    const { askAll, asked } = asker([above(5), above(100)], () =>
      answerOf(
        ['name', 'value', 'in_one_scan_0_0', 'in_one_scan_0_1'],
        [
          ['x', 70, false, true],
          ['y', 700, true, true],
        ],
        { keys: ['name'] },
      ),
    );
    expect(rowsOf(await askAll())).toEqual([
      [
        ['x', 70],
        ['y', 700],
      ],
      [['y', 700]],
    ]);
    expect(asked).toEqual([
      'spans | stats value=count() by name | where value > 100 or value > 5 | extend in_one_scan_0_0 = value > 100, in_one_scan_0_1 = value > 5',
    ]);
  });

  it('say that there are too many rows only where one of them has too many itself', async () => {
    const rows = [1, 2, 3].map((n) => [`/${n}`, 'a', n]);
    const { askAll } = asker(['a', 'b'].map(byRoute), () => answerOf(columns, [...rows, ['/x', 'b', 1]]), { limit: 2 });
    const [a, b] = await askAll();
    expect(a).toMatchObject({ value: { truncated: true } });
    expect(b).toMatchObject({ value: { truncated: false, rows: [['/x', 1]] } });
  });

  const alone = (oql: string) => answerOf(['http.route', 'value'], [[oql.includes('"a"') ? '/a' : '/b', 1]]);
  it.each([
    [
      'fails',
      () => {
        throw fail('QUERY_TOO_EXPENSIVE', { reason: 'it needs too much memory' });
      },
    ],
    ['has more rows than are read', () => answerOf(columns, [['/x', 'a', 1]], { truncated: true })],
    ['has a value that is not the text of a literal', () => answerOf(columns, [['/x', 'A', 1]])],
  ])('are asked one by one for ten minutes when the one scan %s', async (_name, answers) => {
    const { askAll, asked, clock } = asker(['a', 'b'].map(byRoute), (oql) =>
      oql.includes(' in (') ? answers() : alone(oql),
    );
    expect(rowsOf(await askAll())).toEqual([[['/a', 1]], [['/b', 1]]]);
    expect(asked).toHaveLength(3);
    expect(rowsOf(await askAll(61n))).toEqual([[['/a', 1]], [['/b', 1]]]);
    expect(asked).toHaveLength(5);
    clock.ms += 601_000;
    await askAll(62n);
    expect(asked).toHaveLength(8);
  });

  it('are asked in smaller groups when the one scan fails, so that only few are asked one by one', async () => {
    const names = Array.from({ length: 40 }, (_, n) => `s${String(n).padStart(2, '0')}`);
    const { askAll, asked } = asker(names.map(byRoute), (oql) => {
      if (oql.includes('"s17"')) throw fail('QUERY_TOO_EXPENSIVE', { reason: 'it is too large' });
      return oql.includes(' in (')
        ? answerOf(
            columns,
            [...oql.matchAll(/"(s\d\d)"/g)].map(([, name]) => ['/x', name ?? '', 1]),
          )
        : answerOf(['http.route', 'value'], [['/x', 1]]);
    });
    const settled = rowsOf(await askAll());
    expect(settled.filter((one) => one === 'failed')).toHaveLength(1);
    expect(settled[17]).toBe('failed');
    expect(new Set(settled.filter((one) => one !== 'failed').map(String))).toEqual(new Set(['/x,1']));
    // All of them, ten groups of four, and the four of one group.
    expect(asked).toHaveLength(15);
  });

  it('leave an error to the one whose query it is', async () => {
    const { askAll } = asker(['a', 'b'].map(byRoute), (oql) => {
      if (oql.includes('"b"')) throw fail('QUERY_TOO_EXPENSIVE', { reason: 'it is too large' });
      return alone(oql);
    });
    expect(rowsOf(await askAll())).toEqual([[['/a', 1]], 'failed']);
  });

  it('are not asked one by one while the store is away', async () => {
    const { askAll, asked } = asker(['a', 'b'].map(byRoute), () => {
      throw fail('STORE_UNAVAILABLE', { store: 'telemetry store' });
    });
    expect(rowsOf(await askAll())).toEqual(['failed', 'failed']);
    expect(asked).toHaveLength(1);
  });
});
