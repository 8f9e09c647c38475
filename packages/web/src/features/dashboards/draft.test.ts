import { DashboardModel } from '@fanion/contract';
import { describe, expect, it } from 'vitest';
import {
  canRedo,
  canUndo,
  changed,
  currentOf,
  freeId,
  historyOf,
  redone,
  undone,
  withBox,
  withDuplicate,
  withPanel,
} from './draft.ts';

const panel = (id: string, x = 0, y = 0) => ({
  id,
  type: 'stat' as const,
  title: '',
  description: '',
  x,
  y,
  w: 12,
  h: 4,
  query: 'spans',
});
const model = (...panels: ReturnType<typeof panel>[]) => DashboardModel.parse({ name: 'Shop', panels });
const boxes = ({ panels }: DashboardModel) => panels.map(({ id, x, y }) => [id, x, y]);

describe('a dashboard that is edited', () => {
  it('goes back and forth through its states, and forgets what was undone with a new change', () => {
    const [one, two, three] = [model(), model(panel('a')), model(panel('b'))];
    let history = changed(historyOf(one), two);
    history = undone(history);
    expect([currentOf(history), canUndo(history), canRedo(history)]).toEqual([one, false, true]);
    expect(undone(history)).toEqual(history);
    history = changed(redone(history), three);
    expect([currentOf(history), canRedo(history)]).toEqual([three, false]);
    expect(currentOf(undone(history))).toBe(two);
  });

  it('puts new panels below the others', () => {
    expect(boxes(withPanel(model(panel('a')), panel('b')))).toEqual([
      ['a', 0, 0],
      ['b', 0, 4],
    ]);
  });

  it('puts copies beside the original, or below it', () => {
    expect(boxes(withDuplicate(model(panel('a')), 'a'))).toEqual([
      ['a', 0, 0],
      ['panel-1', 12, 0],
    ]);
    expect(boxes(withDuplicate(model(panel('a', 12), panel('b', 12, 4)), 'a'))).toEqual([
      ['a', 12, 0],
      ['b', 12, 8],
      ['panel-1', 12, 4],
    ]);
  });

  it('makes room for a panel that is moved', () => {
    expect(boxes(withBox(model(panel('a'), panel('b', 0, 4)), 'b', { y: 0 }))).toEqual([
      ['a', 0, 4],
      ['b', 0, 0],
    ]);
  });

  it('finds free ids', () => {
    expect(freeId([panel('panel-1'), panel('panel-3')])).toBe('panel-2');
  });
});
