import { call, list, type Sql, sql } from '../sql/sql.ts';
import type { ExpressionOf } from '../syntax/ast.ts';
import type { Environment } from './environment.ts';
import { isOrdering } from './operators.ts';
import { findColumn, type Rows } from './relation.ts';
import { matchText } from './text-match.ts';
import { BROKEN, type Value } from './value.ts';

/** The text fields of a row that are not attributes. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  logs: ['body', 'event_name', 'severity_text', 'service.name', 'scope.name'],
  spans: ['name', 'status_message', 'service.name', 'scope.name'],
};

/** Fields of a row that are lists of texts. */
const LISTS = ['event.names', 'event.values'];

/**
 * `any has "x"`: whether a text of the row, the value of an attribute or resource attribute, or one of its events matches.
 * Numbers are searched as text. It uses no index, so a narrow window or an earlier `where` makes it faster.
 */
export function matchAnywhere(expression: ExpressionOf<'compare'>, env: Environment): Value | undefined {
  const { left, right, operator } = expression;
  const { relation, ctx } = env;
  if (isOrdering(operator) || left.kind !== 'path' || left.index !== undefined) return undefined;
  if (left.segments.join('.') !== 'any' || findColumn(relation, 'any') || env.level !== 'rows') return undefined;
  if (relation.unknown) return BROKEN;
  const texts = relation.rows && TEXTS[relation.rows.signal];
  if (!relation.rows || !texts) {
    ctx.error(
      'NOT_ON_SOURCE',
      left,
      '`any` searches whole rows of `logs` and `spans`: use it before `stats` and `fields`.',
    );
    return BROKEN;
  }
  const sought = env.check(right, env);
  // `v` is the lambda's parameter: one of the row's texts.
  const one = matchText(operator === '!~' ? '=~' : operator, ANY_TEXT, sought, expression, ctx);
  if (one.broken) return BROKEN;
  const found = sql`arrayExists(v -> ${one.sql}, ${textsOf(relation.rows, texts)})`;
  return { type: 'bool', sql: operator === '!~' ? sql`(NOT ${found})` : found, nullable: false };
}

const ANY_TEXT: Value = { type: 'string', sql: sql`v`, nullable: false };

function textsOf(rows: Rows, names: readonly string[]): Sql {
  const own = names.flatMap((name) => {
    const value = rows.intrinsic(name);
    return value ? [sql`ifNull(toString(${value.sql}), '')`] : [];
  });
  const attributes = rows.intrinsic('attributes')?.sql ?? sql`tuple()`;
  const resource = rows.intrinsic('resource')?.sql ?? sql`tuple(map())`;
  const written = (index: number) => sql`arrayMap(x -> toString(x), mapValues(${attributes}.${index}))`;
  const values = [
    ...[sql`mapValues(${attributes}.1)`, written(2), written(3), written(4), written(5)],
    sql`mapValues(${resource}.1)`,
    ...LISTS.flatMap((name) => {
      const value = rows.intrinsic(name);
      return value ? [value.sql] : [];
    }),
  ];
  return sql`arrayConcat(${list([call('array', own), ...values])})`;
}
