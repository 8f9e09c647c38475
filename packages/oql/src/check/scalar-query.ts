import { insertAt } from '../diagnostics/diagnostic.ts';
import { type Sql, sql } from '../sql/sql.ts';
import type { ExpressionOf } from '../syntax/ast.ts';
import type { Environment } from './environment.ts';
import { expected, missable, ofPair } from './integers.ts';
import { outputColumns } from './output.ts';
import { store } from './store.ts';
import { taggedValue } from './tagged.ts';
import { BROKEN, type Value } from './value.ts';

/** `(spans | stats p99(duration))`: the single value that a sub-query returns; null if it finds nothing. */
export function checkScalarQuery({ pipeline }: ExpressionOf<'scalar'>, env: Environment): Value {
  const { ctx } = env;
  const relation = env.subquery(pipeline, ctx);
  if (relation.unknown) return BROKEN;
  const columns = outputColumns(relation);
  const [only] = columns;
  if (relation.rows || relation.keys?.length !== 0) {
    const message = 'A sub-query used as a value must return one row: end it with `| stats …` without `by`.';
    const repair = relation.rows ? insertAt(pipeline.end, ' | stats n=count()') : undefined;
    ctx.error('TYPE_MISMATCH', pipeline, message, repair);
    return BROKEN;
  }
  if (columns.length !== 1 || only === undefined) {
    const names = columns.map(({ name }) => `\`${name}\``).join(', ');
    ctx.error(
      'TYPE_MISMATCH',
      pipeline,
      `A sub-query used as a value must return one value; this one returns ${names}.`,
    );
    return BROKEN;
  }
  if (only.value.broken) return BROKEN;
  const { definition, value } = store(missable(only.value) ?? only.value, ctx.fresh);
  const plan = { op: 'extend' as const, input: relation.plan, columns: [definition] };
  const query: Sql = { kind: 'query', plan, columns: [definition.id] };
  const aggregate = env.level === 'groups' ? { aggregate: true } : {};
  if (value.type === 'any') return { ...taggedValue(query), ...aggregate };
  if (value.enumeration || value.id) {
    return { type: 'string', sql: sql`toString(${query})`, nullable: true, ...aggregate };
  }
  if (expected(value)) return { type: value.type, nullable: true, ...ofPair(query), ...aggregate };
  return { type: value.type, sql: query, nullable: value.type !== 'array' && value.type !== 'map', ...aggregate };
}
