import { describe, expect, test } from 'vitest';
import { type CompileOptions, compile } from './compile.ts';
import { format } from './format.ts';
import { decodeRow } from './result.ts';

const options: CompileOptions = {
  scope: { workspace: 7, project: 1, environment: 'production' },
  window: { fromNs: 1_763_560_800_000_000_000n, toNs: 1_763_564_400_000_000_000n },
  limit: 100,
  nowNs: 1_763_564_400_000_000_000n,
};

function compiled(text: string, more: Partial<CompileOptions> = {}) {
  const result = compile(text, { ...options, ...more });
  if (!result.ok) throw new Error(result.diagnostics.map((diagnostic) => diagnostic.message).join('\n'));
  return result;
}

describe('a statement', () => {
  const dayNs = 86_400_000_000_000n;
  const today = options.nowNs - (options.nowNs % dayNs);

  test.each([
    ['of yesterday', { fromNs: today - dayNs, toNs: today }, undefined],
    ['of yesterday and today', { fromNs: today - 1n, toNs: today + 1n }, undefined],
    ['of today', { fromNs: today, toNs: today + 1n }, 'by_value,by_resource,by_word'],
    ['that looks back from today', { fromNs: today, toNs: today + 1n }, undefined, 'metric x | promrate 5m'],
  ])(
    '%s leaves out text indexes only where no day that is over is read',
    (_, window, left, text = 'logs | limit 1') => {
      expect(compiled(text, { window }).settings.ignore_data_skipping_indices).toBe(left);
    },
  );

  test('of texts is offered where rows are grouped by attributes of any type', () => {
    const reads = (text: string) => compiled(text).ofTexts?.names;
    expect(reads('logs | stats n=count() by app.customer.id')).toEqual(['logs app.customer.id']);
    expect(reads('spans | stats n=count(), u=count_distinct(b) by a')).toEqual(['spans a', 'spans b']);
    expect(reads('logs | stats n=count() by resource.host.name')).toBeUndefined();
    expect(reads('logs | stats n=count() by service.name')).toBeUndefined();
    expect(reads('logs | where app.customer.id == "x" | stats n=count()')).toBeUndefined();
    expect(reads('logs | fields app.customer.id')).toBeUndefined();
  });
});

describe('an answer', () => {
  test('has the keys first, then the aggregates, in written order', () => {
    expect(compiled('spans | stats p=p99(duration), n=count() by service.name, kind').columns).toEqual([
      { name: 'service.name', type: 'string' },
      { name: 'kind', type: 'string' },
      { name: 'p', type: 'duration' },
      { name: 'n', type: 'int' },
    ]);
  });

  test.each([
    ['logs', 'table'],
    ['logs | stats n=count()', 'scalar'],
    ['logs | stats n=count() by service.name', 'table'],
    ['logs | stats n=count() by bucket(5m)', 'timeseries'],
    ['logs | stats n=count() by bucket(5m) | fields n', 'table'],
    ['metric x | rate', 'timeseries'],
  ])('%s is a %s', (text, kind) => {
    expect(compiled(text).kind).toBe(kind);
  });

  test('requests one row more than its limit', () => {
    expect(compiled('logs | stats n=count() by body').sql).toMatch(/LIMIT 101$/);
    expect(compiled('logs | limit 5').sql).toMatch(/LIMIT 5$/);
    expect(compiled('logs | limit 5000').sql).toMatch(/LIMIT 101$/);
  });

  test('names a column by its alias or its written expression', () => {
    const names = (text: string) => compiled(text).columns.map((column) => column.name);
    expect(names('logs | stats count( ), x=max( time ) by b=lower(body), bucket(5m)')).toEqual([
      'b',
      'time',
      'count()',
      'x',
    ]);
    expect(names('spans | p99 by name')).toEqual(['name', 'p99']);
  });
});

describe('the window', () => {
  test('is half-open, and rounded up where times are stored in milliseconds', () => {
    const window = { fromNs: 1_500_000n, toNs: 2_500_001n };
    const values = Object.values(compiled('metric x', { window }).params).map((parameter) => parameter.value);
    expect(values).toEqual(expect.arrayContaining(['2', '3']));
  });

  test('is the intersection of the request and the query', () => {
    const { window } = compiled('from -30m to now; logs').explain;
    expect(window).toEqual({ from: '2025-11-19T14:30:00Z', to: '2025-11-19T15:00:00Z' });
    expect(compiled('from 2020-01-01 to 2020-01-02; logs').explain.window.from).toBe(
      compiled('from 2020-01-01 to 2020-01-02; logs').explain.window.to,
    );
  });
});

test('explain shows stages with columns, resolved fields, scope, window, statement and limits', () => {
  const { explain } = compiled('spans | where duration > 1s and http.route == "/" | stats n=count() by service.name');
  expect(explain.normalized).toBe(
    'spans | where duration > 1s and http.route == "/" | stats n=count() by service.name',
  );
  expect(explain.stages.map((stage) => stage.op)).toEqual(['spans', 'where', 'stats']);
  expect(explain.stages[0]?.in).toEqual([]);
  expect(explain.stages[2]?.out).toEqual([
    { name: 'service.name', type: 'string' },
    { name: 'n', type: 'int' },
  ]);
  expect(explain.fields).toEqual([
    { ref: 'duration', resolved: 'spans.duration', index: 'minmax of duration' },
    {
      ref: 'http.route',
      resolved: 'attribute or resource attribute http.route',
      index: 'text index of values, in days that are over',
    },
    { ref: 'service.name', resolved: 'spans.service.name', index: 'order key' },
  ]);
  expect(explain).toMatchObject({
    scope: options.scope,
    window: { from: '2025-11-19T14:00:00Z', to: '2025-11-19T15:00:00Z' },
    estimate: null,
    warnings: [],
  });
  expect(explain.sql).toMatch(/^WITH|^SELECT/);
});

test('decodes a row by its columns', () => {
  const columns = (
    ['timestamp', 'timestamp', 'int', 'int', 'duration', 'float', 'float', 'bool', 'string', 'map', 'map'] as const
  ).map((type) => ({ name: type, type }));
  const row = [
    '2026-11-19 14:53:20.120000000',
    '2026-11-19 14:50:00',
    '9007199254740993',
    '42',
    '1500',
    'nan',
    0.5,
    1,
    null,
    { a: 'b' },
    [
      { route: '/' },
      { id: '7', big: '9007199254740993' },
      { amount: 1.5 },
      { ok: true },
      { list: '[1,"a"]', odd: '{' },
    ],
  ];
  expect(decodeRow(columns, row)).toEqual([
    '2026-11-19T14:53:20.120Z',
    '2026-11-19T14:50:00Z',
    '9007199254740993',
    42,
    1500,
    'NaN',
    0.5,
    true,
    null,
    { a: 'b' },
    { route: '/', id: 7, big: '9007199254740993', amount: 1.5, ok: true, list: [1, 'a'], odd: '{' },
  ]);
});

describe('the resource of a row', () => {
  test.each(['spans | limit 5', 'logs | where resource.region == "eu" | fields body, resource'])(
    'is read as a text for an answer: %s',
    (query) => {
      expect(compiled(query).sql).toContain('resource_text AS r');
      expect(compiled(query, { asTable: true }).sql).not.toContain('resource_text');
    },
  );

  test('stays a map for conditions', () => {
    expect(compiled('logs | where resource.region == "eu" | stats n=count()').sql).not.toContain('resource_text');
  });

  test('is decoded the same from its map and from its text', () => {
    const columns = [{ name: 'resource', type: 'map' }] as const;
    const texts = { a: 'b', cpus: '8', list: '[1]' };
    const types = '\0cpus\x01n\0list\x01j';
    const of = (value: unknown) => decodeRow(columns, [value]);
    expect(of(JSON.stringify([texts, types, 'https://example.com', 3]))).toEqual(of([texts, types]));
    expect(of([texts, types])).toEqual([{ a: 'b', cpus: 8, list: [1] }]);
    expect(of('')).toEqual([{}]);
  });
});

describe('an unused column', () => {
  const sqlOf = (text: string) => compiled(text).sql;

  test('is not collected for a match', () => {
    const { sql } = compiled('spans | match a{kind == server} >> b{status == error} | stats n=count() by b.name');
    expect(sql).not.toMatch(/attributes|resource|duration|weight AS/);
    expect(sqlOf('spans | match a{kind == server} >> b{status == error} | fields b.http.route')).toContain(
      'string_attributes[',
    );
  });

  test('is not expanded for events, whose rows come from one array', () => {
    expect(sqlOf('events | stats n=count()')).toContain('ARRAY JOIN event_time AS');
    expect(sqlOf('events | stats n=count()')).not.toContain('event_attributes');
    expect(sqlOf('events | stats n=count() by exception.type')).toContain('event_attributes');
  });
});

test('normalizes a query and leaves one that does not parse unchanged', () => {
  expect(format('logs|where  (a==1)and b == 90s//x\n|limit 5')).toBe('logs | where a == 1 and b == 1m30s | limit 5');
  expect(format('logs | where (')).toBe('logs | where (');
});
