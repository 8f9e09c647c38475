import type { FilterOperator } from './tree.ts';

/** Comparisons of numbers. */
export const comparisons: Readonly<Record<FilterOperator, (left: number, right: number) => boolean>> = {
  '=': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
};
