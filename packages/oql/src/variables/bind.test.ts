import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validate } from '../compile.ts';
import { format } from '../format.ts';
import { type BoundVariable, bindVariables, variablesIn } from './bind.ts';

const values = (...values: (string | number | boolean)[]): BoundVariable => ({ kind: 'values', values });
/** The use of a variable within a quoted text. */
const braced = (name: string) => `\${${name}}`;
const any: BoundVariable = { kind: 'any' };

function bound(text: string, variables: Record<string, BoundVariable>): string {
  const result = bindVariables(text, new Map(Object.entries(variables)));
  return result.ok ? format(result.text) : `refused: ${result.reason}`;
}

describe('variables of a query', () => {
  it.each<[string, string, Record<string, BoundVariable>, string]>([
    ['one value', 'spans | where service.name == $s', { s: values('cart') }, 'spans | where service.name == "cart"'],
    ['a number', 'spans | where n > $n', { n: values(-5) }, 'spans | where n > -5'],
    ['a boolean', 'spans | where paid == $p', { p: values(true) }, 'spans | where paid == true'],
    ['several', 'spans | where a == $s', { s: values('x', 'y') }, 'spans | where (a in ("x", "y"))'],
    ['none of several', 'spans | where a != $s', { s: values('x', 'y') }, 'spans | where (a not in ("x", "y"))'],
    ['several patterns', 'spans | where a =~ $s', { s: values('x', 'y') }, 'spans | where (a =~ "x" or a =~ "y")'],
    ['no pattern', 'spans | where a !~ $s', { s: values('x', 'y') }, 'spans | where (a !~ "x" and a !~ "y")'],
    ['a list', 'spans | where a in ($s, "z")', { s: values('x', 'y') }, 'spans | where a in ("x", "y", "z")'],
    ['any value', 'spans | where a == $s and b == 1', { s: any }, 'spans | where true and b == 1'],
    ['nothing chosen', 'spans | where a == $s', { s: values() }, 'spans | where true'],
    ['any within not', 'spans | where not a == $s', { s: any }, 'spans | where not false'],
    ['any in a list', 'spans | where a not in ($s)', { s: any }, 'spans | where true'],
    ['any of a range', 'spans | where duration between $s .. 1s', { s: any }, 'spans | where true'],
    ['any below arithmetic', 'spans | where n * 2 > $s + 1', { s: any }, 'spans | where true'],
    ['any as a value', 'spans | extend a = $s', { s: any }, 'spans | extend a = null'],
    ['any width', 'spans | stats n=count() by bucket($i)', { i: any }, 'spans | stats n=count() by bucket(auto)'],
    [
      'a width',
      'spans | stats n=count() by bucket($i)',
      { i: { kind: 'duration', text: '5m' } },
      'spans | stats n=count() by bucket(5m)',
    ],
    ['a quoted text', `flags "${braced('f')}" | count`, { f: values('new-checkout') }, 'flags "new-checkout" | count'],
    ['a pattern', `spans | where a =~ "^${braced('p')}-"`, { p: values('eu') }, 'spans | where a =~ "^eu-"'],
    ['any pattern', `spans | where a =~ "^${braced('p')}-"`, { p: any }, 'spans | where true'],
    ['two of one condition', 'spans | where $a == $b', { a: values('x'), b: values('y') }, 'spans | where "x" == "y"'],
    [
      'a sub-query',
      'logs | where trace_id in (spans | where service.name == $s | fields trace_id)',
      { s: any },
      'logs | where trace_id in (spans | where true | fields trace_id)',
    ],
    ['an unknown name', 'spans | where a == $other', { s: any }, 'spans | where a == $other'],
    ['a text of a query', 'spans | where a == "$s"', { s: values('x') }, 'spans | where a == "$s"'],
    [
      'several where one fits',
      'spans | extend a = $s',
      { s: values(1, 2) },
      'refused: $s has several values where one is needed',
    ],
    [
      'no duration',
      'spans | stats n=count() by bucket($i)',
      { i: { kind: 'duration', text: '1m) | x' } },
      'refused: $i is not a duration such as 5m',
    ],
    ['a text that does not parse', 'spans | wher a == $s', { s: any }, 'spans | wher a == $s'],
  ])('binds %s', (_, text, variables, expected) => {
    expect(bound(text, variables)).toBe(expected.startsWith('refused') ? expected : format(expected));
  });

  it('never lets a value out of its quotes', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 3 }), (texts) => {
        for (const query of [
          'spans | where a == $v and b == 1',
          `spans | where a contains "x${braced('v')}" | limit 5`,
        ]) {
          const result = bindVariables(query, new Map([['v', values(...texts)]]));
          if (!result.ok) throw new Error(result.reason);
          const stages = (text: string) =>
            format(text)
              .replaceAll(/"(\\.|[^"\\])*"/g, '""')
              .split('|').length;
          expect(validate(result.text).valid).toBe(true);
          expect(stages(result.text)).toBe(stages(query));
        }
      }),
    );
  });

  it('does not take a value for a use of a variable', () => {
    const variables = new Map([
      ['a', values(`${braced('b')}`)],
      ['b', values('x')],
      ['c', values('{b}')],
    ]);
    const result = bindVariables(`spans | where s == $a or s == "$${braced('c')}"`, variables);
    expect(result.ok && format(result.text)).toBe(
      format(`spans | where s == "${braced('b')}" or s == "${braced('b')}"`),
    );
  });

  it('refuses a text that becomes longer than a query may be, in a short time', () => {
    const many = values(...Array.from({ length: 90 }, (_, index) => `${index}${'x'.repeat(100)}`));
    const began = performance.now();
    const text = `spans | where ${'name == $v and '.repeat(1_000)}true`;
    expect(bindVariables(text, new Map([['v', many]]))).toEqual({
      ok: false,
      reason: 'with the values of its variables it is longer than 65536 characters: choose fewer values',
    });
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it('lists the names that a text uses', () => {
    expect(variablesIn(`spans | where a == $x and b =~ "${braced('y')}" | where c == $x`)).toEqual(['x', 'y']);
    expect(variablesIn('spans | wher a == $x')).toEqual(['x']);
    expect(variablesIn('spans')).toEqual([]);
  });
});
