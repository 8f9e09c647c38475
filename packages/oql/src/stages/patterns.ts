import type { Context } from '../check/context.ts';
import { type Column, findColumn, type Relation } from '../check/relation.ts';
import { resolve } from '../check/resolve.ts';
import { rowsOf } from '../check/rows-environment.ts';
import { forgetSampled, noteSampled } from '../check/sampled.ts';
import { store } from '../check/store.ts';
import { withArticle } from '../check/types.ts';
import { readAs, type Value } from '../check/value.ts';
import { wholeCount } from '../functions/aggregate/count.ts';
import { templateOf } from '../patterns/templates.ts';
import { shapeText } from '../patterns/words.ts';
import type { Definition, Plan, UnionColumn, Window } from '../plan/plan.ts';
import { aggregate, column, type Sql, sql } from '../sql/sql.ts';
import type { Path, StageOf } from '../syntax/ast.ts';
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
    const read = textsOf(stage, input, ctx);
    if (!read) return { ...input, unknown: true };
    noteSampled(input, ctx, stage);
    return grouped(input, read, ctx);
  },
};

interface Texts {
  readonly text: Sql;
  readonly shape?: Sql;
  readonly keys: Keys;
}

/** The texts to group, and the keys beside their templates; undefined after a mistake, which is reported. */
function textsOf(stage: StageOf<'patterns'>, input: Relation, ctx: Context): Texts | undefined {
  const path: Path = stage.field ?? { kind: 'path', segments: ['body'], start: stage.start, end: stage.end };
  const value = resolve(path, rowsOf(input, ctx));
  const keys = checkKeys(stage.by, input, ctx);
  if (value.broken || keys.columns.length < stage.by.length) return undefined;
  const taken = keys.columns.find(({ name }) => COLUMNS.includes(name));
  if (taken) {
    const message = `\`patterns\` already has a column \`${taken.name}\`; write \`NAME=${taken.name}\`.`;
    ctx.error('DUPLICATE_NAME', stage, message);
    return undefined;
  }
  const read = readAs(value, 'string');
  if (!read) {
    ctx.error('TYPE_MISMATCH', path, `Patterns need text, not ${withArticle(value.type)}.`);
    return undefined;
  }
  const text = read.nullable ? sql`ifNull(${read.sql}, '')` : read.sql;
  const shape = shapeOf(input, path.segments.join('.'));
  return { text, keys, ...(shape ? { shape } : {}) };
}

/**
 * The patterns of two windows side by side. Templates depend on all texts, so those of both windows are grouped together: in each window alone,
 * the same texts could get different templates.
 */
export function comparePatterns(stage: StageOf<'patterns'>, before: Window, ctx: Context): Relation | undefined {
  const sides = [ctx.again(ctx.window, 1), ctx.again(before, 1)].flatMap((side) => (side ? [side] : []));
  const texts = sides.flatMap((side) => textsOf(stage, side, ctx) ?? []);
  const [now] = sides;
  const [first] = texts;
  if (!now || !first || texts.length < 2) return undefined;
  const union: UnionColumn[] = [];
  const both = (values: readonly Sql[]): Sql => {
    const id = ctx.fresh();
    union.push({ id, values });
    return column(id);
  };
  const isNow = both([sql`true`, sql`false`]);
  const text = both(texts.map((one) => one.text));
  const shape = first.shape && both(texts.map((one) => one.shape ?? sql`0`));
  first.keys.definitions.forEach(({ id }, i) => {
    union.push({ id, values: texts.map(({ keys }) => keys.definitions[i]?.value ?? sql`NULL`) });
  });
  const time = both(sides.map((side) => side.time?.sql ?? sql`NULL`));
  const weight = now.weight && both(sides.map((side) => sql`toFloat64(${side.weight ?? sql`1`})`));
  const kept = first.keys.columns.map(({ name, value }) => ({ name, ...store(value, ctx.fresh) }));
  const input: Relation = {
    plan: { op: 'union', inputs: sides.map(({ plan }) => plan), columns: union },
    columns: [],
    window: now.window,
    sorted: false,
    ...(now.time ? { time: { type: 'timestamp', sql: time, nullable: now.time.nullable } } : {}),
    ...(weight ? { weight } : {}),
    ...(now.weighs ? { weighs: now.weighs } : {}),
  };
  const keys = { definitions: kept.map(({ definition }) => definition), columns: kept };
  forgetSampled(ctx, stage);
  noteSampled(input, ctx, stage);
  return grouped(input, { text, keys, ...(shape ? { shape } : {}) }, ctx, isNow);
}

const COLUMNS: readonly string[] = ['pattern', 'count', 'share', 'example', 'first_seen', 'last_seen'];

/** The masked shape that ingest computed for a log's body, if the rows are logs as stored. */
function shapeOf(input: Relation, field: string): Sql | undefined {
  const isBody = input.rows?.signal === 'logs' && field === 'body' && !findColumn(input, 'body');
  return isBody ? input.rows?.intrinsic('shape')?.sql : undefined;
}

/** @param isNow of two windows: whether a row is in the later one */
function grouped(input: Relation, { text: of, shape, keys: by }: Texts, ctx: Context, isNow?: Sql): Relation {
  const fresh = () => ctx.fresh();
  const ids = { count: fresh(), example: fresh(), first: fresh(), last: fresh(), before: isNow ? fresh() : 0 };
  const time = input.time?.sql ?? sql`NULL`;
  const all = input.weight ? wholeCount(aggregate('sum', [input.weight])) : aggregate('count', []);
  const numberIf = (holds: Sql) =>
    input.weight ? wholeCount(aggregate('sumIf', [input.weight, holds])) : aggregate('countIf', [holds]);
  const number = isNow ? numberIf(isNow) : all;
  const firstPass: Definition[] = [
    { id: ids.count, value: number },
    ...(isNow ? [{ id: ids.before, value: numberIf(sql`(NOT ${isNow})`) }] : []),
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
  const [pattern, count, example, first, last, total] = [fresh(), fresh(), fresh(), fresh(), fresh(), fresh()];
  const [before, totalBefore] = isNow ? [fresh(), fresh()] : [0, 0];
  const keys = by.columns.map(({ name, value }) => ({ name, ...store(value, ctx.fresh) }));
  const byPattern: Plan = {
    op: 'aggregate',
    input: plan,
    keys: [{ id: pattern, value: template }, ...keys.map(({ definition }) => definition)],
    aggregates: [
      { id: count, value: aggregate('sum', [column(ids.count)]) },
      ...(isNow ? [{ id: before, value: aggregate('sum', [column(ids.before)]) }] : []),
      { id: example, value: aggregate('any', [column(ids.example)]) },
      { id: first, value: aggregate('min', [column(ids.first)]) },
      { id: last, value: aggregate('max', [column(ids.last)]) },
    ],
  };
  const counted: Plan = {
    op: 'window',
    input: byPattern,
    columns: [
      { id: total, value: sql`sum(${column(count)}) OVER ()` },
      ...(isNow ? [{ id: totalBefore, value: sql`sum(${column(before)}) OVER ()` }] : []),
    ],
  };
  const difference = sql`abs(toInt64(${column(count)}) - toInt64(${column(before)}))`;
  const orders = [
    { value: isNow ? difference : column(count), descending: true },
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
      ...(isNow ? [beforeOf('count', column(before)), stateOf(column(count), column(before))] : []),
      { name: 'share', value: share(column(count), column(total), isNow !== undefined) },
      ...(isNow ? [{ name: 'share_before', value: share(column(before), column(totalBefore), true) }] : []),
      { name: 'example', value: { type: 'string', sql: column(example), nullable: false } },
      { name: 'first_seen', value: moment(first) },
      { name: 'last_seen', value: moment(last) },
    ],
    window: input.window,
    sorted: true,
    ...(isNow ? { keys: ['pattern', ...keyColumns.map(({ name }) => name)] } : {}),
    ...(by.bucket && bucketed ? { bucket: by.bucket, time: bucketed.value } : {}),
  };
}

function beforeOf(name: string, of: Sql): Column {
  return { name: `${name}_before`, value: { type: 'int', sql: of, nullable: false } };
}

/** `new`: only in this window; `gone`: only in the earlier one. */
function stateOf(count: Sql, before: Sql): Column {
  const state = sql`multiIf(${before} = 0, 'new', ${count} = 0, 'gone', ${count} > ${before}, 'more', ${count} < ${before}, 'fewer', 'same')`;
  return { name: 'state', value: { type: 'string', sql: state, nullable: false } };
}

function share(of: Sql, total: Sql, nullable: boolean): Value {
  return { type: 'float', sql: nullable ? sql`(${of} / nullIf(${total}, 0))` : sql`(${of} / ${total})`, nullable };
}
