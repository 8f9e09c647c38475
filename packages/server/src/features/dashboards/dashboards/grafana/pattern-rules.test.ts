import { describe, expect, it } from 'vitest';
import { patternQuery } from './pattern-rules.ts';

const values = 'label_values(bind_up, instance)';
const whole = (kept: string, pattern: string) =>
  `group by (value) (label_replace(last_over_time(bind_up[$__range]), "value", "${kept}", "instance", "${pattern}"))`;

describe('a pattern of a variable', () => {
  it.each([
    ['keeps its first group', '/([^:]+):.*/', whole('$1', '(?s:.*?)(?:([^:]+):.*)(?s:.*)')],
    ['keeps its group `value`', '/(?<text>a)-(?<value>b)/', whole('$2', '(?s:.*?)(?:(?<text>a)-(?<value>b))(?s:.*)')],
    ['keeps values that match, without a group', '/[(]web/i', whole('$0', '(?s:.*?)(?i:[(]web)(?s:.*)')],
    ['matches the whole value without slashes', 'web.*', whole('$0', '(?:web.*)')],
    ['escapes what PromQL quotes', '/\\d"/', whole('$0', '(?s:.*?)(?:\\\\d\\")(?s:.*)')],
  ])('%s', (_name, pattern, query) => {
    expect(patternQuery(values, pattern)).toBe(query);
  });

  it.each([
    ['that looks ahead', '/a(?=b)/'],
    ['with an unknown flag', '/a/y'],
    ['that does not end', '/(a/'],
    ['that is very long', `/${'a'.repeat(1_001)}/`],
  ])('%s has no equal', (_name, pattern) => {
    expect(patternQuery(values, pattern)).toBeUndefined();
  });
});
