import { reportBucketElsewhere } from '../check/call-elsewhere.ts';
import type { Context } from '../check/context.ts';
import type { Environment } from '../check/environment.ts';
import { checkExpression } from '../check/expression.ts';
import { refuseHistogram } from '../check/histogram-value.ts';
import { expected } from '../check/integers.ts';
import type { Bucket, Column, Relation } from '../check/relation.ts';
import { rowsOf } from '../check/rows-environment.ts';
import { store } from '../check/store.ts';
import { withArticle } from '../check/types.ts';
import type { Value } from '../check/value.ts';
import { windowOf } from '../check/window-width.ts';
import { oneFloat } from '../functions/aggregate/stored.ts';
import { asksForBuckets } from '../functions/buckets.ts';
import { mentionsBound } from '../metrics/classic.ts';
import { withGrownBuckets } from '../metrics/grown-points.ts';
import type { Definition } from '../plan/plan.ts';
import type { Aliased, Path } from '../syntax/ast.ts';
import { printExpression, printSource } from '../syntax/print.ts';
import { checkBucket } from './bucket.ts';
import type { StageDefinition } from './definition.ts';
import { columnName } from './fields.ts';
import { LABELS, labelsWithout } from './without.ts';

/** What rows are grouped by. */
export interface Keys {
  readonly definitions: readonly Definition[];
  readonly columns: readonly Column[];
  readonly bucket?: Bucket;
}

function keyName({ alias, value }: Aliased): string {
  if (alias) return alias.text;
  return value.kind === 'path' ? columnName(value) : printExpression(value);
}

export function checkKeys(by: readonly Aliased[], input: Relation, ctx: Context): Keys {
  const env = rowsOf(input, ctx);
  const definitions: Definition[] = [];
  const columns: Column[] = [];
  let bucket: Bucket | undefined;
  for (const key of by) {
    const { value: expression } = key;
    if (reportBucketElsewhere(expression, ctx)) continue;
    const isBucket = expression.kind === 'call' && expression.name.text === 'bucket';
    const made = isBucket
      ? checkBucket(expression, env)
      : { value: checkExpression(expression, env), name: keyName(key) };
    if (made === undefined || made.value.broken || refuseHistogram(made.value, key, ctx)) continue;
    if (made.value.type === 'map') {
      ctx.error('TYPE_MISMATCH', key, `Rows cannot be grouped by ${withArticle('map')}.`);
      continue;
    }
    const name = key.alias?.text ?? made.name;
    if (columns.some((column) => column.name === name)) {
      ctx.error('DUPLICATE_NAME', key, `Two columns would be called \`${name}\`.`);
      continue;
    }
    const { value } = made;
    const isFloat = value.type === 'float' && !isBucket;
    const stored = store(isFloat ? { ...value, ...oneValue(value) } : value, ctx.fresh);
    definitions.push(stored.definition);
    columns.push({ name, value: stored.value });
    if ('widthNs' in made && made.widthNs !== undefined) {
      bucket = { column: name, widthNs: made.widthNs, ...(made.calendar ? { calendar: made.calendar } : {}) };
    }
  }
  return { definitions, columns, ...(bucket ? { bucket } : {}) };
}

/** The float of a key, in the one form that equal floats have. */
function oneValue(value: Value): Pick<Value, 'sql' | 'integer'> {
  const integer = expected(value);
  return { sql: oneFloat(value.sql), ...(integer && { integer: { sql: integer.sql, isExpected: true } }) };
}

/** Groups rows: the keys first, then the aggregates, in the order written. */
export function group(
  aggregates: readonly Aliased[],
  by: readonly Aliased[],
  stored: Relation,
  ctx: Context,
  without?: readonly Path[],
): Relation {
  const points = stored.rows?.points;
  const isAsked = aggregates.some(({ value }) => asksForBuckets(value));
  const ofBuckets = points && stored.columns.length === 0 && (isAsked || points.classic);
  const bucketsOf = stored.bucketsOf ?? points?.bucketsOf;
  if (bucketsOf !== undefined && isAsked && !mentionsBound(by)) reportBuckets(bucketsOf, aggregates, ctx);
  const input = ofBuckets ? withGrownBuckets(stored, points, ctx) : stored;
  const named = checkKeys(by, input, ctx);
  const labels = without && labelsWithout(without, input, ctx);
  const keys = labels ? withKey(named, labels, ctx) : named;
  const start = keys.columns.find(({ name }) => name === keys.bucket?.column);
  const window = windowOf(input, keys.bucket, start, ctx);
  const env: Environment = {
    ...rowsOf(input, ctx),
    level: 'groups',
    keys: keys.columns,
    window: window && !window.constant ? { ...window, aggregate: true } : window,
  };
  const columns: Column[] = [...keys.columns];
  const definitions: Definition[] = [];
  for (const aggregate of aggregates) {
    const value = checkExpression(aggregate.value, env);
    const name = keyName(aggregate);
    if (columns.some((column) => column.name === name)) {
      ctx.error('DUPLICATE_NAME', aggregate, `Two columns would be called \`${name}\`; write \`NAME=${name}\`.`);
    }
    const { aggregate: _, ...plain } = value;
    const stored = store(plain, ctx.fresh);
    definitions.push(value.aggregate ? stored.definition : { ...stored.definition, constant: true });
    const counts = value.counts && { counts: value.counts };
    columns.push({ name, value: value.broken ? value : { ...stored.value, ...counts } });
  }
  const time = columns.find((column) => column.name === keys.bucket?.column)?.value;
  return {
    plan: { op: 'aggregate', input: input.plan, keys: keys.definitions, aggregates: definitions },
    columns,
    window: input.window,
    sorted: false,
    keys: keys.columns.map((column) => column.name),
    ...(keys.bucket ? { bucket: keys.bucket } : {}),
    ...(input.covers ? { covers: input.covers } : {}),
    ...(time ? { time } : {}),
    ...(bucketsOf !== undefined && mentionsBound(by) ? { bucketsOf } : {}),
    // The columns are complete even after an invalid stage, unless a key is invalid and therefore missing.
    ...(named.columns.length < by.length || (without && !labels) ? { unknown: true } : {}),
  };
}

function withKey({ definitions, columns, bucket }: Keys, key: Value, ctx: Context): Keys {
  const stored = store(key, ctx.fresh);
  if (columns.some(({ name }) => name === LABELS)) return { definitions, columns, ...(bucket ? { bucket } : {}) };
  return {
    definitions: [...definitions, stored.definition],
    columns: [...columns, { name: LABELS, value: stored.value }],
    ...(bucket ? { bucket } : {}),
  };
}

/** Reports quantiles of bucket counters that are not grouped by `le`: these are not quantiles of the observations. */
function reportBuckets(metric: string, aggregates: readonly Aliased[], ctx: Context): void {
  const at = aggregates.find(({ value }) => asksForBuckets(value));
  if (!at) return;
  const name = printSource({ kind: 'metric', metric, start: 0, end: 0 });
  ctx.error(
    'BUCKET_LABEL',
    at,
    `\`le\` is the bound of a bucket, and these are the counters of single buckets. Without \`le\` in the query they are read as histograms: \`${name} | promrate 5m | stats p90=p90(value)\`.`,
  );
}

export const stats: StageDefinition<'stats'> = {
  kind: 'stats',
  syntax: 'stats [NAME=]AGGREGATE, … [by [NAME=]KEY, …] [without LABEL, …]',
  doc: 'Groups rows and computes aggregates for each group. Use `bucket(5m)` as a key to group by time. For metrics, `without` groups by all attributes of the series and its resource but those named, and returns them as `labels`.',
  examples: [
    'spans | where kind == server | stats rate=count()/window, errors=ratio(status == error), p99=p99(duration) by http.route',
    'logs | stats n=count() by bucket(5m), service.name',
  ],
  check: (stage, input, ctx) => group(stage.aggregates, stage.by, input, ctx, stage.without),
};
