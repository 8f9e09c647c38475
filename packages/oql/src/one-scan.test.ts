import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { oneScan, splitRows, type Variant, variantOf } from './one-scan.ts';
import type { ResultColumn, ResultValue } from './result.ts';
import { type Engine, startEngine } from './testing/engine.ts';

function variants(...texts: readonly string[]): Variant[] {
  return texts.map((text) => {
    const variant = variantOf(text);
    if (variant === undefined) throw new Error(`${text} is no variant`);
    return variant;
  });
}

function merged(...texts: readonly string[]) {
  return oneScan(texts[0] ?? '', variants(...texts));
}

describe('the form of a query', () => {
  it('is the same for queries that differ in texts compared before the groups, and in numbers compared after them', () => {
    const forms = variants(
      'spans | where service.name == "a" | stats value=count() by name | where value > 5',
      'spans |  where service.name == "b" | stats value=count() by name | where value > 17 // loud',
    ).map(({ form }) => form);
    expect(new Set(forms).size).toBe(1);
  });

  it.each([
    ['another field', 'spans | where name == "a" | stats value=count()'],
    ['another operator', 'spans | where service.name != "a" and name == "x" | stats value=count()'],
    ['another aggregate', 'spans | where service.name == "a" | stats value=max(duration)'],
    ['another source', 'logs | where service.name == "a" | stats value=count()'],
    ['another number before the groups', 'spans | where service.name == "a" and duration > 1s | stats value=count()'],
  ])('differs for %s', (_name, other) => {
    const [one, two] = variants('spans | where service.name == "a" | stats value=count()', other);
    expect(one?.form).not.toBe(two?.form);
  });

  it.each([
    ['returns single rows', 'spans | where service.name == "a"'],
    ['has no literal that could differ', 'spans | stats value=count() by service.name'],
    ['compares with the empty text, which a missing field equals', 'logs | where x == "" | stats value=count()'],
    ['orders and cuts its groups', 'spans | where name == "a" | stats n=count() by service.name | top 3 by n'],
    ['reads all groups for each of them', 'spans | where name == "a" | stats n=count() by kind | extend s = share(n)'],
    ['reads other rows', 'spans | where name == "a" and duration > (spans | stats avg(duration)) | stats n=count()'],
    ['joins', 'spans | where name == "a" | join (logs) on trace_id | stats n=count()'],
    ['names its window', 'from -5m; spans | where name == "a" | stats n=count()'],
    ['reads the clock', 'spans | where name == "a" and time > ago(5m) | stats n=count()'],
    ['redefines the field', 'logs | where x == "a" | extend x = "b" | stats n=count() by x'],
    ['selects the buckets of a histogram', 'metric latency | where le == "5" | stats n=sum(value)'],
    ['has columns of the same names', 'spans | where name == "a" | stats in_one_scan_0=count()'],
    ['does not parse', 'spans | where name == | stats n=count()'],
  ])('does not exist for a query that %s', (_name, text) => {
    expect(variantOf(text)).toBeUndefined();
  });
});

describe('one scan', () => {
  it('groups by the fields that differ, and leaves alone what does not', () => {
    const scan = merged(
      'spans | where kind == server and service.name == "a" and name == "x" | stats value=count() by http.route',
      'spans | where kind == server and service.name == "b" and name == "x" | stats value=count() by http.route',
    );
    expect(scan?.text).toBe(
      'spans | where kind == server and service.name in ($in_one_scan_0) and name == "x" | stats value=count() by http.route, in_one_scan_0=service.name',
    );
    expect(scan?.params).toEqual({ in_one_scan_0: ['a', 'b'] });
    expect(scan?.ofNothing).toBeUndefined();
  });

  it('asks what a variant without rows answers, where that is a row', () => {
    const scan = merged(
      'spans | where service.name == "a" | stats value=count()',
      'spans | where service.name == "b" | stats value=count()',
    );
    expect(scan?.ofNothing).toBe('spans | where service.name == "a" | where false | stats value=count()');
  });

  it.each([
    ['drops single rows by their value', 'spans | where name == "a" | stats n=count() | where n < 5', '"a"', '"b"'],
    ['names one id in two ways', 'spans | where trace_id == "ab" | stats n=count() by name', '"ab"', '"AB"'],
  ])('does not exist for queries of which one %s', (_name, text, literal, other) => {
    expect(merged(text, text.replace(literal, other))).toBeUndefined();
  });

  it('has no answer where a value is not the text of a literal', () => {
    const scan = merged(
      'spans | where status == "ERROR" | stats n=count() by name',
      'spans | where status == "ok" | stats n=count() by name',
    );
    const columns: ResultColumn[] = [
      { name: 'name', type: 'string' },
      { name: 'in_one_scan_0', type: 'string' },
      { name: 'n', type: 'int' },
    ];
    expect(scan && splitRows(scan, columns, [['POST /pay', 'error', 6]])).toBeUndefined();
  });
});

describe('the answers of one scan', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await startEngine();
  });
  afterAll(() => engine.stop());

  /** Sums of floats depend on the order in which they are added up. */
  const comparable = (rows: readonly (readonly ResultValue[])[]) =>
    rows
      .map((row) =>
        JSON.stringify(row, (_, value) => (typeof value === 'number' ? Number(value.toPrecision(10)) : value)),
      )
      .sort();

  const texts = [
    'frontend',
    'checkout',
    'audit',
    'canary',
    'nobody',
    'SELECT orders',
    'POST /pay',
    '/checkout',
    'eu',
    '5',
  ];
  const fields = [
    'service.name',
    'name',
    'http.route',
    'region',
    'host.name',
    'resource.service.name',
    'status',
    'order.id',
  ];
  const predicates = ['', ' and duration > 5ms', ' and status == error', ' and http.route exists'];
  const groups = [
    'stats value=count()',
    'stats value=p95(duration), n=count()',
    'stats value=avg(order.id), s=sum(duration)',
    'stats value=ratio(status == error) by service.name',
    'stats value=max(duration) by http.route, kind',
    'count by name',
  ];
  const filters = [
    '',
    ' | where value > $',
    ' | extend twice = value * 2 | where twice <= $ and value > 0',
    ' | fields value',
  ];
  const metrics = [
    'metric requests | where service.name == "%" | rate 5m | stats value=sum(value)',
    'metric requests | where service.name == "%" | promrate 5m | stats value=avg(value) by service.name | where value > $',
    'metric latency | where route == "%" | stats value=p90(value) by route',
    'metric queue.size | where queue == "%" | stats value=last(value) by queue | where value >= $ | fields value, queue',
  ];
  const template = fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .tuple(
          fc.constantFrom('spans', 'logs'),
          fc.constantFrom(...fields),
          fc.constantFrom(...predicates),
          fc.constantFrom(...groups),
          fc.constantFrom(...filters),
        )
        .filter(([source, , predicate, group]) => source === 'spans' || !/duration|status|kind/.test(predicate + group))
        .map(
          ([source, field, predicate, group, filter]) =>
            `${source} | where ${field} == "%"${predicate} | ${group}${filter}`,
        ),
    },
    { weight: 1, arbitrary: fc.constantFrom(...metrics) },
  );
  const literals = fc.array(
    fc.tuple(fc.constantFrom(...texts, 'cart', '/x', 'a', 'error'), fc.constantFrom('0', '1', '2.5', '20')),
    { minLength: 2, maxLength: 6 },
  );

  test('are the answers of the queries alone', async () => {
    const seen = { together: 0, alone: 0 };
    await fc.assert(
      fc.asyncProperty(template, literals, async (text, pairs) => {
        const queries = pairs.map(([literal, number]) => text.replace('%', literal).replace('$', number));
        const all = queries.map(variantOf);
        const known = all.filter((one): one is Variant => one !== undefined);
        const scan = known.length === all.length ? oneScan(queries[0] ?? '', known) : undefined;
        const alone = await Promise.all(queries.map((query) => engine.ask(query).catch(() => undefined)));
        if (scan === undefined || alone.includes(undefined)) return;
        const answer = await engine.ask(scan.text, { limit: 10_000, params: scan.params }).catch(() => undefined);
        const parts = answer && splitRows(scan, answer.columns, answer.rows);
        if (parts === undefined) {
          seen.alone++;
          return;
        }
        seen.together++;
        const nothing = scan.ofNothing === undefined ? undefined : await engine.ask(scan.ofNothing);
        for (const [i, variant] of known.entries()) {
          const rows = parts.rowsOf(variant);
          const own = rows.length === 0 && nothing ? nothing.rows : rows;
          expect(parts.columns, queries[i]).toEqual(alone[i]?.columns);
          expect(comparable(own), queries[i]).toEqual(comparable(alone[i]?.rows ?? []));
        }
      }),
      { numRuns: 16, seed: 11 },
    );
    expect(seen.together).toBeGreaterThan(seen.alone);
  });
});
