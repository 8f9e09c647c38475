import { expect, it } from 'vitest';
import { targetOf } from './roving.ts';

it.each([
  ['ArrowDown', 'vertical', 0, 1],
  ['ArrowDown', 'vertical', 2, 0],
  ['ArrowUp', 'vertical', 0, 2],
  ['ArrowRight', 'vertical', 0, undefined],
  ['ArrowRight', 'horizontal', 0, 1],
  ['ArrowLeft', 'horizontal', 0, 2],
  ['Home', 'horizontal', 2, 0],
  ['End', 'vertical', 0, 2],
  ['a', 'vertical', 0, undefined],
  // The focus is in another control of the group.
  ['ArrowDown', 'vertical', -1, undefined],
] as const)('%s in a %s group of three moves from %s to %s', (key, axis, from, to) => {
  expect(targetOf(key, axis, from, 3)).toBe(to);
});
