import type { FieldCatalogue } from '../check/catalogue.ts';
import { FIXTURE_TABLES } from './fixture.ts';
import { type FixtureTable, rows, START, TENANT } from './world.ts';

/** Spans with attributes of every type, including values that JSON cannot hold; queries find them by span name. */
const none = { strings: {}, ints: {}, floats: {}, bools: {}, jsons: {}, resource: {}, events: [], link: ['', ''] };
const hex = (n: number, digits: number) => n.toString(16).padStart(digits, '0');

const spans = [
  { name: 'text', strings: { a: 'pear', word: 'x' } },
  { name: 'text', strings: { a: 'apple', word: '7' } },
  { name: 'number', ints: { a: 72, n: 10 } },
  { name: 'number', floats: { a: 72.5, n: 9 } },
  { name: 'bool', bools: { a: true } },
  { name: 'list', jsons: { arr: '["a",1,true,null,[2]]' } },
  { name: 'list', jsons: { arr: '["b"]' }, strings: { tags: 'a b' } },
  { name: 'map', jsons: { kv: '{"x":{"y":5,"z":"t","big":9007199254740993},"n":[1,2],"near":9007199254740992}' } },
  { name: 'nested', jsons: { order: '{"items":[{"sku":"s1","tags":["a","b"]}],"first":{"of":{"all":1.5}}}' } },
  { name: 'nan', floats: { f: 'nan' } },
  { name: 'infinite', floats: { f: 'inf' } },
  { name: 'infinite', floats: { f: '-inf' } },
  { name: 'large', ints: { big: '9007199254740993' } },
  { name: 'huge', ints: { big: '9223372036854775807' } },
  { name: 'huge', ints: { big: '9223372036854775807' } },
].map((one, at) => ({
  ...TENANT,
  ...none,
  ...one,
  time: START + BigInt(at),
  duration: at,
  trace_id: hex(at + 1, 32),
  span_id: hex(at + 1, 16),
  parent_span_id: '',
  service: 'shop',
  kind: 'server',
  status: 'ok',
  weight: 1,
}));

export const VALUE_TABLES: readonly FixtureTable[] = [{ insert: FIXTURE_TABLES[0]?.insert ?? '', rows: rows(spans) }];

/** The fields that the server would know for them. */
export const VALUE_CATALOGUE: FieldCatalogue = {
  fields: [
    { signal: 'spans', scope: 'attribute', name: 'a', types: ['string', 'int', 'float', 'bool'] },
    { signal: 'spans', scope: 'attribute', name: 'n', types: ['int', 'float'] },
    { signal: 'spans', scope: 'attribute', name: 'word', types: ['string'] },
    { signal: 'spans', scope: 'attribute', name: 'arr', types: ['json'] },
    { signal: 'spans', scope: 'attribute', name: 'kv', types: ['json'] },
  ],
};
