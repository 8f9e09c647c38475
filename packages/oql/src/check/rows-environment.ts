import type { Context } from './context.ts';
import type { Environment } from './environment.ts';
import { checkExpression } from './expression.ts';
import type { Relation } from './relation.ts';

/** The environment of expressions that are computed for one row of a relation. */
export function rowsOf(relation: Relation, ctx: Context): Environment {
  return {
    ctx,
    relation,
    level: 'rows',
    keys: [],
    windowNs: relation.bucket?.days
      ? undefined
      : (relation.bucket?.widthNs ?? relation.window.toNs - relation.window.fromNs),
    check: checkExpression,
    subquery: ctx.subquery,
  };
}
