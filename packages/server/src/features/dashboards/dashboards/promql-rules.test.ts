// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a use of a variable looks like one of JavaScript
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../platform/fail.ts';
import { bindPromql, optionsQuery, variablesInPromql } from './promql-rules.ts';
import type { BoundValue } from './variable-rules.ts';

const bound = new Map<string, BoundValue>([
  ['one', { kind: 'values', values: ['a.b'] }],
  ['two', { kind: 'values', values: ['a.b', 'c"d'] }],
  ['pattern', { kind: 'values', values: ['a|b.*'], isPattern: true }],
  ['all', { kind: 'any' }],
  ['n', { kind: 'values', values: [5] }],
  ['__rate_interval', { kind: 'duration', text: '4m' }],
]);

describe('the values of variables in PromQL', () => {
  it.each([
    ['x{l="$one"}', 'x{l="a.b"}'],
    ['x{l="${one}-x"}', 'x{l="a.b-x"}'],
    ['x{l=~"$one"}', String.raw`x{l=~"a\\.b"}`],
    ['x{l="[[one]]"}', 'x{l="a.b"}'],
    ['x{l="$two"}', String.raw`x{l=~"(a\\.b|c\"d)"}`],
    ["x{l!='$two'}", String.raw`x{l!~'(a\\.b|c"d)'}`],
    ['x{l=~"${two:regex}"}', String.raw`x{l=~"(a\\.b|c\"d)"}`],
    ['x{l=~`$one`}', 'x{l=~`a\\.b`}'],
    ['x{l=~"$pattern"}', 'x{l=~"a|b.*"}'],
    ['x{l="$all", m!="$all", n!~"^(${all})$"}', 'x{l=~".*", m=~".*", n=~".*"}'],
    ['x{l="pre-$all"}', 'x{l=~"pre-.*"}'],
    ['rate(x[$__rate_interval]) > ${n}', 'rate(x[4m]) > 5'],
    ['label_replace(x, "a", "$1-$one", "b", "(.*)")', 'label_replace(x, "a", "$1-a.b", "b", "(.*)")'],
    ['x{l="$unknown"} + on ($unknown) y', 'x{l="$unknown"} + on ($unknown) y'],
    ['sum by ($one) (x)', 'sum by (a.b) (x)'],
  ])('are written into %s', (text, expected) => {
    expect(bindPromql(text, bound)).toBe(expected);
  });

  it.each([
    ['sum by ($all) (x)', 'choose a value for $all'],
    ['sum by ($two) (x)', 'the value of $two is neither a name nor a number'],
  ])('are refused where they have no form: %s', (text, reason) => {
    const result = bindPromql(text, bound);
    expect(result).toBeInstanceOf(Failure);
    expect(String(result)).toContain(reason);
  });

  it('are named once each', () => {
    expect(variablesInPromql('a{x="$one", y=~"${two:regex}"} + [[one]] + "$1"')).toEqual(['one', 'two']);
  });
});

describe('the query of the values of a label', () => {
  it.each([
    ['label_values(up{job="a, b"}, instance)', 'group by (instance) (last_over_time(up{job="a, b"}[$__range]))'],
    ['label_values(job)', 'group by (job) (last_over_time({job!=""}[$__range]))'],
    ['group by (job) (up)', 'group by (job) (up)'],
  ])('is an expression: %s', (text, expected) => {
    expect(optionsQuery(text)).toBe(expected);
  });
});
