import { replaceWith } from '../diagnostics/diagnostic.ts';
import type { ExpressionOf } from '../syntax/ast.ts';
import type { Context } from './context.ts';
import { BROKEN, type Constant, constant, type Value } from './value.ts';

/** The caller's value of `$name`, as one value. While a query is only validated, it is unknown. */
export function parameterValue(expression: ExpressionOf<'param'>, ctx: Context): Value {
  const [only, ...more] = parameterValues(expression, ctx) ?? [];
  if (only === undefined) return BROKEN;
  if (more.length === 0) return constant(only);
  ctx.error('TYPE_MISMATCH', expression, `\`$${expression.name}\` is a list: use it in \`in (…)\`.`);
  return BROKEN;
}

/** The caller's value of `$name`, as a list; undefined if it is unknown or invalid (an invalid one is reported). */
export function parameterValues(expression: ExpressionOf<'param'>, ctx: Context): readonly Constant[] | undefined {
  const { params } = ctx;
  if (params === undefined) return undefined;
  if (!Object.hasOwn(params, expression.name)) {
    const near = ctx.nearest(expression.name, Object.keys(params));
    const hint = near === undefined ? '' : ` Did you mean \`$${near}\`?`;
    const suggestion = near === undefined ? undefined : replaceWith(expression, `$${near}`);
    ctx.error(
      'UNKNOWN_PARAMETER',
      expression,
      `The parameter \`$${expression.name}\` has no value.${hint}`,
      suggestion,
    );
    return undefined;
  }
  const given: unknown = params[expression.name];
  const constants = (Array.isArray(given) ? given : [given]).map(constantOf);
  const usable = constants.filter((value) => value !== undefined);
  if (usable.length === constants.length && usable.length > 0) return usable;
  ctx.error(
    'INVALID_VALUE',
    expression,
    `\`$${expression.name}\` must be text, a number, true, false, null, or a list of these.`,
  );
  return undefined;
}

function constantOf(value: unknown): Constant | undefined {
  if (value === null) return { type: 'null' };
  if (typeof value === 'string') return { type: 'string', value };
  if (typeof value === 'boolean') return { type: 'bool', value };
  if (typeof value === 'bigint') return { type: 'int', value };
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  return Number.isSafeInteger(value) ? { type: 'int', value: BigInt(value) } : { type: 'float', value };
}
