import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { isAboutServers, isOrdered, selectOf } from './comparison.ts';
import { isIn, literalsIn, literalsOf, missingIn, sourcesOf } from './literals.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('statements of the two-shards tier', () => {
  it.each([
    ["SELECT name FROM system.tables WHERE database = 'x'", true],
    ['SELECT * FROM clusterAllReplicas(telemetry, system.parts)', true],
    ['EXPLAIN ESTIMATE SELECT 1 FROM spans', true],
    ["SELECT string_attributes['db.system.name'] FROM spans", false],
    ["SELECT attributes['it\\'s system.parts'] FROM spans", false],
    ["SELECT name FROM spans WHERE body = 'EXPLAIN'", false],
    ['SELECT operating_system.name FROM spans', false],
  ])('isAboutServers(%s) is %s', (sql, isOne) => {
    expect(isAboutServers(sql)).toBe(isOne);
  });

  it.each([
    ['INSERT INTO service_edges (a, b) SELECT a, b FROM spans', 'SELECT a, b FROM spans'],
    ['INSERT INTO service_edges\n  WITH 1 AS x SELECT x FROM spans', 'WITH 1 AS x SELECT x FROM spans'],
    ['INSERT INTO spans FORMAT Native', undefined],
    ['ALTER TABLE spans DELETE WHERE 1', undefined],
  ])('selectOf(%s) is %s', (sql, select) => {
    expect(selectOf(sql)).toBe(select);
  });

  it.each([
    ['SELECT a FROM t ORDER BY a', true],
    ['SELECT a FROM (SELECT a FROM t ORDER BY a)', false],
    ["SELECT ') ORDER BY ' FROM t", false],
  ])('isOrdered(%s) is %s', (sql, isOne) => {
    expect(isOrdered(sql)).toBe(isOne);
  });
});

describe('search for statements in the source', () => {
  /** `#` stands for the dollar sign of placeholders. */
  const code = (text: string) => text.replaceAll('#', '$');
  const fixedIn = (source: string) =>
    literalsIn('a.ts', source).map(({ at, fixed, isTagged }) => [at, fixed, isTagged]);

  it.each<[string, string, unknown[]]>([
    ['a string', "const a = 'SELECT 1';", [['a.ts:1', ['SELECT 1'], false]]],
    ['a string in double quotes, with a single one', `a("it's SELECT 1")`, [['a.ts:1', ["it's SELECT 1"], false]]],
    ['a template', 'a;\n`SELECT #{b} FROM #{c}`', [['a.ts:2', ['SELECT ', ' FROM ', ''], false]]],
    [
      'a template within another',
      '`x #{a ? `SELECT #{b}` : `{`} y`',
      [
        ['a.ts:1', ['SELECT ', ''], false],
        ['a.ts:1', ['{'], false],
        ['a.ts:1', ['x ', ' y'], false],
      ],
    ],
    ['a tagged template', 'sql<number>`SELECT 1`', [['a.ts:1', ['SELECT 1'], true]]],
    ['no comments', "// it's `x`\n/* `y` */ 'z'", [['a.ts:2', ['z'], false]]],
  ])('finds %s', (_name, source, found) => {
    expect(fixedIn(code(source))).toEqual(found);
  });

  it('finds every SELECT in features, platform and protocols', () => {
    const missed = sourcesOf(root).flatMap(([path, source]) => {
      const texts = literalsIn(path, source)
        .flatMap(({ fixed }) => fixed)
        .join('\0');
      return source.split('\n').flatMap((line, at) => {
        const [select] = /\bSELECT\s[^$`'"\\]*/.exec(/^\s*(?:\*|\/[/*])/.test(line) ? '' : line) ?? [];
        return select === undefined || texts.includes(select.trimEnd()) ? [] : [`${path}:${at + 1}`];
      });
    });
    expect(missed).toEqual([]);
    expect(literalsOf(root).length).toBeGreaterThan(140);
  });

  it('reports a piece of SQL that no test compared', () => {
    const [whole, part] = literalsIn('a.ts', code("`SELECT #{a} FROM spans #{b}`; 'SELECT 2'"));
    const asked = ['SELECT x FROM spans WHERE y'];
    if (whole === undefined || part === undefined) throw new Error('two literals');
    expect(isIn(asked[0] ?? '', whole)).toBe(true);
    expect(missingIn(asked, [whole, part])).toEqual([part]);
    expect(missingIn(['FROM spans SELECT 2'], [whole, part])).toEqual([whole]);
  });
});
