import { describe, expect, test } from 'vitest';
import { compile } from './compile.ts';
import { LIMITS } from './syntax/guard.ts';
import { WORST_TEXTS } from './testing/worst-texts.ts';

const window = { fromNs: 0n, toNs: 3_600_000_000_000n };
const options = { scope: { workspace: 1 }, window, limit: 10, nowNs: window.toNs };

describe('a text that demands as much work as possible', () => {
  // A text that takes minutes fails by the test's time limit, which is not a measurement.
  test.each(Object.entries(WORST_TEXTS))('%s', (_, text) => {
    expect(text.length).toBeLessThanOrEqual(LIMITS.characters);
    const compiled = compile(text, options);
    if (compiled.ok) expect(compiled.sql.length).toBeLessThanOrEqual(LIMITS.statement);
    else expect(compiled.diagnostics.some(({ severity }) => severity === 'error')).toBe(true);
  });
});

test('reads only a few tables for each of thirty joins', () => {
  const text = `spans | ${Array.from({ length: 30 }, (_, i) => `join logs on trace_id as l${i}`).join(' | ')} | count`;
  const compiled = compile(text, options);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics));
  expect(compiled.sql.match(/FROM (?:spans|logs)\b/g)?.length).toBeLessThan(60);
});

test('limits the number of joined conditions, without those in texts and names', () => {
  const codes = (text: string) => {
    const compiled = compile(text, options);
    return compiled.ok ? [] : compiled.diagnostics.map(({ message }) => message);
  };
  const joined = (count: number) =>
    `logs | where ${Array(count).fill('1 == 1').join(' or ')} and body == "${'or '.repeat(2_000)}"`;
  expect(codes(joined(1_000))).toEqual([]);
  expect(codes(joined(LIMITS.conditions))).toEqual([
    'A query joins at most 1200 conditions. For many values of one field, write `field in (…)`.',
  ]);
  expect(codes('logs | where sand == 1 and attr.or == 2')).toEqual([]);
});

test('limits the number of fields in a query', () => {
  const text = (count: number) => `logs | where a in (${Array(count).fill('b').join(', ')})`;
  const messages = (count: number) => {
    const compiled = compile(text(count), options);
    return compiled.ok ? [] : compiled.diagnostics.map(({ code, message }) => `${code} ${message}`);
  };
  expect(messages(100)).toEqual([]);
  expect(messages(4_000)).toEqual([`OQL-1001 A query names at most ${LIMITS.names} fields, counting each use.`]);
});
