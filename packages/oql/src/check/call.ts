import { replaceWith } from '../diagnostics/diagnostic.ts';
import type { AggregatedRows, OqlFunction, Parameter, Wanted } from '../functions/definition.ts';
import { signature } from '../functions/definition.ts';
import { functionNamed, functionNames } from '../functions/index.ts';
import type { Arguments, Expression, ExpressionOf, Name, Range } from '../syntax/ast.ts';
import { printExpression } from '../syntax/print.ts';
import { nearest } from '../text/distance.ts';
import { arithmetic } from './arithmetic.ts';
import type { Context } from './context.ts';
import type { Environment } from './environment.ts';
import { refuseHistogram } from './histogram-value.ts';
import { findColumn } from './relation.ts';
import { isNumber, isQuantity, withArticle } from './types.ts';
import { BROKEN, constant, readAs, type Value } from './value.ts';

/** Words of other languages for what is called differently here. */
const FOREIGN: Readonly<Record<string, string>> = {
  ...{ dcount: 'count_distinct', uniq: 'count_distinct', countdistinct: 'count_distinct', mean: 'avg', average: 'avg' },
  ...{ strlen: 'length', len: 'length', toupper: 'upper', tolower: 'lower', iff: 'if', iif: 'if', ifnull: 'coalesce' },
  ...{ isnull: 'coalesce', tostring: 'string', tolong: 'int', toint: 'int', todouble: 'float', tobool: 'bool' },
  ...{
    str: 'string',
    substr: 'substring',
    strcat: 'concat',
    indexof: 'position',
    bin: 'bucket',
    dcountif: 'count_distinct_if',
    ...{ countif: 'count', sumif: 'sum_if', avgif: 'avg_if', minif: 'min_if', maxif: 'max_if', stdev: 'stddev' },
    ...{ isempty: 'is_empty', isnotempty: 'is_empty', nullif: 'null_if', endswith: 'ends_with', countof: 'count_of' },
    ...{ extract: 'regex_extract', extract_all: 'regex_extract_all', replace_regex: 'regex_replace' },
    ...{
      replace_string: 'replace',
      parse_json: 'json',
      jsonextract: 'json',
      strcat_delim: 'join',
      has_any: 'contains_any',
    },
    ...{
      format_datetime: 'format_time',
      strftime: 'format_time',
      todatetime: 'timestamp',
      totimespan: 'parse_duration',
    },
    ...{ startofday: 'start_of', startofweek: 'start_of', startofmonth: 'start_of', startofyear: 'start_of' },
    ...{ dayofweek: 'weekday', dayofmonth: 'day', hourofday: 'hour', getmonth: 'month', getyear: 'year' },
    ...{ hash_sha256: 'sha256', hash_md5: 'md5', topk: 'top_values', grouparray: 'list', makelist: 'list' },
    ...{ array_index_of: 'array_has', set_has_element: 'array_has', format_timespan: 'format_duration' },
  },
  ...{
    percentile: 'quantile',
    arg_max: 'argmax',
    arg_min: 'argmin',
    make_set: 'values',
    make_list: 'list',
    cidr: 'in_cidr',
  },
};

export function checkCall(expression: ExpressionOf<'call'>, env: Environment): Value {
  const { name, args } = expression;
  if (name.text === 'bucket') {
    env.ctx.error('AGGREGATE_MISPLACED', expression, '`bucket(…)` groups by time: it stands after `by` in `stats`.');
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
    reportUnknownFunction(name, env.ctx);
    for (const item of args.items) env.check(item, env);
    return BROKEN;
  }
  return definition.kind === 'aggregate'
    ? checkAggregate(definition, expression, env)
    : applyScalar(definition, checkArguments(definition, args, expression, env), expression, env.ctx);
}

export function reportUnknownFunction(name: Name, ctx: Context): void {
  const foreign = FOREIGN[name.text.toLowerCase()];
  const near = foreign ?? nearest(name.text, functionNames());
  const hint = near === undefined ? '' : ` Did you mean \`${near}\`?`;
  const suggestion = near === undefined ? undefined : replaceWith(name, near);
  ctx.error('UNKNOWN_FUNCTION', name, `There is no function \`${name.text}\`.${hint}`, suggestion);
}

function checkAggregate(
  definition: Extract<OqlFunction, { kind: 'aggregate' }>,
  expression: ExpressionOf<'call'>,
  env: Environment,
): Value {
  const { ctx, relation } = env;
  const inner = relation.rows?.inner;
  if (env.level === 'rows' && inner) {
    // One trace is as it was seen: its spans are counted as they are, whatever each stands for.
    const { weight: _, ...spans } = inner.relation;
    const grouped = { ...env, relation: spans, level: 'groups' as const };
    const { aggregate: __, ...value } = checkAggregate(definition, expression, grouped);
    return value.broken ? value : { ...value, sql: inner.aggregated(value.sql) };
  }
  // `stats count() by x | sort -count()`: a column of this name is what is meant.
  const column = findColumn(relation, printExpression(expression));
  if (env.level === 'rows' && column) return column.value;
  if (env.level === 'rows') {
    const message = `\`${definition.name}\` is about many rows: it stands in \`stats\`, and not inside of another aggregate.`;
    ctx.error('AGGREGATE_MISPLACED', expression, message);
    return BROKEN;
  }
  const values = checkArguments(definition, expression.args, expression, { ...env, level: 'rows' });
  if (values === undefined || values.some((value) => value.broken)) return BROKEN;
  if (!definition.histograms && values.some((value) => refuseHistogram(value, expression, ctx))) return BROKEN;
  const fault = definition.fault?.(values);
  if (fault !== undefined) {
    ctx.error('INVALID_VALUE', expression, fault);
    return BROKEN;
  }
  const rows: AggregatedRows = {
    ...(relation.weight ? { weight: relation.weight } : {}),
    ...(relation.time ? { time: relation.time.sql } : {}),
    field: (name) => relation.rows?.intrinsic(name)?.sql,
  };
  const type = typeof definition.returns === 'string' ? definition.returns : definition.returns(values);
  return { type, sql: definition.sql(values, rows), nullable: definition.nullable, aggregate: true };
}

export function applyScalar(
  definition: Extract<OqlFunction, { kind: 'scalar' }>,
  values: readonly Value[] | undefined,
  range: Range,
  ctx: Context,
): Value {
  if (values === undefined || values.some((value) => value.broken || refuseHistogram(value, range, ctx))) return BROKEN;
  const fault = definition.fault?.(values);
  if (fault !== undefined) {
    ctx.error('INVALID_VALUE', range, fault);
    return BROKEN;
  }
  const type = typeof definition.returns === 'string' ? definition.returns : definition.returns(values);
  const nullable = definition.nullable?.(values) ?? values.some((value) => value.nullable);
  const aggregate = values.some((value) => value.aggregate);
  const sql = definition.sql(
    values.map((value) => value.sql),
    values,
  );
  return { type, sql, nullable, ...(aggregate ? { aggregate } : {}) };
}

/** The arguments, checked and read as what the parameters want; undefined where their number is wrong. */
export function checkArguments(
  definition: OqlFunction,
  args: Arguments,
  range: Range,
  env: Environment,
): readonly Value[] | undefined {
  const { parameters, name } = definition;
  const items = args.items;
  // `count(*)` is `count()`.
  const star = args.star && parameters.every((parameter) => parameter.optional);
  const least = parameters.filter((parameter) => !parameter.optional).length;
  const most = parameters.at(-1)?.rest ? Number.POSITIVE_INFINITY : parameters.length;
  if ((args.star && !star) || items.length < least || items.length > most) {
    env.ctx.error('ARGUMENT_COUNT', range, `\`${name}\` is written \`${signature(definition)}\`.`);
    return undefined;
  }
  const values = items.map((item, i) => {
    const parameter = parameters[Math.min(i, parameters.length - 1)];
    return parameter ? checkArgument(definition, parameter, item, env) : BROKEN;
  });
  return values;
}

function checkArgument(definition: OqlFunction, parameter: Parameter, item: Expression, env: Environment): Value {
  const takesShare = definition.kind === 'aggregate' && definition.histograms === 'share';
  const value = env.check(item, takesShare ? { ...env, share: item } : env);
  if (value.broken) return value;
  if (parameter.literal && !value.constant) {
    const message = `\`${parameter.name}\` of \`${signature(definition)}\` has to be written out; \`${printExpression(item)}\` differs from row to row.`;
    env.ctx.error('ARGUMENT_TYPE', item, message);
    return BROKEN;
  }
  const wanted = typeof parameter.type === 'string' ? [parameter.type] : parameter.type;
  // What takes values of any type knows better than the first type of its list how to read them.
  if (value.type === 'any' && wanted.includes('any')) return value;
  for (const type of wanted) {
    const read = fit(value, type);
    if (read) return read;
  }
  const message = `\`${parameter.name}\` of \`${signature(definition)}\` is ${wanted.join(' or ')}; this is ${withArticle(value.type)}.`;
  env.ctx.error('ARGUMENT_TYPE', item, message);
  return BROKEN;
}

function fit(value: Value, wanted: Wanted): Value | undefined {
  switch (wanted) {
    case 'value':
      return value.type === 'map' || value.type === 'array' ? undefined : value;
    case 'any':
      return value;
    case 'condition':
      return value.type === 'null' ? undefined : readAs(value, 'bool');
    case 'number':
      return isNumber(value.type) ? value : value.type === 'any' ? readAs(value, 'float') : undefined;
    case 'quantity':
      return isQuantity(value.type) ? value : value.type === 'any' ? readAs(value, 'float') : undefined;
    case 'string':
    case 'int':
    case 'float':
    case 'bool':
      return value.type === 'null' ? undefined : readAs(value, wanted);
    default:
      return value.type === wanted ? value : undefined;
  }
}
