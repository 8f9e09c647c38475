import { describe, expect, it } from 'vitest';
import { distinctTraces, logShare, rangeAround, traceRows } from './trace-rows.ts';

const match = (trace_id: string, name: string) => ({
  trace_id,
  name,
  time: '2026-11-22T10:00:01.000Z',
  'service.name': 'payments',
  status: 'error',
  duration: 5_000_000,
});

describe('the rows of the list of traces', () => {
  const matches = [match('b', 'POST /charge'), match('a', 'POST /charge'), match('b', 'SELECT')];

  it('has each trace once, in the order of the newest matches', () => {
    expect(distinctTraces(matches, 10)).toEqual(['b', 'a']);
    expect(distinctTraces(matches, 1)).toEqual(['b']);
  });

  it('looks for whole traces an hour around their matches', () => {
    expect(rangeAround([...matches, { ...match('c', 'x'), time: '2026-11-22T11:30:00.000Z' }])).toEqual({
      from: '2026-11-22T09:00:01.000Z',
      to: '2026-11-22T12:30:00.000Z',
    });
  });

  it('shows what the matching span says until the whole trace is known', () => {
    expect(traceRows(['b'], matches, [], [])).toEqual([
      {
        traceId: 'b',
        time: '2026-11-22T10:00:01.000Z',
        service: 'payments',
        name: 'POST /charge',
        matched: undefined,
        duration: 5_000_000,
        whole: undefined,
      },
    ]);
  });

  it('shows the root, the matching operation, the errors and the work of each service', () => {
    const whole = {
      trace_id: 'b',
      time: '2026-11-22T10:00:00.000Z',
      'service.name': 'frontend',
      name: 'POST /checkout',
      duration: 90_000_000,
      spans: 7,
      errors: 2,
      message: 'card declined',
    };
    const works = [
      { trace_id: 'b', 'service.name': 'frontend', self: 1_000 },
      { trace_id: 'a', 'service.name': 'frontend', self: 9 },
      { trace_id: 'b', 'service.name': 'payments', self: 5_000 },
    ];
    expect(traceRows(['b'], matches, [whole], works)).toEqual([
      {
        traceId: 'b',
        time: '2026-11-22T10:00:00.000Z',
        service: 'frontend',
        name: 'POST /checkout',
        matched: 'POST /charge',
        duration: 90_000_000,
        whole: {
          spans: 7,
          errors: 2,
          message: 'card declined',
          work: [
            { service: 'payments', self: 5_000 },
            { service: 'frontend', self: 1_000 },
          ],
        },
      },
    ]);
  });
});

it.each([
  [1_000, 1_000, 1_000_000, 0.02],
  [1_000_000, 1_000, 1_000_000, 1],
  [31_623, 1_000, 1_000_000, 0.5],
  // One trace, and traces without a duration.
  [5, 5, 5, 1],
  [0, 0, 1_000, 0.02],
])('%d between %d and %d ns takes %d of the bar', (duration, shortest, longest, share) => {
  expect(logShare(duration, shortest, longest)).toBeCloseTo(share, 4);
});
