import type { Context } from '../check/context.ts';
import { type Column, findColumn, type Relation } from '../check/relation.ts';
import { resolve } from '../check/resolve.ts';
import { rowsOf } from '../check/rows-environment.ts';
import { store } from '../check/store.ts';
import { withArticle } from '../check/types.ts';
import { readAs } from '../check/value.ts';
import { wholeCount } from '../functions/aggregate/count.ts';
import { templateOf } from '../patterns/templates.ts';
import { shapeText } from '../patterns/words.ts';
import type { Definition, Plan } from '../plan/plan.ts';
import { aggregate, column, type Sql, sql } from '../sql/sql.ts';
import type { Path } from '../syntax/ast.ts';
import type { StageDefinition } from './definition.ts';
import { checkKeys, type Keys } from './stats.ts';

export const patterns: StageDefinition<'patterns'> = {
  kind: 'patterns',
  syntax: 'patterns [FIELD] [by [NAME=]KEY, …]',
  doc: 'Groups text by template, in which `*` marks the parts that vary. Returns how often each occurs, its share, an example, and when it was first and last seen; with `by`, one row for each combination of keys.',
  examples: [
    'logs | patterns',
    'logs | where severity >= warn | patterns body | limit 10',
    'logs | patterns by service.name | limit 10',
    'logs | patterns by shape | limit 100 offset 100',
  ],
  check(stage, input, ctx) {
    const path: Path = stage.field ?? { kind: 'path', segments: ['body'], start: stage.start, end: stage.end };
    const value = resolve(path, rowsOf(input, ctx));
    const keys = checkKeys(stage.by, input, ctx);
    if (value.broken || keys.columns.length < stage.by.length) return { ...input, unknown: true };
    const taken = keys.columns.find(({ name }) => COLUMNS.includes(name));
    if (taken) {
      const message = `\`patterns\` already has a column \`${taken.name}\`; write \`NAME=${taken.name}\`.`;
      ctx.error('DUPLICATE_NAME', stage, message);
      return { ...input, unknown: true };
    }
    const read = readAs(value, 'string');
    if (!read) {
      ctx.error('TYPE_MISMATCH', path, `Patterns need text, not ${withArticle(value.type)}.`);
      return { ...input, unknown: true };
    }
    const text = read.nullable ? sql`ifNull(${read.sql}, '')` : read.sql;
    return grouped(input, text, shapeOf(input, path.segments.join('.')), keys, ctx);
  },
};

const COLUMNS: readonly string[] = ['pattern', 'count', 'share', 'example', 'first_seen', 'last_seen'];

/** The masked shape that ingest computed for a log's body, if the rows are logs as stored. */
function shapeOf(input: Relation, field: string): Sql | undefined {
  const isBody = input.rows?.signal === 'logs' && field === 'body' && !findColumn(input, 'body');
  return isBody ? input.rows?.intrinsic('shape')?.sql : undefined;
}

function grouped(input: Relation, of: Sql, shape: Sql | undefined, by: Keys, ctx: Context): Relation {
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
  // Groups by shape first, so that only one text of each shape is processed instead of every row's.
  const masked = shapeText(of);
  const key = shape ? sql`if(${shape} = 0, cityHash64(${masked}), ${shape})` : masked;
  let plan: Plan = {
    op: 'aggregate',
    input: input.plan,
    keys: [{ id: fresh(), value: key }, ...by.definitions],
    aggregates: firstPass,
  };
  const template = templateOf(column(ids.example), {
    column: (value) => {
      const id = fresh();
      plan = { op: 'extend', input: plan, columns: [{ id, value }] };
      return column(id);
    },
    window: (value) => {
      const id = fresh();
      plan = { op: 'window', input: plan, columns: [{ id, value }] };
      return column(id);
    },
  });
  const [pattern, count, example, first, last, all] = [fresh(), fresh(), fresh(), fresh(), fresh(), fresh()];
  const keys = by.columns.map(({ name, value }) => ({ name, ...store(value, ctx.fresh) }));
  const byPattern: Plan = {
    op: 'aggregate',
    input: plan,
    keys: [{ id: pattern, value: template }, ...keys.map(({ definition }) => definition)],
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
    ...keys.map(({ definition }) => ({ value: column(definition.id), descending: false })),
  ];
  const moment = (id: number) => ({ type: 'timestamp' as const, sql: column(id), nullable: input.time === undefined });
  const keyColumns: Column[] = keys.map(({ name, value }) => ({ name, value }));
  const bucketed = keyColumns.find(({ name }) => name === by.bucket?.column);
  return {
    plan: { op: 'sort', input: counted, orders },
    columns: [
      { name: 'pattern', value: { type: 'string', sql: column(pattern), nullable: false } },
      ...keyColumns,
      { name: 'count', value: { type: 'int', sql: column(count), nullable: false } },
      { name: 'share', value: { type: 'float', sql: sql`(${column(count)} / ${column(all)})`, nullable: false } },
      { name: 'example', value: { type: 'string', sql: column(example), nullable: false } },
      { name: 'first_seen', value: moment(first) },
      { name: 'last_seen', value: moment(last) },
    ],
    window: input.window,
    sorted: true,
    ...(by.bucket && bucketed ? { bucket: by.bucket, time: bucketed.value } : {}),
  };
}
