import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applySuggestion, toDiagnostic } from '../diagnostics/diagnostic.ts';
import { query } from '../testing/arbitrary.ts';
import { CORPUS } from '../testing/corpus.ts';
import type { Query } from './ast.ts';
import { LIMITS } from './guard.ts';
import { parse } from './parse.ts';
import { printQuery } from './print.ts';

/** A tree without positions. */
function shape(query: Query | undefined): unknown {
  return JSON.parse(
    JSON.stringify(query, (key, value) =>
      key === 'start' || key === 'end' ? undefined : typeof value === 'bigint' ? `${value}n` : value,
    ),
  );
}

test.each(CORPUS)('%s', (text) => {
  const { query, findings } = parse(text);
  expect(findings).toEqual([]);
  if (!query) throw new Error('no tree');
  const normal = printQuery(query);
  const again = parse(normal);
  expect(again.findings).toEqual([]);
  expect(shape(again.query)).toEqual(shape(query));
  expect(again.query && printQuery(again.query)).toBe(normal);
});

describe('mistakes', () => {
  /** The text, the offset of its first mistake, and the text after applying the suggestion. */
  const mistakes: readonly (readonly [text: string, at: number, corrected: string])[] = [
    ['spans | wher duration > 1s', 8, 'spans | where duration > 1s'],
    ['spans | wher status == error | limit 5', 8, 'spans | where status == error | limit 5'],
    ['spans | where status = error | limit 5', 21, 'spans | where status == error | limit 5'],
    ['spans | where status == error adn kind == server', 30, 'spans | where status == error and kind == server'],
    ['logs | stats n=count( by service.name | limit 5', 22, 'logs | stats n=count( ) by service.name | limit 5'],
    ['logs | where body has "timeout', 22, 'logs | where body has "timeout"'],
    ['spans | where duration > 100mss', 25, 'spans | where duration > 100ms'],
    ['spans where status == error', 6, 'spans | where status == error'],
    ['logs | sort time desc | limit 5', 17, 'logs | sort -time | limit 5'],
    ['logs | sort service.name asc', 25, 'logs | sort service.name'],
    ['spans | match a{status == error >> b{x == 1}', 32, 'spans | match a{status == error} >> b{x == 1}'],
    ['metric x | sum by service.name bucket(5m)', 31, 'metric x | sum by service.name, bucket(5m)'],
    ['form -1h to now; logs', 0, 'from -1h to now; logs'],
    ['logs | where (a == 1 and b == 2 | limit 5', 32, 'logs | where (a == 1 and b == 2) | limit 5'],
    ["logs | where a == 'x' | limit 5", 18, 'logs | where a == "x" | limit 5'],
    ['logs | summarize n=count() by x', 7, 'logs | stats n=count() by x'],
    ['logs | stats count() bye service.name', 21, 'logs | stats count() by service.name'],
    ['logs | where a && b', 15, 'logs | where a and b'],
    ['logs | where a || b', 15, 'logs | where a or b'],
  ];
  test.each(mistakes)('%s', (text, at, corrected) => {
    const [finding] = parse(text).findings;
    if (!finding) throw new Error('no finding');
    const diagnostic = toDiagnostic(text, finding);
    expect(diagnostic.span.start).toBe(at);
    expect(diagnostic.code).toMatch(/^OQL-\d{4}$/);
    if (!diagnostic.suggestion) throw new Error(`no suggestion: ${diagnostic.message}`);
    expect(applySuggestion(text, diagnostic.suggestion)).toBe(corrected);
    expect(parse(corrected).findings).toEqual([]);
  });

  test('reports every broken stage and keeps the valid ones', () => {
    const text = 'logs | wher x | where y = 1 | limit 7 | limt 5 | sort a b';
    const { query, findings } = parse(text);
    expect(findings.map((finding) => finding.range.start)).toEqual([7, 24, 40, 56]);
    expect(query?.pipeline.stages.map((stage) => stage.kind)).toEqual([
      'broken',
      'broken',
      'limit',
      'broken',
      'broken',
    ]);
  });

  test('reports mistakes inside a sub-query and after it', () => {
    const { findings } = parse('spans | where a in (logs | where b = 1 | fields c) and z == 1 | stats n=count( by x');
    expect(findings.map((finding) => finding.range.start)).toEqual([35, 79]);
  });

  test('counts line and column from 1, offsets in UTF-16 units', () => {
    const text = 'logs // 𝒳\n| where é == 1\n| limt 5';
    const [finding] = parse(text).findings;
    expect(finding && toDiagnostic(text, finding).span).toEqual({
      start: text.indexOf('limt'),
      end: text.indexOf('limt') + 4,
      line: 3,
      column: 3,
    });
  });

  test('names the sources for an empty text', () => {
    expect(parse(' ').findings[0]?.message).toContain('logs, spans');
  });
});

describe('limits, checked before parsing', () => {
  const bombs: readonly (readonly [name: string, text: string])[] = [
    ['OQL-1001', `logs | where a == "${'x'.repeat(LIMITS.characters)}"`],
    ['OQL-1001', 'x'.repeat(1_000_000)],
    ['OQL-1002', `spans | where ${'('.repeat(10_000)}true`],
    ['OQL-1004', `spans | where a in ${'(spans | where b in '.repeat(101)}`],
    ['OQL-1003', `spans | where n in (${Array(6_000).fill('1').join(',')})`],
    ['OQL-1004', `logs${' | limit 1'.repeat(65)}`],
  ];
  test.each(bombs)('%s', (code, text) => {
    const { query, findings } = parse(text);
    expect(query).toBeUndefined();
    expect(findings.map((finding) => toDiagnostic(text, finding).code)).toEqual([code]);
  });

  test('does not count brackets in strings, quoted names and comments', () => {
    const brackets = '('.repeat(500);
    expect(
      parse(`logs | where body has "${brackets}" /* ${brackets} */ and \`${brackets}\` == 1 // ${brackets}`).findings,
    ).toEqual([]);
  });
});

test('never throws while parsing', () => {
  const pieces = fc.constantFrom(
    ...'logs | where stats by limit ( ) { } [ ] " ` // /* */ == = a.b 5m 10MB 1.5 2026-11-19 $x and or not in count -> >> ~ ; let \n'.split(
      ' ',
    ),
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ maxLength: 200 }),
        fc.array(pieces, { maxLength: 40 }).map((words) => words.join(' ')),
      ),
      (text) => {
        const { query, findings } = parse(text);
        expect(query !== undefined || findings.length > 0).toBe(true);
        for (const { range } of findings) {
          expect(range.start).toBeGreaterThanOrEqual(0);
          expect(range.start).toBeLessThanOrEqual(text.length);
        }
      },
    ),
    { numRuns: 500 },
  );
});

test('finds a mistake anywhere in a valid query without throwing', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...CORPUS),
      fc.nat(),
      fc.constantFrom('', '|', ')', '(', '=', '"', '`', ' x ', '5mx'),
      (text, at, piece) => {
        const where = at % text.length;
        expect(() => parse(text.slice(0, where) + piece + text.slice(where + 1))).not.toThrow();
      },
    ),
    { numRuns: 500 },
  );
});

test('parses the normal form of any query to the same tree', () => {
  fc.assert(
    fc.property(query, (text) => {
      const parsed = parse(text);
      if (!parsed.query || parsed.findings.length > 0) return;
      const normal = printQuery(parsed.query);
      const again = parse(normal);
      expect(again.findings).toEqual([]);
      expect(shape(again.query)).toEqual(shape(parsed.query));
    }),
    { numRuns: 500 },
  );
});
