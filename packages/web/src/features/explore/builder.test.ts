import { validate } from '@fanion/oql';
import { describe, expect, it } from 'vitest';
import { addCondition, MEASURES, summarise, summaryStage, takeApart } from './builder.ts';

const query = 'spans | where a == 1 and (b == 2 or c == 3) | stats n=count() by service.name | sort -n';
const texts = (text: string) => takeApart(text)?.chips.map((chip) => chip.text);

describe('takeApart', () => {
  it('creates a chip for each condition and each other stage', () => {
    expect(takeApart(query)?.source).toBe('spans');
    expect(texts(query)).toEqual(['a == 1', '(b == 2 or c == 3)', 'stats n=count() by service.name', 'sort -n']);
    expect(takeApart('')).toBeNull();
  });

  it('removes a clicked part, and a stage with its last condition', () => {
    const [first, , stats] = takeApart(query)?.chips ?? [];
    expect(first?.edit(null)).toBe('spans | where (b == 2 or c == 3) | stats n=count() by service.name | sort -n');
    expect(stats?.edit(null)).toBe('spans | where a == 1 and (b == 2 or c == 3) | sort -n');
    expect(takeApart('spans | where a == 1 | limit 5')?.chips[0]?.edit(null)).toBe('spans | limit 5');
  });

  it('replaces a part with new text', () => {
    const [first] = takeApart(query)?.chips ?? [];
    expect(first?.edit('a == 7')).toBe(query.replace('a == 1', 'a == 7'));
    expect(takeApart(query)?.withSource('logs')).toBe(query.replace('spans', 'logs'));
  });
});

it('adds conditions before the first aggregation', () => {
  expect(addCondition('spans', 'a == 1')).toBe('spans | where a == 1');
  expect(addCondition('spans | where a == 1 or b == 2 | limit 5', 'c == 3')).toBe(
    'spans | where (a == 1 or b == 2) and c == 3 | limit 5',
  );
  expect(addCondition('logs | stats n=count() | where n > 1', 'a == 1')).toBe(
    'logs | where a == 1 | stats n=count() | where n > 1',
  );
});

it('replaces the aggregation', () => {
  const stage = summaryStage({ measure: 'p99', field: 'duration', by: ['service.name'], overTime: true });
  expect(stage).toBe('stats p99=p99(duration) by service.name, bucket(auto)');
  expect(summarise(query, stage)).toBe(`spans | where a == 1 and (b == 2 or c == 3) | ${stage}`);
});

it.each(Object.keys(MEASURES))('%s is valid OQL', (measure) => {
  const text = summarise('spans', summaryStage({ measure, field: 'duration', by: ['service.name'], overTime: true }));
  expect(validate(text).diagnostics).toEqual([]);
});
