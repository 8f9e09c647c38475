import type { DashboardPanel } from '@fanion/contract';
import { describe, expect, it } from 'vitest';
import { parseSplits, printSplits, type Splits, splitBy, withSplitOf, withSplits } from './splits.ts';

const panel = (id: string, more: Partial<DashboardPanel> = {}): DashboardPanel => ({
  ...{ id, type: 'time_series', title: '', description: '', x: 0, y: 0, w: 12, h: 8, query: 'spans | count' },
  ...more,
});

describe('panels that a reader splits by a flag', () => {
  it.each<Splits>([{}, { errors: 'new-checkout' }, { errors: 'new-checkout', 'p_1-x': '' }, { a: '$flag' }])(
    'survive the address: %o',
    (splits) => {
      expect(parseSplits(printSplits(splits))).toEqual(splits);
    },
  );

  it.each([undefined, '', 'x', ':new-checkout', 'a:b:c', 'a b:c', 'a:<script>'])('ignores %s in an address', (text) => {
    expect(parseSplits(text)).toEqual({});
  });

  it('splits, and joins what the dashboard splits', () => {
    const panels = [panel('a'), panel('b', { split: { flag: 'one' } }), panel('c', { split: { flag: 'one' } })];
    const flags = withSplits(panels, { a: 'two', b: '' }).map(({ split }) => split?.flag);
    expect(flags).toEqual(['two', undefined, 'one']);
  });

  it('keeps only what differs from the dashboard', () => {
    const split = panel('a', { split: { flag: 'one' } });
    expect(withSplitOf({ b: 'x' }, split, 'two')).toEqual({ a: 'two', b: 'x' });
    expect(withSplitOf({ a: 'two', b: 'x' }, split, 'one')).toEqual({ b: 'x' });
    expect(withSplitOf({}, split, undefined)).toEqual({ a: '' });
    expect(withSplitOf({ b: 'x' }, panel('b'), undefined)).toEqual({});
  });

  it('removes the split of a panel whose type shows no variants', () => {
    expect(splitBy(panel('a', { type: 'flame_graph', split: { flag: 'one' } }), 'one')).not.toHaveProperty('split');
  });
});
