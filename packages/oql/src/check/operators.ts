import { type Sql, sql } from '../sql/sql.ts';
import type { CompareOperator } from '../syntax/ast.ts';

export type Ordering = '==' | '!=' | '<' | '<=' | '>' | '>=';

/** The operator for swapped operands. */
export const MIRRORED: Readonly<Record<Ordering, Ordering>> = {
  '==': '==',
  '!=': '!=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

export function isOrdering(operator: CompareOperator): operator is Ordering {
  return Object.hasOwn(MIRRORED, operator);
}

export function compared(operator: Ordering, a: Sql, b: Sql): Sql {
  switch (operator) {
    case '==':
      return sql`(${a} = ${b})`;
    case '!=':
      return sql`(${a} != ${b})`;
    case '<':
      return sql`(${a} < ${b})`;
    case '<=':
      return sql`(${a} <= ${b})`;
    case '>':
      return sql`(${a} > ${b})`;
    case '>=':
      return sql`(${a} >= ${b})`;
  }
}
