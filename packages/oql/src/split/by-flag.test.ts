import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compile } from '../compile.ts';
import { format } from '../format.ts';
import { userText } from '../testing/arbitrary.ts';
import { CORPUS } from '../testing/corpus.ts';
import { NOW, WINDOW } from '../testing/fixture.ts';
import { splitByFlag } from './by-flag.ts';

const options = { scope: { workspace: 7, project: 1 }, window: WINDOW, limit: 100, nowNs: NOW } as const;
const join =
  'join (flags "k" | where trace_id != null and variant != null | stats least=min(variant), most=max(variant) by trace_id | extend variant = if(least == most, least, "several variants")) on trace_id as fanion_split';

function split(text: string, flag = 'k'): string {
  const result = splitByFlag(text, flag);
  return result.ok ? result.text : `refused: ${result.reason}`;
}

describe('a query split by a flag', () => {
  it.each<[string, string, string]>([
    [
      'groups',
      'spans | where kind == server | stats n=count() by service.name, bucket(5m) | sort -n',
      `spans | where kind == server | ${join} | stats n=count() by variant=fanion_split.variant, service.name, bucket(5m) | sort -n`,
    ],
    ['no keys', 'logs | count', `logs | ${join} | count by variant=fanion_split.variant`],
    [
      'groups of groups',
      'spans | stats n=count() by trace_id | stats most=max(n)',
      `spans | ${join} | stats n=count() by variant=fanion_split.variant, trace_id | stats most=max(n) by variant`,
    ],
    ['rows', 'logs | limit 5', `logs | ${join} | extend variant = fanion_split.variant | limit 5`],
    [
      'chosen columns',
      'spans | where root | fields time, name',
      `spans | where root | ${join} | extend variant = fanion_split.variant | fields time, name, variant`,
    ],
    [
      'patterns',
      'logs | patterns by service.name',
      `logs | ${join} | patterns by variant=fanion_split.variant, service.name`,
    ],
    [
      'a column that is called variant',
      'spans | stats n=count() by variant',
      `spans | ${join} | stats n=count() by flag_variant=fanion_split.variant, variant`,
    ],
    [
      'evaluations of the flag',
      'flags "k" | stats n=count() by bucket(5m)',
      'flags "k" | stats n=count() by variant, bucket(5m)',
    ],
    ['what is split already', 'flags "k" | stats n=count() by variant', 'flags "k" | stats n=count() by variant'],
    ['evaluations of another flag', 'flags "o" | count', `flags "o" | ${join} | count by variant=fanion_split.variant`],
    [
      'a variable',
      'spans | where service.name == $s | count',
      `spans | where service.name == $s | ${join} | count by variant=fanion_split.variant`,
    ],
    ['a text that does not parse', 'spans | wher x', 'spans | wher x'],
  ])('has the variant as a column beside %s', (_, text, expected) => {
    expect(split(text)).toBe(expected);
  });

  it.each([
    ['metric http.server.request.count | sum', 'trace'],
    ['profiles cpu | stats n=count()', 'trace'],
    ['spans | stats n=count() by name | union (logs | stats n=count() by name)', 'join flags'],
    ['spans | contrast (status == error)', 'contrast'],
    ['let slow = (spans | where duration > 1s); slow | count', 'begins with another query'],
    ['spans | stats n=count() by trace_id | join logs on trace_id as l | limit 5', 'grouped'],
  ])('is refused with what to do: %s', (text, reason) => {
    expect(split(text)).toContain('refused: ');
    expect(split(text)).toContain(reason);
  });

  it('compiles wherever the query compiles, or is refused', () => {
    const compiles = CORPUS.filter((text) => compile(text, options).ok);
    expect(compiles.length).toBeGreaterThan(10);
    for (const text of compiles) {
      const result = splitByFlag(text, 'k');
      if (!result.ok) continue;
      const compiled = compile(result.text, options);
      expect(compiled.ok ? [] : [result.text, ...compiled.diagnostics]).toEqual([]);
      if (compiled.ok) expect(compiled.columns.map(({ name }) => name)).toContain(result.column);
    }
  });

  it('keeps any key of a flag within its quotes', () => {
    fc.assert(
      fc.property(userText, (flag) => {
        const text = split('spans | count', flag);
        expect(format(text)).toBe(text);
        expect(compile(text, options).ok).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});
