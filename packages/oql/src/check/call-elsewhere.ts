import { replaceWith } from '../diagnostics/diagnostic.ts';
import { exactLike, likeCondition } from '../foreign/names.ts';
import type { Expression, ExpressionOf } from '../syntax/ast.ts';
import { printExpression } from '../syntax/print.ts';
import type { Context } from './context.ts';
import type { Environment } from './environment.ts';

/** How OQL writes what another language calls a function; undefined where the arguments do not fit. */
interface CallForm {
  readonly hint: string;
  readonly oql?: (args: readonly string[], given: readonly Expression[]) => string | undefined;
}

export function isNumber(expression: Expression | undefined): expression is ExpressionOf<'int' | 'float'> {
  return expression?.kind === 'int' || expression?.kind === 'float';
}

function infix(operator: string): CallForm {
  const hint = `\`${operator}\` stands between its operands`;
  return { hint, oql: ([a, b, ...more]) => (a && b && more.length === 0 ? `${a} ${operator} ${b}` : undefined) };
}

function behind(words: string, hint: string): CallForm {
  return { hint, oql: ([a, ...more]) => (a && more.length === 0 ? `${a} ${words}` : undefined) };
}

function called(name: string, hint: string): CallForm {
  return { hint, oql: ([a, ...more]) => (a && more.length === 0 ? `${name}(${a})` : undefined) };
}

function like(condition: (field: string, pattern: string) => string): CallForm {
  const hint = 'texts are matched with `contains`, `startswith` or `=~`';
  return {
    hint,
    oql: ([field], [, pattern]) => (field && pattern?.kind === 'string' ? condition(field, pattern.value) : undefined),
  };
}

const EXISTS = behind('exists', 'whether there is a value is written `exists`');
const MATCHES = infix('=~');
const BEGINS = { hint: 'the start of an hour or a day is `start_of(time, "hour")`, and a key `bucket(1h)`' };
const RANGE: CallForm = {
  hint: 'for metrics it is a stage, as in `metric x | rate 5m | sum`; for other rows, a rate is `count()/window`, as in `stats rate=count()/window by bucket(1m)`',
};

/** A quantile of which the level comes first, or in percent. */
const LEVEL: CallForm = {
  hint: 'a quantile is `quantile(duration, 0.95)`, or `p95(duration)`',
  oql: ([a, b], [one, other]) => {
    const [level, of] = isNumber(one) ? [a, b] : isNumber(other) ? [b, a] : [];
    const values = isNumber(one) ? other : one;
    if (level === undefined || of === undefined || values?.kind === 'duration') return undefined;
    const value = Number(level);
    return `quantile(${of}, ${value > 1 ? Number((value / 100).toFixed(9)) : value})`;
  },
};

const FORMS: Readonly<Record<string, CallForm>> = {
  ...{ isnotnull: EXISTS, notnull: EXISTS, is_not_null: EXISTS, exists: EXISTS, isdefined: EXISTS, hasvalue: EXISTS },
  isnull: behind('== null', 'a missing value is compared with `null`'),
  is_null: behind('== null', 'a missing value is compared with `null`'),
  isnotempty: {
    hint: 'a text that is not empty is `not is_empty(x)`',
    oql: ([a]) => (a ? `not is_empty(${a})` : undefined),
  },
  ...{ contains: infix('contains'), startswith: infix('startswith'), has: infix('has') },
  ...{ starts_with: infix('startswith'), includes: infix('contains'), string_contains: infix('contains') },
  ...{
    match: MATCHES,
    matches: MATCHES,
    regexp_like: MATCHES,
    regexp_matches: MATCHES,
    rlike: MATCHES,
    regex: MATCHES,
  },
  ...{ like: like(exactLike), ilike: like(likeCondition) },
  in: {
    hint: 'a list is searched with `in`',
    oql: ([a, ...items]) => (a && items.length > 0 ? `${a} in (${items.join(', ')})` : undefined),
  },
  between: {
    hint: '`between` joins its bounds with `..`',
    oql: ([a, low, high]) => (a && low && high ? `${a} between ${low} .. ${high}` : undefined),
  },
  date_trunc: {
    ...BEGINS,
    oql: ([a, b], [one, other]) => {
      const [unit, of] = one?.kind === 'string' ? [one, b] : other?.kind === 'string' ? [other, a] : [];
      return unit && of ? `start_of(${of}, ${JSON.stringify(unit.value.toLowerCase())})` : undefined;
    },
  },
  ...{ percentile: LEVEL, percentiles: LEVEL, approx_percentile: LEVEL, histogram_quantile: LEVEL, perc: LEVEL },
  quantile_over_time: LEVEL,
  ...{ earliest: called('first', 'the first value in time is `first(x)`') },
  ...{
    latest_value: called('last', 'the last value in time is `last(x)`'),
    latest: called('last', 'the last value in time is `last(x)`'),
  },
  count_if: called('count', 'rows that fulfill a condition are counted with `count(condition)`'),
  ...{ rate: RANGE, increase: RANGE, delta: RANGE, irate: RANGE, deriv: RANGE, per_second: RANGE },
  count_over_time: { hint: 'rows over time are counted by buckets, as in `stats n=count() by bucket(5m)`' },
  ...Object.fromEntries(
    ['avg', 'min', 'max', 'sum', 'last', 'first', 'stddev', 'stdvar', 'present', 'absent'].map((name) => {
      const aggregate =
        name === 'stddev' || name === 'stdvar' ? `${name === 'stddev' ? 'stddev' : 'variance'}_pop` : name;
      return [
        `${name}_over_time`,
        { hint: `values over time are aggregated by buckets, as in \`stats ${aggregate}(value) by bucket(5m)\`` },
      ];
    }),
  ),
  topk: { hint: 'the largest groups are a stage, as in `stats n=count() by name | top 5 by n`' },
  bottomk: { hint: 'the smallest groups are a stage, as in `stats n=count() by name | top 5 by -n`' },
  datetime: {
    hint: 'a time is written without quotes, as in `time > 2026-11-19T14:53:20Z`',
    oql: (_, [text]) => (text?.kind === 'string' ? momentOf(text.value) : undefined),
  },
  ...{
    dateadd: { hint: 'a duration is added to a time, as in `now - 1h`' },
    date_add: { hint: 'a duration is added to a time, as in `now - 1h`' },
  },
  date_sub: { hint: 'a duration is subtracted from a time, as in `now - 1h`' },
  ...{ datediff: { hint: 'the difference of two times is a duration, as in `now - time > 1h`' } },
  ...{ date_diff: { hint: 'the difference of two times is a duration, as in `now - time > 1h`' } },
  ...{
    getdate: { hint: 'the time of the query is `now`', oql: () => 'now' },
    current_timestamp: { hint: 'the time of the query is `now`', oql: () => 'now' },
  },
};

function momentOf(text: string): string | undefined {
  const time = Date.parse(/\d\d:\d\d/.test(text) && !/(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? `${text}Z` : text);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString().replace('.000Z', 'Z');
}

/** Reports a call of a function of another language, with what OQL writes instead. @returns whether it is one */
export function reportCallElsewhere(expression: ExpressionOf<'call'>, { ctx }: Environment): boolean {
  const { name, args } = expression;
  const word = name.text.toLowerCase();
  const form = Object.hasOwn(FORMS, word) ? FORMS[word] : undefined;
  if (form === undefined) return false;
  const oql = form.oql?.(args.items.map(printExpression), args.items);
  const shown = oql === undefined ? '' : `: write \`${oql}\``;
  const message = `There is no function \`${name.text}\`; ${form.hint}${shown}.`;
  ctx.error('UNKNOWN_FUNCTION', name, message, oql === undefined ? undefined : replaceWith(expression, oql));
  return true;
}

/** `quantile(0.95, duration)`, as in PromQL. @returns whether it was reported */
export function reportLevelFirst(expression: ExpressionOf<'call'>, { ctx }: Environment): boolean {
  const [level, of] = expression.args.items;
  if (expression.name.text !== 'quantile' || !isNumber(level) || of === undefined || isNumber(of)) return false;
  const oql = `quantile(${printExpression(of)}, ${printExpression(level)})`;
  ctx.error(
    'INVALID_VALUE',
    expression,
    `The level of \`quantile\` comes last: write \`${oql}\`.`,
    replaceWith(expression, oql),
  );
  return true;
}

/** `sum(5m)`, `changes(1h)`: the time over which to aggregate, as in PromQL. @returns whether it was reported */
export function reportConstantDuration(expression: ExpressionOf<'call'>, { ctx }: Environment): boolean {
  const [of, ...more] = expression.args.items;
  if (of?.kind !== 'duration' || more.length > 0) return false;
  const { text } = expression.name;
  const width = printExpression(of);
  const message = `\`${text}(${width})\` would aggregate a constant. The time is a key: \`stats ${text}(FIELD) by bucket(${width})\`.`;
  ctx.error('INVALID_VALUE', expression, message);
  return true;
}

const WIDTHS: Readonly<Record<string, string>> = {
  ...{ second: '1s', minute: '1m', hour: '1h', day: '1d', week: '1w', month: '1mo', quarter: '3mo', year: '1y' },
};
/** Functions whose name has the unit, such as `toStartOfHour(time)`. */
const STARTS_OF = /^(?:tostartof|startof|start_of_)(minute|hour|day|week|month|quarter|year)$/;

/** Reports a key such as `date_trunc("hour", time)`, which is `bucket(1h)`. @returns whether it was reported */
export function reportBucketElsewhere(expression: Expression, ctx: Context): boolean {
  if (expression.kind !== 'call') return false;
  const { name, args } = expression;
  const word = name.text.toLowerCase();
  const text = args.items.find((item) => item.kind === 'string');
  const of = args.items.find((item) => item.kind === 'path');
  const unit = word === 'date_trunc' ? text?.value.toLowerCase() : STARTS_OF.exec(word)?.[1];
  const [, count, long] =
    (word === 'time_bucket' && /^(\d+) *(second|minute|hour|day|week)s?$/i.exec(text?.value ?? '')) || [];
  const width = count && long ? `${count}${WIDTHS[long.toLowerCase()]?.slice(1)}` : unit && WIDTHS[unit];
  if (!width || !of || of.segments.join('.') !== 'time') return false;
  const message = `There is no function \`${name.text}\`; buckets of time are made with \`bucket(${width})\`.`;
  ctx.error('UNKNOWN_FUNCTION', name, message, replaceWith(expression, `bucket(${width})`));
  return true;
}
