import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beginsWith, describeFields, type FieldRow, parseField, rankValues } from './rules.ts';
import { looksFor, sentTypes } from './sent-types.ts';

const row = (name: string, rows: number, more: Partial<FieldRow> = {}): FieldRow => ({
  source: 'spans',
  scope: 'attribute',
  name,
  type: 'string',
  rows,
  cardinality: 1,
  latest: 0,
  ...more,
});
const everyRow = row('service.name', 200, { scope: 'field' });

describe('fields', () => {
  it('have their frequency among the rows of their source, and all of their types', () => {
    const fields = describeFields([
      everyRow,
      row('service.name', 50, { scope: 'field', source: 'logs' }),
      row('id', 30, { type: 'int', cardinality: 4 }),
      row('id', 70, { cardinality: 9 }),
      row('id', 25, { source: 'logs' }),
    ]);
    expect(fields.map(({ source, name, types, frequency }) => [source, name, types, frequency])).toEqual([
      ['logs', 'service.name', ['string'], 1],
      ['spans', 'service.name', ['string'], 1],
      ['logs', 'id', ['string'], 0.5],
      ['spans', 'id', ['string', 'int'], 0.5],
    ]);
    expect(fields.find(({ name, source }) => name === 'id' && source === 'spans')).toMatchObject({
      rows: 100,
      cardinality: 13,
    });
  });
  it('are ordered by kind, then frequency, then name', () => {
    const rows = [row('b', 10), row('a', 10), row('c', 20), row('host', 200, { scope: 'resource' }), everyRow];
    expect(describeFields(rows).map(({ name }) => name)).toEqual(['service.name', 'c', 'a', 'b', 'host']);
  });
  it('are found by the prefix of a name or of one of its parts', () => {
    expect(['http', 'resp', 'STATUS', ''].map((text) => beginsWith('http.response.status_code', text))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(beginsWith('http.response.status_code', 'ode')).toBe(false);
  });
  it('are written with a prefix when one scope is meant', () => {
    expect(parseField('resource.host.name')).toEqual({ name: 'host.name', scopes: ['resource'] });
    expect(parseField('attr.id')).toEqual({ name: 'id', scopes: ['attribute'] });
    expect(parseField('id').scopes).toHaveLength(3);
  });
});

describe('values', () => {
  it('are summed and ranked; shares are of all values, also of those not shown', () => {
    const values = [
      { value: 'GET', count: 5 },
      { value: 'get', count: 1 },
      { value: 'POST', count: 3 },
      { value: 'GET', count: 1 },
      { value: '', count: 100 },
    ];
    expect(rankValues(values, 'g', 10)).toEqual([
      { value: 'GET', count: 6, share: 0.6 },
      { value: 'get', count: 1, share: 0.1 },
    ]);
    expect(rankValues(values, '', 1)).toHaveLength(1);
  });
  it('have shares that sum to at most one', () => {
    const counted = fc.array(fc.record({ value: fc.string({ maxLength: 3 }), count: fc.nat(100) }));
    fc.assert(
      fc.property(counted, fc.string({ maxLength: 1 }), (values, search) => {
        const sum = rankValues(values, search, 50).reduce((all, { share }) => all + share, 0);
        expect(sum).toBeLessThanOrEqual(1 + 1e-9);
      }),
    );
  });
});

describe('types of attributes that are stored as text', () => {
  const typesOf = (letters: string, ...texts: string[]) =>
    sentTypes(
      new Set(letters),
      texts.map((value, at) => ({ value, count: texts.length - at })),
    );
  it.each([
    ['n', ['1', '22'], ['int']],
    ['n', ['1', '2.5', '1e-7'], ['float']],
    ['n', ['x', '1'], ['string', 'int']],
    ['n', ['x'], ['string', 'float']],
    ['nf', ['1', 'NaN'], ['float']],
    ['n', ['1', 'NaN'], ['int', 'string']],
    ['b', ['true', 'false'], ['bool']],
    ['b', ['true', '1'], ['bool', 'string']],
    ['j', ['[1,2]', '{"a":1}'], ['json']],
    ['nb', ['1', '', 'true'], ['int', 'bool']],
    ['bj', ['on', '[1]'], ['string', 'json', 'bool']],
  ])('%s with the values %j: %j', (letters, texts, types) => {
    expect(typesOf(letters, ...texts)).toEqual(types);
  });

  it('are looked for where a field was last seen, in few buckets', () => {
    const seen = [1, 2, 3, 4, 5, 5].map((latest) => ({ source: 'spans', scope: 'resource', latest }) as const);
    expect(
      looksFor([
        ...seen,
        { source: 'spans', scope: 'attribute', latest: 9 },
        { source: 'metrics', scope: 'attribute', latest: 7 },
      ]),
    ).toEqual([
      { source: 'spans', scope: 'resource', buckets: [5, 4, 3, 2] },
      { source: 'metrics', scope: 'attribute', buckets: [7] },
    ]);
  });
});
