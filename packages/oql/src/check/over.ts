import { replaceWith } from '../diagnostics/diagnostic.ts';
import type { OqlFunction } from '../functions/definition.ts';
import { functionNamed } from '../functions/index.ts';
import type { ExpressionOf, Frame } from '../syntax/ast.ts';
import { LIMITS } from '../syntax/guard.ts';
import { printExpression } from '../syntax/print.ts';
import { aggregatedRows, applyScalar, checkArguments, resultOf } from './arguments.ts';
import type { Environment, WindowScope } from './environment.ts';
import { refuseHistogram } from './histogram-value.ts';
import { noteSampled } from './sampled.ts';
import { reportUnknownFunction } from './unknown-function.ts';
import { BROKEN, type Value } from './value.ts';
import { aggregatesOver, type Extent, lastRows, lastSpan, over, type Windows } from './windows.ts';

/** Most rows that a window may contain; more are probably a mistake, and expensive. */
const MOST_ROWS = 10_000n;
const MILLISECOND = 1_000_000n;
/** The engine measures a window in 32-bit integers. */
const LONGEST = 24n * 86_400_000n * MILLISECOND;

/** `avg(n) over 5 buckets`: an aggregate of other rows, computed for each row. */
export function checkOver(expression: ExpressionOf<'over'>, env: Environment): Value {
  const { call, frame } = expression;
  const definition = functionNamed(call.name.text);
  if (definition?.kind !== 'aggregate') {
    if (!definition) reportUnknownFunction(call.name, env.ctx);
    else env.ctx.error('TYPE_MISMATCH', call, `\`over\` must follow an aggregate, as in \`avg(x) over 5 buckets\`.`);
    return BROKEN;
  }
  const scope = windowScope(definition, expression, env);
  if (!scope) return BROKEN;
  const extent = extentOf(frame, scope.windows, env);
  const values = checkArguments(definition, call.args, call, { ...env, level: 'rows' });
  if (!extent || !values || values.some((value) => value.broken)) return BROKEN;
  if (values.some((value) => refuseHistogram(value, call, env.ctx))) return BROKEN;
  const fault = definition.fault?.(values);
  if (fault !== undefined) {
    env.ctx.error('INVALID_VALUE', call, fault);
    return BROKEN;
  }
  if (definition.weights === 'counted') noteSampled(env.relation, env.ctx);
  const rows = aggregatedRows(env.relation);
  const exact = definition.exact?.(values, rows);
  const result = aggregatesOver(exact ?? definition.sql(values, rows), (aggregate) =>
    scope.add(over(aggregate, extent)),
  );
  return resultOf(definition, values, result, definition.nullable, false, exact && result);
}

/** A function that reads other rows, such as `lag(n)`. */
export function checkWindowFunction(
  definition: Extract<OqlFunction, { kind: 'window' }>,
  expression: ExpressionOf<'call'>,
  env: Environment,
): Value {
  const scope = windowScope(definition, expression, env);
  const values = checkArguments(definition, expression.args, expression, env);
  if (!scope || !values || values.some((value) => value.broken)) return BROKEN;
  const needed = definition.order(values);
  if (needed !== undefined && !scope.windows[needed]) {
    const message =
      needed === 'sorted'
        ? `\`${definition.name}()\` numbers rows in the order of the last \`sort\`, and these rows are not sorted: write \`${definition.name}(n)\`, or \`sort\` them first.`
        : `\`${definition.name}\` reads rows in order, and ${scope.windows.unordered}.`;
    env.ctx.error('NEEDS_BUCKET', expression, message);
    return BROKEN;
  }
  const { windows, add } = scope;
  return applyScalar(
    {
      ...definition,
      kind: 'scalar',
      sql: (_, of) => definition.sql(of, { ...windows, add }),
      exact: (of) => definition.exact?.(of, { ...windows, add }),
      examples: [],
    },
    values,
    expression,
    env.ctx,
  );
}

function windowScope(
  definition: OqlFunction,
  expression: ExpressionOf<'call' | 'over'>,
  env: Environment,
): WindowScope | undefined {
  if (env.windowScope && env.level === 'rows') {
    if (++env.ctx.windows <= LIMITS.windows) return env.windowScope;
    env.ctx.error('TOO_DEEP', expression, `A query can read other rows at most ${LIMITS.windows} times.`);
    return undefined;
  }
  if (env.relation.unknown) return undefined;
  const written = printExpression(expression);
  const message = `\`${definition.name}\` reads other rows: use it in \`extend\`, as in \`extend x = ${written}\`, then use \`x\` in later stages.`;
  env.ctx.error('AGGREGATE_MISPLACED', expression, message);
  return undefined;
}

function extentOf(frame: Frame, windows: Windows, env: Environment): Extent | undefined {
  const { ctx } = env;
  switch (frame.kind) {
    case 'all':
      return { partition: windows.all };
    case 'buckets': {
      const count = countOf(frame, env);
      if (windows.number && count) return { partition: windows.series, order: windows.number, rows: lastSpan(count) };
      if (!windows.number && !env.relation.unknown) {
        const inBuckets = env.relation.bucket !== undefined && windows.moment !== undefined;
        const message = inBuckets
          ? `A number of buckets needs their order, and ${windows.unordered}.`
          : 'These rows have no time buckets: write `over 5 rows`, or group by `bucket(…)`.';
        const rows = replaceWith(frame, `${printExpression(frame.count)} rows`);
        ctx.error('NEEDS_BUCKET', frame, message, inBuckets ? undefined : rows);
      }
      return undefined;
    }
    case 'rows': {
      const count = countOf(frame, env);
      if (windows.order && count) return { partition: windows.series, order: windows.order, rows: lastRows(count) };
      if (!windows.order && !env.relation.unknown) {
        ctx.error('NEEDS_BUCKET', frame, `A number of rows needs their order, and ${windows.unordered}.`);
      }
      return undefined;
    }
    case 'time':
      return timeExtent(frame, windows, env);
  }
}

/** The duration that ends at each row: converted to a number of buckets, or for rows without buckets measured in milliseconds. */
function timeExtent(frame: Extract<Frame, { kind: 'time' }>, windows: Windows, env: Environment): Extent | undefined {
  const { ctx, relation } = env;
  const { duration } = frame;
  if (duration.kind === 'invalid') return undefined;
  const { bucket } = relation;
  if (windows.number && bucket?.calendar?.unit === 'month') {
    const { count } = bucket.calendar;
    if (duration.kind === 'months' && duration.months > 0n && duration.months % count === 0n) {
      return { partition: windows.series, order: windows.number, rows: lastSpan(duration.months / count) };
    }
    const message =
      'Over buckets of months, a window is a multiple of their width: `over 3mo`. `over 3 buckets` counts them.';
    ctx.error('INVALID_VALUE', frame, message);
    return undefined;
  }
  const ns = duration.kind === 'duration' ? duration.nanoseconds : 0n;
  if (ns <= 0n || ns > LONGEST || ns % MILLISECOND !== 0n) {
    const message =
      'A window is a number of buckets or rows, or a duration up to 24 days: `over 5 buckets`, `over 5 rows`, `over 1h`.';
    ctx.error('INVALID_VALUE', frame, message);
    return undefined;
  }
  if (windows.number && bucket) {
    if (ns % bucket.widthNs === 0n) {
      return { partition: windows.series, order: windows.number, rows: lastSpan(ns / bucket.widthNs) };
    }
    ctx.error(
      'INVALID_VALUE',
      frame,
      'With buckets, a window must be a multiple of their width; `over 5 buckets` counts them.',
    );
    return undefined;
  }
  const { milliseconds } = windows;
  if (bucket && windows.moment) {
    ctx.error('NEEDS_BUCKET', frame, `A window of time needs the order of buckets, and ${windows.unordered}.`);
    return undefined;
  }
  if (milliseconds) return { partition: windows.series, order: milliseconds, rows: lastSpan(ns / MILLISECOND) };
  if (!relation.unknown) ctx.error('NOT_ON_SOURCE', frame, 'These rows have no time: write `over 5 rows`.');
  return undefined;
}

function countOf(frame: Extract<Frame, { kind: 'buckets' | 'rows' }>, { ctx }: Environment): bigint | undefined {
  const { count } = frame;
  if (count.kind === 'int' && count.value > 0n && count.value <= MOST_ROWS) return count.value;
  if (count.kind !== 'invalid') {
    ctx.error('INVALID_VALUE', count, `A window must be a whole number of ${frame.kind}, from 1 to ${MOST_ROWS}.`);
  }
  return undefined;
}
