import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { span } from './testing/span.ts';
import { FOLDED_FROM, firstFailure, foldsAround, foldsOf, nextError, waterfallRows } from './trace-folds.ts';
import { buildTree, type TraceSpan, visibleNodes } from './trace-tree.ts';

const NOTHING = { collapsed: new Set<string>(), opened: new Set<string>() };

/** What the rows of a trace say: ids of spans, and how many spans a fold stands for. */
function rowsOf(spans: TraceSpan[], state = NOTHING): string[] {
  const { roots } = buildTree({ spans });
  return waterfallRows(roots, foldsOf(roots), state).map((row) =>
    row.kind === 'span' ? row.node.span.span_id : `${row.fold.nodes.length}×`,
  );
}

const order = ({ roots }: ReturnType<typeof buildTree>) => visibleNodes(roots, new Set());

describe('repeated siblings', () => {
  const queries = Array.from({ length: 6 }, (_, i) =>
    span(`q${i}`, 'a', 10 + i * 10, 5, { name: 'SELECT', ...(i === 4 && { status: 'error' }) }),
  );
  const spans = [
    span('a', null, 0, 100),
    span('b', 'a', 1, 2),
    ...queries,
    span('c', 'q4', 51, 1),
    span('d', 'a', 30, 1),
  ];

  it('are one row where the first of them is', () => {
    expect(rowsOf(spans)).toEqual(['a', 'b', '6×', 'd']);
  });

  it('follow that row once it is opened, with what is below them, one level deeper', () => {
    const opened = new Set(['fold of q0']);
    expect(rowsOf(spans, { ...NOTHING, opened })).toEqual([
      'a',
      'b',
      '6×',
      'q0',
      'q1',
      'q2',
      'q3',
      'q4',
      'c',
      'q5',
      'd',
    ]);
    const { roots } = buildTree({ spans });
    const rows = waterfallRows(roots, foldsOf(roots), { ...NOTHING, opened });
    expect(rows.map(({ depth }) => depth)).toEqual([0, 1, 1, 2, 2, 2, 2, 2, 3, 2, 1]);
  });

  it('say how long they took and how many failed', () => {
    const { roots, bySpanId } = buildTree({ spans });
    const node = bySpanId.get('q0');
    expect(node && foldsOf(roots).get(node)).toMatchObject({ total: 30e6, end: 65e6, errors: 1 });
  });

  it('stay apart if they are few, of other services or of other parents', () => {
    const few = Array.from({ length: FOLDED_FROM - 1 }, (_, i) => span(`q${i}`, 'a', i, 1, { name: 'SELECT' }));
    const other = span('o', 'a', 50, 1, { name: 'SELECT', service: 'other' });
    const below = span('n', 'o', 51, 1, { name: 'SELECT' });
    expect(rowsOf([span('a', null, 0, 100), ...few, other, below])).toEqual(['a', 'q0', 'q1', 'q2', 'q3', 'o', 'n']);
  });

  it('hide below a collapsed parent', () => {
    expect(rowsOf(spans, { ...NOTHING, collapsed: new Set(['a']) })).toEqual(['a']);
  });

  it('never lose or repeat a span once all folds are open', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ parent: fc.option(fc.nat(40)), name: fc.nat(1), start: fc.nat(50) }), { maxLength: 80 }),
        (given) => {
          const all = given.map(({ parent, name, start }, i) =>
            span(String(i), parent === null ? null : String(parent), start, 1, { name: `op ${name}` }),
          );
          const { roots } = buildTree({ spans: all });
          const folds = foldsOf(roots);
          const opened = new Set([...folds.values()].map(({ id }) => id));
          const shown = waterfallRows(roots, folds, { ...NOTHING, opened }).flatMap((row) =>
            row.kind === 'span' ? [row.node.span.span_id] : [],
          );
          expect(shown.toSorted()).toEqual(all.map(({ span_id }) => span_id).toSorted());
        },
      ),
    );
  });

  it('names the folds that hide a span', () => {
    const { roots, bySpanId } = buildTree({ spans });
    const folds = foldsOf(roots);
    const around = (id: string) => {
      const node = bySpanId.get(id);
      return node && foldsAround(node, folds);
    };
    expect(around('c')).toEqual(['fold of q0']);
    expect(around('d')).toEqual([]);
  });

  it('handles 10,000 siblings', () => {
    const many = Array.from({ length: 10_000 }, (_, i) => span(`q${i}`, 'a', i, 1, { name: 'SELECT' }));
    expect(rowsOf([span('a', null, 0, 1), ...many])).toEqual(['a', '10000×']);
  });
});

describe('errors of a trace', () => {
  const failed = { status: 'error' } as const;
  const tree = buildTree({
    spans: [
      span('root', null, 0, 100, failed),
      span('slow', 'root', 1, 50),
      span('late', 'slow', 40, 5, failed),
      span('call', 'root', 10, 20, failed),
      span('cause', 'call', 12, 5, failed),
    ],
  });

  it('begin at the earliest failed span without failures below it', () => {
    expect(firstFailure(order(tree))?.span.span_id).toBe('cause');
    expect(firstFailure(order(buildTree({ spans: [span('a', null, 0, 1)] })))).toBeUndefined();
  });

  it.each([
    [undefined, 'next', 'root'],
    [undefined, 'previous', 'cause'],
    ['root', 'next', 'late'],
    ['slow', 'next', 'late'],
    ['slow', 'previous', 'root'],
    ['cause', 'next', 'root'],
    ['root', 'previous', 'cause'],
  ] as const)('from %s the %s one is %s', (selected, direction, expected) => {
    expect(nextError(order(tree), selected, direction)?.span.span_id).toBe(expected);
  });

  it('do not exist in a healthy trace', () => {
    expect(nextError(order(buildTree({ spans: [span('a', null, 0, 1)] })), 'a', 'next')).toBeUndefined();
  });
});
