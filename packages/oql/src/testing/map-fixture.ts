import type { FieldCatalogue } from '../check/catalogue.ts';
import { type FixtureTable, rows, START, TENANT } from './world.ts';

/**
 * One row in each table, and one event and link, with attributes in every place: a name with dots, a map, a list, and a
 * name with dots beside a map that has the same path.
 */
const texts = {
  'flat.a.b': 'x',
  m: '{"a":{"b":"x","n":5},"list":["p","q"],"both":"other","nothing":null}',
  'deep.m': '{"a":{"b":"x"}}',
  arr: '["p","q"]',
  'm.both': 'x',
  word: 'x',
};
const JSONS = ['m', 'deep.m', 'arr'];
const isJson = (name: string) => JSONS.includes(name);
const strings = Object.fromEntries(Object.entries(texts).filter(([name]) => !isJson(name)));
const jsons = Object.fromEntries(Object.entries(texts).filter(([name]) => isJson(name)));
const letters = JSONS.map((name) => `\0${name}\x01j`).join('');

const row = { ...TENANT, time: START, texts, strings, jsons, letters };
const structure =
  'workspace UInt32, project UInt32, environment String, time Int64, texts Map(String, String), strings Map(String, String), jsons Map(String, String), letters String';

/** @param values of the table's other columns */
function table(name: string, values: Readonly<Record<string, string>>): FixtureTable {
  const all = {
    workspace: 'workspace',
    project: 'project',
    environment: 'environment',
    retention_days: '3650',
    ...values,
  };
  return {
    insert: `INSERT INTO ${name} (${Object.keys(all).join(', ')}) SELECT ${Object.values(all).join(', ')} FROM format(JSONEachRow, '${structure}', {data})`,
    rows: rows([row]),
  };
}

const time = `fromUnixTimestamp64Nano(time, 'UTC')`;
const millis = `fromUnixTimestamp64Milli(intDiv(time, 1000000), 'UTC')`;
const id = (bytes: number) => `toFixedString(unhex(repeat('ab', ${bytes})), ${bytes})`;
const ids = { trace_id: id(16), span_id: id(8) };
const resource = { resource: 'texts', resource_types: 'letters' };
const scope = { scope_attributes: 'texts', scope_types: 'letters' };
const typed = { string_attributes: 'strings', json_attributes: 'jsons' };
const ofSeries = { attributes: 'texts', attribute_types: 'letters' };

export const MAP_TABLES: readonly FixtureTable[] = [
  table('spans', {
    ...{ time, ...ids, ...resource, ...scope, ...typed, weight: '1', service: `'shop'` },
    ...{ event_time: `[${time}]`, event_name: `['e']`, event_attributes: '[texts]', event_types: '[letters]' },
    event_dropped_attributes_count: '[0]',
    ...{
      link_trace_id: `[${id(16)}]`,
      link_span_id: `[${id(8)}]`,
      link_attributes: '[texts]',
      link_types: '[letters]',
    },
    ...{ link_trace_state: `['']`, link_flags: '[0]', link_dropped_attributes_count: '[0]' },
  }),
  table('logs', { time, observed_time: time, ...ids, ...resource, ...scope, ...typed, service: `'shop'`, body: `'b'` }),
  table('metric_series', {
    ...{ day: `toDate(${time})`, metric: `'g'`, series: '1', kind: `'gauge'`, service: `'shop'` },
    ...{ ...resource, ...scope, ...ofSeries },
  }),
  table('metric_points', { metric: `'g'`, series: '1', time: millis, value: '1' }),
  table('exemplars', { metric: `'g'`, series: '1', time: millis, value: '1', ...ids, ...ofSeries }),
  table('profile_samples', {
    ...{ profile_type: `'cpu:nanoseconds'`, service: `'shop'`, time, stack_id: '1', value: '1', ...ids },
    ...{ ...resource, ...ofSeries },
  }),
  table('profile_stacks', { day: `toDate(${time})`, stack_id: '1', frames: `['main']`, files: `['']`, lines: '[0]' }),
];

/** What the server lists of them. */
export const MAP_CATALOGUE: FieldCatalogue = {
  fields: (['spans', 'logs', 'metric'] as const).flatMap((signal) =>
    (['attribute', 'resource'] as const).flatMap((of) =>
      Object.keys(texts).map((name) => {
        const isTyped = of === 'attribute' && signal !== 'metric';
        return { signal, scope: of, name, types: [isTyped && isJson(name) ? ('json' as const) : ('string' as const)] };
      }),
    ),
  ),
};
