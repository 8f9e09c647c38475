import { describe, expect, it } from 'vitest';
import { lackOf } from './rule-series.ts';

describe('what a rule cannot rely on', () => {
  it.each([
    ['the metric steps has delta temporality, which PromQL cannot read: query it with OQL', true],
    [
      'ALERTS cannot be read by recording rules and SLOs: its values would be shown to people who may not read alerts',
      true,
    ],
    ['PromQL warning: quantile value should be between 0 and 1, got 2', false],
    ['several series of up have equal labels at the same time: give each sender a service.instance.id', false],
  ])('%s', (text, isLack) => {
    expect(lackOf({ warnings: ['PromQL info: metric might not be a counter', text] })).toBe(isLack ? text : undefined);
  });
});
