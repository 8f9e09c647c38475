import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { span } from './testing/span.ts';
import {
  ancestorIds,
  axisTicks,
  buildTree,
  nanosecondsBetween,
  selfTime,
  spanMatches,
  type TraceSpan,
  visibleNodes,
} from './trace-tree.ts';

const ids = (nodes: readonly { span: TraceSpan }[]) => nodes.map((node) => node.span.span_id);

describe('buildTree', () => {
  it('orders children by start, and counts descendants', () => {
    const tree = buildTree({
      spans: [
        span('c', 'a', 20, 5, { status: 'error' }),
        span('b', 'a', 10, 5),
        span('a', null, 0, 100),
        span('d', 'c', 21, 1),
      ],
    });
    expect(ids(tree.roots)).toEqual(['a']);
    expect(ids(visibleNodes(tree.roots, new Set()))).toEqual(['a', 'b', 'c', 'd']);
    expect(tree.roots[0]).toMatchObject({ descendants: 3, errorsBelow: 1, offset: 0, depth: 0 });
    expect(tree.bySpanId.get('d')).toMatchObject({ depth: 2, offset: 21e6 });
    expect(tree.duration).toBe(100e6);
  });

  it('shows orphans, cycles and duplicate ids once each', () => {
    const spans = [
      span('x', 'gone', 5, 1, { missing_parent: true }),
      span('p', 'q', 0, 1),
      span('q', 'p', 1, 1),
      span('s', 's', 2, 1),
      span('x', null, 9, 1),
    ];
    const tree = buildTree({ spans });
    expect(ids(visibleNodes(tree.roots, new Set())).sort()).toEqual(['p', 'q', 's', 'x', 'x']);
  });

  it('shows every span exactly once for any parents', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ id: fc.nat(30), parent: fc.option(fc.nat(30)), start: fc.nat(1000), duration: fc.nat(1000) }),
          { maxLength: 60 },
        ),
        (given) => {
          const tree = buildTree({
            spans: given.map((s) =>
              span(String(s.id), s.parent === null ? null : String(s.parent), s.start, s.duration),
            ),
          });
          const rows = visibleNodes(tree.roots, new Set());
          expect(rows).toHaveLength(given.length);
          for (const row of rows) expect(row.offset).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });

  it('handles 10,000 spans in one chain', () => {
    const spans = Array.from({ length: 10_000 }, (_, i) => span(String(i), i === 0 ? null : String(i - 1), i, 1));
    const tree = buildTree({ spans });
    expect(visibleNodes(tree.roots, new Set())).toHaveLength(10_000);
    expect(tree.roots[0]?.descendants).toBe(9999);
  });
});

it('hides descendants of a collapsed span', () => {
  const tree = buildTree({
    spans: [span('a', null, 0, 9), span('b', 'a', 1, 5), span('c', 'b', 2, 1), span('d', 'a', 7, 1)],
  });
  expect(ids(visibleNodes(tree.roots, new Set(['b'])))).toEqual(['a', 'b', 'd']);
  const c = tree.bySpanId.get('c');
  expect(c && ancestorIds(c)).toEqual(['b', 'a']);
});

it('excludes children from self time and counts overlaps once', () => {
  const tree = buildTree({
    spans: [span('a', null, 0, 100), span('b', 'a', 10, 30), span('c', 'a', 20, 30), span('d', 'a', 90, 50)],
  });
  const root = tree.roots[0];
  expect(root && selfTime(root)).toBe((100 - 40 - 10) * 1e6);
});

it('subtracts times to the nanosecond', () => {
  expect(nanosecondsBetween('2026-01-01T00:00:00.000000001Z', '2026-01-01T00:00:01.000000003Z')).toBe(1_000_000_002);
  expect(nanosecondsBetween('2026-01-01 00:00:00.5', '2026-01-01T00:00:00Z')).toBe(-500_000_000);
});

it('searches names, attributes and events, ignoring case', () => {
  const one = span('a', null, 0, 1, {
    attributes: { 'http.route': '/Cart', n: 7 },
    events: [{ time: '', name: 'exception', attributes: { type: 'Timeout' }, dropped_attributes_count: 0 }],
  });
  expect(spanMatches(one, '/cart')).toBe(true);
  expect(spanMatches(one, 'TIMEOUT')).toBe(true);
  expect(spanMatches(one, '7')).toBe(true);
  expect(spanMatches(one, 'nothing')).toBe(false);
  expect(spanMatches(one, ' ')).toBe(false);
});

it('places round ticks inside the axis', () => {
  expect(axisTicks(0, 100e6)).toEqual([0, 20e6, 40e6, 60e6, 80e6, 100e6]);
  expect(axisTicks(5, 5)).toEqual([]);
});
