import { describe, expect, it } from 'vitest';
import type { Expression } from './ast.ts';
import { PromqlError } from './error.ts';
import { formatPromql } from './format.ts';
import { parsePromql } from './parse/index.ts';
import { selectorsOf } from './selectors.ts';

function faultOf(text: string): string {
  try {
    parsePromql(text);
  } catch (error) {
    if (error instanceof PromqlError) return error.message;
    throw error;
  }
  return 'valid';
}

describe('parse errors', () => {
  it.each([
    ['', '1:1: parse error: no expression found in input'],
    ['# only a comment', '1:1: parse error: no expression found in input'],
    ['sum(x,)', '1:6: parse error: trailing commas not allowed in function call args'],
    ['x{', '1:3: parse error: unexpected end of input inside braces'],
    ['x{a}', '1:4: parse error: unexpected "}" in label matching, expected label matching operator'],
    ['x{a="b" c}', '1:9: parse error: unexpected identifier "c" in label matching, expected "," or "}"'],
    ['sum by (,) (x)', '1:9: parse error: unexpected "," in grouping opts, expected label'],
    [
      'x[]',
      '1:3: parse error: unexpected "]" in subquery or range selector, expected number, duration, step(), or range()',
    ],
    ['x offset', '1:9: parse error: unexpected end of input in offset, expected number, duration, step(), or range()'],
    ['(x))', "1:4: parse error: unexpected right parenthesis ')'"],
    ['* x', '1:1: parse error: unexpected <op:*>'],
    ['9e999', '1:1: parse error: error parsing number: value out of range'],
    ['nofn(x)', '1:1: parse error: unknown function with name "nofn"'],
    ['sum(', '1:5: parse error: unclosed left parenthesis'],
    ['x{a="b}', '1:5: parse error: unterminated quoted string'],
    ['x{a=~"("}', '1:3: parse error: error parsing regexp: missing closing ): `^(?s:()$`'],
    ['{}', '1:1: parse error: vector selector must contain at least one non-empty matcher'],
    ['{a=~".*"}', '1:1: parse error: vector selector must contain at least one non-empty matcher'],
    ['x{__name__="y"}', '1:1: parse error: metric name must not be set twice: "x" or "y"'],
    ['rate(x)', '1:6: parse error: expected type range vector in call to function "rate", got instant vector'],
    ['sum(x[5m])', '1:5: parse error: expected type instant vector in aggregation expression, got range vector'],
    ['clamp(x, 1)', '1:1: parse error: expected 3 argument(s) in call to "clamp", got 2'],
    ['round(x, 1, 2)', '1:1: parse error: expected at most 2 argument(s) in call to "round", got 3'],
    ['topk(x)', '1:1: parse error: wrong number of arguments for aggregate expression provided, expected 2, got 1'],
    ['1 == 2', '1:2: parse error: comparisons between scalars must use BOOL modifier'],
    ['x + bool y', '1:2: parse error: bool modifier can only be used on comparison operators'],
    ['1 and x', '1:1: parse error: set operator "and" not allowed in binary scalar expression'],
    ['x and on (a) group_left y', '1:1: parse error: no grouping allowed for "and" operation'],
    ['x + on (a) group_left (a) y', '1:2: parse error: label "a" must not occur in ON and GROUP clause at once'],
    ['sum(x)[5m]', '1:7: parse error: ranges only allowed for vector selectors'],
    ['x[0s]', '1:3: parse error: duration must be greater than 0'],
    ['x offset 1m offset 2m', '1:1: parse error: offset may not be set multiple times'],
    ['x @ 1 @ 2', '1:1: parse error: @ <timestamp> may not be set multiple times'],
    ['x[5m][5m:]', '1:1: parse error: subquery is only allowed on instant vector, got matrix instead'],
    ['x\n  + "text"', '2:5: parse error: binary expression must contain only scalar and instant vector types'],
  ])('rejects %j', (text, message) => {
    expect(faultOf(text)).toBe(message);
  });

  it.each([
    'limitk(2, x)',
    'limit_ratio(0.5, x)',
    'mad_over_time(x[5m])',
    'sort_by_label(x, "a")',
    'info(x)',
    'max_of(1, 2)',
    'x + fill(0) y',
    'x[step()]',
    'x[2 * 5m]',
    'rate(x[5m] anchored)',
    'x smoothed',
  ])('rejects the experimental %j with that reason', (text) => {
    expect(faultOf(text)).toMatch(/experimental|is not enabled/);
  });

  it('gives the part of the text that is wrong', () => {
    expect(() => parsePromql('sum(rate(x))')).toThrow(expect.objectContaining({ kind: 'parse', from: 9, to: 10 }));
  });

  it('rejects nesting that would exhaust the stack', () => {
    expect(faultOf(`${'('.repeat(2_000)}x${')'.repeat(2_000)}`)).toMatch(/nested too deeply|unexpected/);
  });
});

describe('canonical text', () => {
  it.each([
    ['sum by(a,b)(rate(x{z="1",a!="2"}[300s]))', 'sum by (a, b) (rate(x{a!="2",z="1"}[5m]))'],
    ['sum(x) without (a)', 'sum without (a) (x)'],
    ['topk by ("a.b") (3,x)', 'topk by ("a.b") (3, x)'],
    ['{"a.b",c="d"}', '{__name__="a.b",c="d"}'],
    ["x{a='\\x41'}", 'x{a="A"}'],
    ['x offset -90m', 'x offset -1h30m'],
    ['x offset 5m @ 1.5', 'x @ 1.500 offset 5m'],
    ['x[1h]@start()', 'x[1h] @ start()'],
    ['rate(x[5m])[1h:30s] @ end() offset 1w', 'rate(x[5m])[1h:30s] @ end() offset 1w'],
    ['x[1d2h:]', 'x[1d2h:]'],
    ['a+on(x)group_left(y)b', 'a + on (x) group_left (y) b'],
    ['a*ignoring()b', 'a * b'],
    ['a>BOOL 1e3', 'a > bool 1000'],
    ['-a^2', '-a ^ 2'],
    ['(-2)^2', '(-2) ^ 2'],
    ['- -1', '1'],
    ['0x1F + 1_000 + 010 + 2. + .5 + Inf + 5m', '31 + 1000 + 8 + 2 + 0.5 + +Inf + 5m'],
    ['absent(x) or vector(1) # why', 'absent(x) or vector(1)'],
    ['histogram_quantile(0.9,x)', 'histogram_quantile(0.9, x)'],
  ])('formats %j', (text, formatted) => {
    const once = formatPromql(parsePromql(text));
    expect(once).toBe(formatted);
    expect(formatPromql(parsePromql(once))).toBe(once);
  });

  it.each([
    ['a + b @ 1 * c', 'a + (b @ 1.000 * c)'],
    ['a * b @ 1 + c', '(a * b @ 1.000) + c'],
    ['a or b offset 1m and c', 'a or (b offset 1m and c)'],
    ['a == b offset 1m + c offset 1m * d', 'a == (b offset 1m + (c offset 1m * d))'],
    ['a ^ b @ 1 ^ c', 'a ^ (b @ 1.000 ^ c)'],
    ['-a @ 1 ^ 2', '-(a @ 1.000 ^ 2)'],
    ['-a @ 1 * 2', '(-a @ 1.000) * 2'],
    ['1 - 2 - 3', '(1 - 2) - 3'],
    ['-1 ^ 2 * 3', '(-1 ^ 2) * 3'],
  ])('binds the operators of %s by their precedence', (text, expected) => {
    const grouped = (part: Expression): Expression => {
      if (part.kind === 'unary') return { ...part, of: grouped(part.of) };
      if (part.kind !== 'binary') return part;
      const side = (of: Expression): Expression =>
        of.kind === 'binary' || of.kind === 'unary'
          ? { kind: 'parentheses', of: grouped(of), position: of.position }
          : of;
      return { ...part, left: side(part.left), right: side(part.right) };
    };
    const tree = grouped(parsePromql(text));
    const shown =
      tree.kind === 'unary' && tree.of.kind === 'binary' ? `-(${formatPromql(tree.of)})` : formatPromql(tree);
    expect(shown).toBe(expected);
  });

  it('reads a modifier as one of the last operand', () => {
    const [a, b] = selectorsOf(parsePromql('a + -b[5m] @ 10 offset 1m'.replace('[5m]', '')));
    expect([a?.shift, b?.shift]).toEqual([{ offsetMs: 0 }, { at: 10_000, offsetMs: 60_000 }]);
  });
});
