import { all, FALSE, some, sql } from '../sql/sql.ts';
import type { Expression, ExpressionOf } from '../syntax/ast.ts';
import { LIMITS } from '../syntax/guard.ts';
import { printExpression } from '../syntax/print.ts';
import { arithmetic, isTooLarge, negate } from './arithmetic.ts';
import { checkCall } from './call.ts';
import { checkBetween, checkComparison } from './compare.ts';
import type { Environment } from './environment.ts';
import { checkIn } from './membership.ts';
import { checkOver } from './over.ts';
import { parameterValue } from './parameters.ts';
import { resolve } from './resolve.ts';
import { checkScalarQuery } from './scalar-query.ts';
import { withArticle } from './types.ts';
import { BROKEN, condition, constant, isNull, readAs, type Value } from './value.ts';

/** Checks an expression: resolves its names, infers its type, reports mistakes, and builds its SQL. */
export function checkExpression(expression: Expression, env: Environment): Value {
  switch (expression.kind) {
    case 'string':
      return constant({ type: 'string', value: expression.value });
    case 'int':
      return checkInt(expression, env);
    case 'float':
      return constant({ type: 'float', value: expression.value });
    case 'duration':
      return amount({ type: 'duration', value: expression.nanoseconds }, expression, env);
    case 'months':
      return refuseMonths(expression, env);
    case 'bytes':
      return amount({ type: 'bytes', value: expression.bytes }, expression, env);
    case 'timestamp':
      return constant({ type: 'timestamp', value: expression.nanoseconds });
    case 'bool':
      return constant({ type: 'bool', value: expression.value });
    case 'null':
      return constant({ type: 'null' });
    case 'invalid':
      return BROKEN;
    case 'path':
      return resolve(expression, env);
    case 'param':
      return parameterValue(expression, env.ctx);
    case 'scalar':
      return checkScalarQuery(expression, env);
    case 'over':
      return checkOver(expression, env);
    case 'call':
      return checkCall(expression, env);
    case 'or':
    case 'and':
      return checkLogic(expression, env);
    case 'not': {
      const operand = checkCondition(expression.operand, env);
      return { ...boolOf([operand]), sql: sql`(NOT ${condition(operand)})` };
    }
    case 'negate':
      return negate(checkExpression(expression.operand, env), expression, env.ctx);
    case 'exists': {
      const operand = checkExpression(expression.operand, env);
      return operand.broken ? BROKEN : { ...boolOf([operand]), sql: sql`(NOT ${isNull(operand)})` };
    }
    case 'compare':
      return checkComparison(expression, env);
    case 'between':
      return checkBetween(expression, env);
    case 'in':
      return checkIn(expression, env);
    case 'arithmetic':
      return checkArithmetic(expression, env);
  }
}

/** Checks an expression that must be true or false. */
export function checkCondition(expression: Expression, env: Environment): Value {
  const value = checkExpression(expression, env);
  if (value.broken) return value;
  const bool = readAs(value, 'bool');
  if (bool !== undefined && value.type !== 'null') return bool;
  env.ctx.error('NOT_A_CONDITION', expression, `A condition must be true or false, not ${withArticle(value.type)}.`);
  return BROKEN;
}

function refuseMonths(expression: Expression, env: Environment): Value {
  const written = printExpression(expression);
  const message = `\`${written}\` has no fixed length: only \`bucket(${written})\`, \`compare ${written}\` and \`from -${written}\` know the calendar. Elsewhere write days, as in \`30d\`.`;
  env.ctx.error('TYPE_MISMATCH', expression, message);
  return BROKEN;
}

function checkArithmetic(expression: ExpressionOf<'arithmetic'>, env: Environment): Value {
  env.ctx.operands += expression.rest.length;
  if (env.ctx.operands > LIMITS.operands) {
    env.ctx.error('TOO_DEEP', expression, `A query can have at most ${LIMITS.operands} operands.`);
    return BROKEN;
  }
  return expression.rest.reduce(
    (left, { operator, operand }) => arithmetic(operator, left, checkExpression(operand, env), expression, env.ctx),
    checkExpression(expression.first, env),
  );
}

function checkLogic(expression: ExpressionOf<'or' | 'and'>, env: Environment): Value {
  const operands = expression.operands.map((operand) => checkCondition(operand, env));
  const conditions = operands.map((operand) => (operand.broken ? FALSE : condition(operand)));
  return { ...boolOf(operands), sql: expression.kind === 'and' ? all(conditions) : some(conditions) };
}

function boolOf(operands: readonly Value[]): Value {
  const aggregate = operands.some((operand) => operand.aggregate);
  return { type: 'bool', sql: FALSE, nullable: false, ...(aggregate ? { aggregate } : {}) };
}

function amount(
  value: { readonly type: 'duration' | 'bytes'; readonly value: bigint },
  at: Expression,
  env: Environment,
): Value {
  if (!isTooLarge(value.value)) return constant(value);
  env.ctx.error('INVALID_VALUE', at, 'This number does not fit in 64 bits.');
  return BROKEN;
}

const INT64_MAX = 2n ** 63n - 1n;

function checkInt(expression: ExpressionOf<'int'>, env: Environment): Value {
  if (expression.value <= INT64_MAX) return constant({ type: 'int', value: expression.value });
  env.ctx.error('INVALID_VALUE', expression, `The largest integer is ${INT64_MAX}.`);
  return BROKEN;
}
