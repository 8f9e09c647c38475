import { describe, expect, it } from 'vitest';
import { type Box, withoutHoles } from './holes-rules.ts';

const box = (x: number, y: number, w: number, h: number): Box => ({ x, y, w, h });

describe('withoutHoles', () => {
  it.each<[string, Box[], Box[], Box[]]>([
    ['nothing is lost', [box(0, 0, 8, 4), box(16, 9, 8, 4)], [], [box(0, 0, 8, 4), box(16, 9, 8, 4)]],
    ['the right panel is lost', [box(0, 0, 12, 4)], [box(12, 0, 12, 4)], [box(0, 0, 24, 4)]],
    ['the left panel is lost', [box(12, 0, 12, 4)], [box(0, 0, 12, 4)], [box(0, 0, 24, 4)]],
    ['two neighbors are lost', [box(0, 0, 8, 4)], [box(8, 0, 8, 4), box(16, 0, 8, 4)], [box(0, 0, 24, 4)]],
    [
      'a whole line is lost',
      [box(0, 0, 24, 1), box(0, 5, 12, 4), box(12, 5, 12, 4)],
      [box(0, 1, 24, 4)],
      [box(0, 0, 24, 1), box(0, 1, 12, 4), box(12, 1, 12, 4)],
    ],
    [
      'a panel of another height is lost',
      [box(0, 0, 12, 8), box(12, 4, 12, 4), box(0, 8, 24, 1)],
      [box(12, 0, 12, 4)],
      [box(0, 0, 12, 8), box(12, 0, 12, 4), box(0, 8, 24, 1)],
    ],
    ['panels overlap', [box(0, 0, 24, 4), box(0, 2, 24, 4)], [box(0, 9, 24, 4)], [box(0, 0, 24, 4), box(0, 2, 24, 4)]],
  ])('%s', (_, kept, lost, expected) => {
    expect(withoutHoles(kept, lost)).toEqual(expected);
  });
});
