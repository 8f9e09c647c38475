import { expect, it } from 'vitest';
import { changesOf, marksOf, seriesOf } from './burn-down-rules.ts';
import { failingRows } from './failing-rows.ts';

const hour = 3_600_000;
const start = Date.UTC(2026, 10, 1);
const at = (hours: number) => new Date(start + hours * hour).toISOString();
const change = (hours: number, name: string) =>
  ({ at: at(hours), kind: 'flag', name, environment: null, action: 'targeting' }) as const;

it('draws a gap where there were no events', () => {
  const series = seriesOf([
    { time: at(0), good: 9, total: 10, budget_left: 0.5, changes: [] },
    { time: at(1), good: 0, total: 0, budget_left: null, changes: [] },
  ]);
  expect(series).toEqual({
    times: [start, start + hour],
    window: { from: start, to: start + 2 * hour },
    left: [0.5, null],
    good: [9, null],
    bad: [1, null],
  });
});

it('joins changes whose labels would cover each other', () => {
  const changes = changesOf([{ changes: [change(0, 'a'), change(1, 'a')] }, { changes: [change(10, 'b')] }]);
  const window = { from: start, to: start + 24 * hour };
  expect(marksOf(changes, window)).toEqual([
    { time: start, label: 'a (2)' },
    { time: start + 10 * hour, label: 'b' },
  ]);
  expect(marksOf([change(0, 'a'), change(1, 'b')], window)).toEqual([{ time: start, label: '2 changes' }]);
});

it('names the version of a deploy', () => {
  const deploy = { ...change(0, 'cart'), kind: 'deploy', action: '1.2' } as const;
  expect(marksOf([deploy], { from: start, to: start + hour })).toEqual([{ time: start, label: 'cart 1.2' }]);
});

it.each([
  [
    {
      kind: 'events',
      source: 'spans | where service.name == "a" or root | where kind == server',
      good: 'status != error',
    },
    { page: 'traces', q: '(service.name == "a" or root) and (kind == server) and not (status != error\n)' },
  ],
  [
    { kind: 'events', source: 'logs', good: 'severity < error' },
    { page: 'logs', q: 'not (severity < error\n)' },
  ],
  [
    { kind: 'events', source: 'spans | extend slow=duration > 1s', good: 'not slow' },
    { page: 'explore', q: 'spans | extend slow=duration > 1s\n| where not (not slow\n)\n| limit 200' },
  ],
  [
    { kind: 'ratio', good: 'logs | count', total: 'spans | count' },
    { page: 'explore', q: 'spans | count by bucket(1m)' },
  ],
  [
    { kind: 'slices', query: 'spans | stats value=p95(duration)', op: '<', threshold: 1, slice: '5m' },
    { page: 'explore', q: 'spans | stats value=p95(duration) by bucket(5m)' },
  ],
] as const)('opens what failed of %j', (indicator, place) => {
  expect(failingRows(indicator)).toEqual(place);
});
