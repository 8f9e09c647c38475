import { expect, it } from 'vitest';
import { layerFlags } from './dependency-layers.ts';

const needs = (to: string, ...from: string[]) => from.map((key) => ({ from: key, to, variants: ['true'] }));

it('places a flag to the right of everything that it requires', () => {
  const places = layerFlags('c', [...needs('c', 'a', 'b'), ...needs('b', 'a'), ...needs('d', 'c')]);
  expect(Object.fromEntries(places.map(({ key, column }) => [key, column]))).toEqual({ a: 0, b: 1, c: 2, d: 3 });
});

it('stacks flags of one column', () => {
  expect(layerFlags('c', needs('c', 'a', 'b'))).toEqual([
    { key: 'a', column: 0, row: 0 },
    { key: 'b', column: 0, row: 1 },
    { key: 'c', column: 1, row: 0 },
  ]);
});

it('terminates on a cycle', () => {
  expect(layerFlags('a', [...needs('a', 'b'), ...needs('b', 'a')])).toHaveLength(2);
});
