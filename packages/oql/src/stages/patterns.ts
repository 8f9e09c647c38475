import type { Context } from '../check/context.ts';
import { findColumn, type Relation } from '../check/relation.ts';
import { resolve } from '../check/resolve.ts';
import { rowsOf } from '../check/rows-environment.ts';
import { withArticle } from '../check/types.ts';
import { readAs } from '../check/value.ts';
import { wholeCount } from '../functions/aggregate/count.ts';
import type { Definition, Plan } from '../plan/plan.ts';
import { aggregate, column, type Sql, sql } from '../sql/sql.ts';
import type { Path } from '../syntax/ast.ts';
import type { StageDefinition } from './definition.ts';

/**
 * A text with what differs from one time to the next replaced by `<*>`: quoted text, ids, addresses, times, numbers. The
 * expressions are RE2's; the longer forms come first, so that an id is not taken for a number.
 */
export function masked(of: Sql): Sql {
  // Quoted values, and not the keys of JSON, which come after `{` or `,`.
  const quoted = sql`replaceRegexpAll(${of}, '(^|[:=(\\[ ])(?:"[^"]*"|\\'[^\\']*\\')', '\\\\1<*>')`;
  const ids = sql`replaceRegexpAll(${quoted}, '\\\\b(?:[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}|0x[0-9a-fA-F]+|[0-9a-fA-F]{16,})\\\\b', '<*>')`;
  return sql`replaceRegexpAll(${ids}, '[0-9]+(?:[.:,_-][0-9]+)*', '<*>')`;
}

export const patterns: StageDefinition<'patterns'> = {
  kind: 'patterns',
  syntax: 'patterns [FIELD]',
  doc: 'Groups texts that differ in numbers, ids and quoted parts only: the pattern, how often it occurs, its share, an example, and when it was first and last seen.',
  examples: ['logs | patterns', 'logs | where severity >= warn | patterns body | limit 10'],
  check(stage, input, ctx) {
    const path: Path = stage.field ?? { kind: 'path', segments: ['body'], start: stage.start, end: stage.end };
    const value = resolve(path, rowsOf(input, ctx));
    if (value.broken) return { ...input, unknown: true };
    const read = readAs(value, 'string');
    if (!read) {
      ctx.error('TYPE_MISMATCH', path, `Patterns are made of text; this is ${withArticle(value.type)}.`);
      return { ...input, unknown: true };
    }
    return grouped(
      input,
      read.nullable ? sql`ifNull(${read.sql}, '')` : read.sql,
      shapeOf(input, path.segments.join('.')),
      ctx,
    );
  },
};

/** The masked shape that ingest has computed of a log's body, where the rows are logs as they are stored. */
function shapeOf(input: Relation, field: string): Sql | undefined {
  const isBody = input.rows?.signal === 'logs' && field === 'body' && !findColumn(input, 'body');
  return isBody ? input.rows?.intrinsic('shape')?.sql : undefined;
}

function grouped(input: Relation, of: Sql, shape: Sql | undefined, ctx: Context): Relation {
  const fresh = () => ctx.fresh();
  const ids = { count: fresh(), example: fresh(), first: fresh(), last: fresh() };
  const time = input.time?.sql ?? sql`NULL`;
  const number = input.weight ? wholeCount(aggregate('sum', [input.weight])) : aggregate('count', []);
  const firstPass: Definition[] = [
    { id: ids.count, value: number },
    { id: ids.example, value: aggregate('any', [of]) },
    { id: ids.first, value: aggregate('min', [time]) },
    { id: ids.last, value: aggregate('max', [time]) },
  ];
  // By shape first: then one text of each shape is masked, instead of every row's.
  const key = shape ? sql`if(${shape} = 0, cityHash64(${masked(of)}), ${shape})` : masked(of);
  const rough: Plan = {
    op: 'aggregate',
    input: input.plan,
    keys: [{ id: fresh(), value: key }],
    aggregates: firstPass,
  };
  const [pattern, count, example, first, last, all] = [fresh(), fresh(), fresh(), fresh(), fresh(), fresh()];
  const byPattern: Plan = {
    op: 'aggregate',
    input: rough,
    keys: [{ id: pattern, value: masked(column(ids.example)) }],
    aggregates: [
      { id: count, value: aggregate('sum', [column(ids.count)]) },
      { id: example, value: aggregate('any', [column(ids.example)]) },
      { id: first, value: aggregate('min', [column(ids.first)]) },
      { id: last, value: aggregate('max', [column(ids.last)]) },
    ],
  };
  const counted: Plan = {
    op: 'window',
    input: byPattern,
    columns: [{ id: all, value: sql`sum(${column(count)}) OVER ()` }],
  };
  const orders = [
    { value: column(count), descending: true },
    { value: column(pattern), descending: false },
  ];
  const moment = (id: number) => ({ type: 'timestamp' as const, sql: column(id), nullable: input.time === undefined });
  return {
    plan: { op: 'sort', input: counted, orders },
    columns: [
      { name: 'pattern', value: { type: 'string', sql: column(pattern), nullable: false } },
      { name: 'count', value: { type: 'int', sql: column(count), nullable: false } },
      { name: 'share', value: { type: 'float', sql: sql`(${column(count)} / ${column(all)})`, nullable: false } },
      { name: 'example', value: { type: 'string', sql: column(example), nullable: false } },
      { name: 'first_seen', value: moment(first) },
      { name: 'last_seen', value: moment(last) },
    ],
    window: input.window,
    sorted: true,
  };
}
