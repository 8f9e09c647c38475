import { asksForBuckets } from '../functions/buckets.ts';
import type { OqlFunction } from '../functions/definition.ts';
import { functionNamed } from '../functions/index.ts';
import type { ExpressionOf } from '../syntax/ast.ts';
import { printExpression } from '../syntax/print.ts';
import { aggregatedRows, applyScalar, checkArguments, resultOf } from './arguments.ts';
import { arithmetic } from './arithmetic.ts';
import { reportCallElsewhere, reportConstantDuration, reportLevelFirst } from './call-elsewhere.ts';
import type { Environment } from './environment.ts';
import { refuseHistogram, refuseSummary } from './histogram-value.ts';
import { ofPair } from './integers.ts';
import { checkWindowFunction } from './over.ts';
import { findColumn, type Relation } from './relation.ts';
import { noteSampled } from './sampled.ts';
import { reportUnknownFunction } from './unknown-function.ts';
import { BROKEN, constant, type Value } from './value.ts';

export function checkCall(expression: ExpressionOf<'call'>, env: Environment): Value {
  const { name, args } = expression;
  if (name.text === 'bucket') {
    env.ctx.error('AGGREGATE_MISPLACED', expression, '`bucket(…)` groups by time: use it after `by` in `stats`.');
    return BROKEN;
  }
  if (name.text === 'now' && args.items.length === 0) return constant({ type: 'timestamp', value: env.ctx.nowNs });
  const [amount] = args.items;
  if (name.text === 'ago' && amount !== undefined && args.items.length === 1) {
    const now = constant({ type: 'timestamp', value: env.ctx.nowNs });
    return arithmetic('-', now, env.check(amount, env), expression, env.ctx);
  }
  const definition = functionNamed(name.text);
  if (!definition) {
    if (!reportCallElsewhere(expression, env)) reportUnknownFunction(name, env.ctx);
    // Whether it would be an aggregate is not known, so its arguments may be fields of rows.
    for (const item of args.items) env.check(item, { ...env, level: 'rows' });
    return BROKEN;
  }
  if (definition.kind === 'window') return checkWindowFunction(definition, expression, env);
  return definition.kind === 'aggregate'
    ? checkAggregate(definition, expression, env)
    : applyScalar(definition, checkArguments(definition, args, expression, env), expression, env.ctx);
}

function checkAggregate(
  definition: Extract<OqlFunction, { kind: 'aggregate' }>,
  expression: ExpressionOf<'call'>,
  env: Environment,
): Value {
  const { ctx, relation } = env;
  const inner = relation.rows?.inner;
  if (env.level === 'rows' && inner) {
    // Within one trace, sampling weights are ignored: each span counts once.
    const { weight: _, ...spans } = inner.relation;
    const grouped = { ...env, relation: spans, level: 'groups' as const };
    const { aggregate: __, ...value } = checkAggregate(definition, expression, grouped);
    if (value.broken) return value;
    const { integer } = value;
    const pair = typeof integer === 'object' ? integer.pair : undefined;
    return pair ? { ...value, ...ofPair(inner.aggregated(pair)) } : { ...value, sql: inner.aggregated(value.sql) };
  }
  // `stats count() by x | sort -count()`: refers to the column of this name.
  const column = findColumn(relation, printExpression(expression));
  if (env.level === 'rows' && column) return column.value;
  if (env.level === 'rows') {
    const message = `\`${definition.name}\` combines many rows: use it in \`stats\`, and not inside another aggregate.`;
    ctx.error('AGGREGATE_MISPLACED', expression, message);
    return BROKEN;
  }
  if (reportLevelFirst(expression, env) || reportConstantDuration(expression, env)) return BROKEN;
  const values = checkArguments(definition, expression.args, expression, { ...env, level: 'rows' });
  if (values === undefined || values.some((value) => value.broken)) return BROKEN;
  if (!definition.histograms && values.some((value) => refuseHistogram(value, expression, ctx))) return BROKEN;
  if (asksForBuckets(expression) && values.some((value) => refuseSummary(value, expression, ctx))) return BROKEN;
  const fault = definition.fault?.(values);
  if (fault !== undefined) {
    ctx.error('INVALID_VALUE', expression, fault);
    return BROKEN;
  }
  const rows = aggregatedRows(relation);
  if (definition.weights === 'counted') noteSampled(relation, ctx);
  const exact = definition.exact?.(values, rows);
  const result = resultOf(definition, values, exact ?? definition.sql(values, rows), definition.nullable, true, exact);
  const counts = definition.name === 'count' ? countedBy(values[0], relation) : undefined;
  return counts ? { ...result, counts } : result;
}

/** What a count counts of a metric that is known to have histograms. */
function countedBy(of: Value | undefined, relation: Relation): Value['counts'] {
  if (of) return of.share?.isKnown || (of.observed && of.histogram) ? 'observations' : undefined;
  const value = findColumn(relation, 'value')?.value ?? relation.rows?.points?.histograms === 'some';
  return value === true || (typeof value === 'object' && value.histogram) ? 'points' : undefined;
}
