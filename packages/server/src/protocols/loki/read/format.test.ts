import { describe, expect, it } from 'vitest';
import { formatLogql } from './format.ts';
import { parseLogql } from './logql/parse.ts';

describe('a formatted query', () => {
  it.each([
    ['{foo=   "bar"}', '{foo="bar"}'],
    ['{foo="bar",a!~`x.*`}|="a  b"|json|n>  -5', '{foo="bar", a!~`x.*`} |= "a  b" | json | n > -5'],
    ['{a="b"}|logfmt --strict|keep x,y', '{a="b"} | logfmt --strict | keep x, y'],
    ['sum by(x,y)( rate( {a="b"}[5m] ) )/2', 'sum by (x, y)(rate({a="b"} [5m])) / 2'],
    ['rate({a="b"}|unwrap duration( took )[5m] offset 1h)', 'rate({a="b"} | unwrap duration(took) [5m] offset 1h)'],
    ['{a="b"}!="x" # why\n|json', '{a="b"} != "x" # why\n | json'],
  ])('%s', (query, expected) => {
    expect(formatLogql(query)).toBe(expected);
    expect(parseLogql(expected)).toEqual(parseLogql(query));
  });

  it('has a line for each stage if it is long', () => {
    const filters = Array.from({ length: 10 }, (_, n) => `|="a long text ${n}"`).join('');
    expect(formatLogql(`{a="b"}${filters}`).split('\n')).toHaveLength(11);
  });

  it('is an error for an invalid query', () => {
    expect(() => formatLogql('{a=')).toThrow('parse error');
  });
});
