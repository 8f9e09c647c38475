import { afterAll, beforeAll, expect, test } from 'vitest';
import { compile } from './compile.ts';
import { type Engine, startEngine } from './testing/engine.ts';
import { NOW, SCOPE, WINDOW } from './testing/fixture.ts';
import { MAP_CATALOGUE as catalogue, MAP_TABLES } from './testing/map-fixture.ts';

/** Values inside of attributes are found in every source and every place, by a dotted name too. */

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine(MAP_TABLES);
});
afterAll(() => engine.stop());

const SOURCES = ['spans', 'logs', 'events', 'links', 'metric g', 'exemplars g', 'profiles cpu', 'traces'] as const;
const PLACES = ['', 'attr.', 'resource.', 'scope.', 'span.'] as const;

/** Conditions that hold, with the place in front of each name. */
const HOLD = [
  'flat.a.b == "x"',
  'm.a.b == "x"',
  'm.a.n > 4',
  'm.list has "q"',
  'deep.m.a.b == "x"',
  'arr[0] == "p"',
  // The name with dots comes first.
  'm.both == "x"',
] as const;
const FAIL = ['m.both == "other"', 'm.nothing exists', 'word.a exists'] as const;

const isSaid = (source: string, place: string) => {
  if (place === 'attr.') return source === 'events' || source === 'spans';
  if (place === 'scope.') return source !== 'profiles cpu';
  return place !== 'span.' || source === 'events' || source === 'links' || source === 'spans';
};

test.each(SOURCES)('%s finds what is inside in every place, and nothing else', async (source) => {
  const said = (conditions: readonly string[]) =>
    PLACES.filter((place) => isSaid(source, place)).flatMap((place) => conditions.map((one) => `${place}${one}`));
  const all = [...said(HOLD), ...said(FAIL)];
  const columns = all.map((one, at) => `c${at} = ${source === 'traces' ? `any(${one})` : `(${one})`}`);
  const names = all.map((_, at) => `c${at}`).join(', ');
  const { rows } = await engine.ask(`${source} | extend ${columns.join(', ')} | fields ${names}`, { catalogue });
  expect(rows).toHaveLength(1);
  expect(all.filter((_, at) => rows[0]?.[at] === true)).toEqual(said(HOLD));
});

test.each(SOURCES)('%s finds the same in attributes of which some are not listed', async (source) => {
  const said = PLACES.filter((place) => isSaid(source, place)).flatMap((place) => HOLD.map((one) => `${place}${one}`));
  const all = said.map((one) => (source === 'traces' ? `any(${one})` : one));
  const { rows } = await engine.ask(`${source} | where ${all.join(' and ')} | count`, {
    catalogue: { fields: [], partial: true },
  });
  expect(rows).toEqual([[1]]);
});

test('calls no attribute unseen where some are not listed', () => {
  const options = { scope: SCOPE, window: WINDOW, limit: 10, nowNs: NOW, catalogue: { fields: [], partial: true } };
  const compiled = compile('spans | where m.a.b == "x" and http.request.method == "GET"', options);
  expect(compiled).toMatchObject({ ok: true, warnings: [] });
  // An older SDK may have sent it under its former name.
  expect(compiled.ok && Object.values(compiled.params).map(({ value }) => value)).toContain('http.method');
});

test('samples of profiles have no scope, which is an error', () => {
  const compiled = compile('profiles cpu | where scope.a == "x"', {
    scope: SCOPE,
    window: WINDOW,
    limit: 10,
    nowNs: NOW,
  });
  expect(compiled).toMatchObject({ ok: false, diagnostics: [{ code: 'OQL-3003' }] });
});

test('returns and groups by what is inside of the map of an event', async () => {
  const { rows } = await engine.ask('events | stats n=count() by m.a.b, m.a.n, m.a');
  expect(rows).toEqual([['x', 5, { b: 'x', n: 5 }, 1]]);
});
