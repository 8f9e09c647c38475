import { type Column, findColumn, type Relation } from './relation.ts';

/** The columns in the output of a relation: its own, preceded by the signal's default ones while its rows are those of a signal. */
export function outputColumns(relation: Relation): readonly Column[] {
  const { rows, columns } = relation;
  if (!rows) return columns;
  const usual = rows.defaults.flatMap((name): Column[] => {
    const value = findColumn(relation, name)?.value ?? rows.intrinsic(name);
    return value ? [{ name, value }] : [];
  });
  return [...usual, ...columns.filter((column) => !rows.defaults.includes(column.name))];
}
