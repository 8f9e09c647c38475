import type { AggregatedRows, OqlFunction, Parameter, Wanted } from '../functions/definition.ts';
import { signature } from '../functions/definition.ts';
import type { Sql } from '../sql/sql.ts';
import type { Arguments, Expression, Range } from '../syntax/ast.ts';
import { printExpression } from '../syntax/print.ts';
import type { Context } from './context.ts';
import { asList } from './elements.ts';
import type { Environment } from './environment.ts';
import { refuseHistogram } from './histogram-value.ts';
import { ofPair } from './integers.ts';
import type { Relation } from './relation.ts';
import { resultValue } from './tagged.ts';
import { isNumber, isQuantity, withArticle } from './types.ts';
import { BROKEN, readAs, type Value } from './value.ts';

/** The properties of a relation's rows that aggregates may use. */
export function aggregatedRows(relation: Relation): AggregatedRows {
  return {
    ...(relation.weight ? { weight: relation.weight } : {}),
    ...(relation.time ? { time: relation.time.sql } : {}),
    field: (name) => relation.rows?.intrinsic(name)?.sql,
  };
}

export function applyScalar(
  definition: Extract<OqlFunction, { kind: 'scalar' }>,
  values: readonly Value[] | undefined,
  range: Range,
  ctx: Context,
): Value {
  if (values === undefined || values.some((value) => value.broken)) return BROKEN;
  if (!definition.histograms && values.some((value) => refuseHistogram(value, range, ctx))) return BROKEN;
  const fault = definition.fault?.(values);
  if (fault !== undefined) {
    ctx.error('INVALID_VALUE', range, fault);
    return BROKEN;
  }
  const nullable = definition.nullable?.(values) ?? values.some((value) => value.nullable);
  const aggregate = values.some((value) => value.aggregate);
  const exact = definition.exact?.(values);
  const plain = () =>
    definition.sql(
      values.map((value) => value.sql),
      values,
    );
  return resultOf(definition, values, exact ?? plain(), nullable, aggregate, exact);
}

/** The result of a function, which depends on the types of its arguments. */
export function resultOf(
  definition: OqlFunction,
  values: readonly Value[],
  result: Sql,
  nullable: boolean,
  aggregate = false,
  exact?: Sql,
): Value {
  const type = typeof definition.returns === 'string' ? definition.returns : definition.returns(values);
  const elements = definition.elements?.(values);
  const isTyped = elements !== undefined && elements !== 'string' && elements !== 'null';
  return {
    ...resultValue(type, result, nullable, isTyped ? elements : undefined),
    ...(aggregate ? { aggregate } : {}),
    ...(exact && ofPair(exact)),
  };
}

/** Checks the arguments and converts them to the types of the parameters; undefined if their number is wrong. */
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
    const message = `\`${parameter.name}\` of \`${signature(definition)}\` must be a constant; \`${printExpression(item)}\` varies by row.`;
    env.ctx.error('ARGUMENT_TYPE', item, message);
    return BROKEN;
  }
  const wanted = typeof parameter.type === 'string' ? [parameter.type] : parameter.type;
  // A parameter of type `any` gets the value unconverted, even if its list names another type first.
  if (value.type === 'any' && wanted.includes('any')) return value;
  for (const type of wanted) {
    // Beside other types, `any` means an attribute: `array_length(2)` is a mistake.
    const isOther = type === 'any' && wanted.length > 1 && value.type !== 'null';
    const read = isOther ? undefined : fit(value, type);
    if (read) return read;
  }
  const message = `\`${parameter.name}\` of \`${signature(definition)}\` must be ${wanted.join(' or ')}, not ${withArticle(value.type)}.`;
  env.ctx.error('ARGUMENT_TYPE', item, message);
  return BROKEN;
}

/** An attribute as a float, which sums split into integers and others. */
function numberOfAny(value: Value): Value | undefined {
  const read = value.type === 'any' ? readAs(value, 'float') : undefined;
  const { dynamic } = value;
  if (!read || !dynamic) return read;
  return { ...read, split: () => ({ whole: dynamic.read('whole'), rest: dynamic.read('rest') }) };
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
      return isNumber(value.type) ? value : numberOfAny(value);
    case 'quantity':
      return isQuantity(value.type) ? value : numberOfAny(value);
    case 'array':
      return asList(value);
    case 'string':
    case 'int':
    case 'float':
    case 'bool':
      return value.type === 'null' ? undefined : readAs(value, wanted);
    default:
      return value.type === wanted ? value : undefined;
  }
}
