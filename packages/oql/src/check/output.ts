import type { Column, Relation } from './relation.ts';

/** The columns that a relation shows: its own, or while rows are those of a signal, these and the signal's usual ones. */
export function outputColumns(relation: Relation): readonly Column[] {
  const { rows, columns } = relation;
  if (!rows) return columns;
  const usual = rows.defaults.flatMap((name): Column[] => {
    const value = columns.some((column) => column.name === name) ? undefined : rows.intrinsic(name);
    return value ? [{ name, value }] : [];
  });
  return [...usual, ...columns];
}
