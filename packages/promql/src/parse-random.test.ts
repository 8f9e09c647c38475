import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PromqlError } from './error.ts';
import { formatPromql } from './format.ts';
import { parsePromql } from './parse/index.ts';

const words =
  'x sum rate by without on ignoring group_left offset bool and or unless start end inf nan le 1 2.5 5m 0x1f 1e3 "a" \'b\' `c` "\\n" { } ( ) [ ] , = != =~ !~ == < > <= >= + - * / % ^ @ : . # \\'.split(
    ' ',
  );

const vector = fc.constantFrom(
  'x',
  'y{a="b"}',
  '{"m.n",c=~"d|e"}',
  'rate(x[5m] offset 1m)',
  'z @ 1.5',
  'sum by (a) (x)',
  '(x)',
);
const operator = fc.constantFrom(
  '+',
  '-',
  '* on (a)',
  '/ ignoring (b) group_left (c)',
  '%',
  '^',
  'atan2',
  '== bool',
  '!=',
  '>=',
  'and',
  'or on ()',
  'unless',
);
const suffix = fc.constantFrom('', ' ', ' # why\n');

/** A tree without positions. */
function shape(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, part) => (key === 'position' ? undefined : part)));
}

describe('random texts', () => {
  it('are expressions, or rejected with a place', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...words), { maxLength: 14 }),
        fc.constantFrom('', ' '),
        (parts, between) => {
          try {
            parsePromql(parts.join(between));
          } catch (error) {
            expect(error).toBeInstanceOf(PromqlError);
            expect(error instanceof PromqlError && error.message).toMatch(/^\d+:\d+: parse error: ./);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('have the same tree after formatting', () => {
    const operand = fc.tuple(fc.constantFrom('', '-', '+'), vector, suffix).map((parts) => parts.join(''));
    fc.assert(
      fc.property(operand, fc.array(fc.tuple(operator, operand), { maxLength: 6 }), (first, rest) => {
        const text = [first, ...rest.map(([op, one]) => `${op} ${one}`)].join(' ');
        const tree = parsePromql(text);
        expect(shape(parsePromql(formatPromql(tree)))).toEqual(shape(tree));
      }),
      { numRuns: 500 },
    );
  });
});
