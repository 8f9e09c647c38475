import type { Context } from './context.ts';
import type { Environment } from './environment.ts';
import { checkExpression } from './expression.ts';
import { findColumn, type Relation } from './relation.ts';
import { windowOf } from './window-width.ts';

/** The environment of expressions that are computed for one row of a relation. */
export function rowsOf(relation: Relation, ctx: Context): Environment {
  return {
    ctx,
    relation,
    level: 'rows',
    keys: [],
    window: windowOf(relation, relation.bucket, relation.bucket && findColumn(relation, relation.bucket.column), ctx),
    check: checkExpression,
    subquery: ctx.subquery,
  };
}
