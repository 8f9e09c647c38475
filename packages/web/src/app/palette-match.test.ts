import { expect, it } from 'vitest';
import { matchScore, rank } from './palette-match.ts';

const items = ['Services', 'Explore', 'Settings', 'new-checkout', 'checkout-v2', 'old-check'].map((label) => ({
  label,
  group: 'x',
}));

it('matches all words in any order, and rejects text that lacks one', () => {
  expect(matchScore('new-checkout', 'check new')).not.toBeNull();
  expect(matchScore('new-checkout', 'check old')).toBeNull();
});

it('ranks early and word-initial matches first', () => {
  expect(rank(items, 'check').map((item) => item.label)).toEqual(['checkout-v2', 'old-check', 'new-checkout']);
  expect(rank(items, 'se')[0]?.label).toBe('Services');
});

it('keeps the order while the input is empty', () => {
  expect(rank(items, ' ', 2).map((item) => item.label)).toEqual(['Services', 'Explore']);
});
