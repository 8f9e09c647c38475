import { type Expression, NoEqual } from './ast.ts';
import { computed, unfiltered } from './computed.ts';
import type { Context } from './context.ts';
import { constantOf } from './expressions.ts';
import { matched } from './matching.ts';
import { type Filter, notANumber, numberText, type Vector } from './vector.ts';

type Binary = Extract<Expression, { kind: 'binary' }>;

const flipped = { '>': '<', '>=': '<=', '<': '>', '<=': '>=', '==': '==', '!=': '!=' } as const;

export function operated(context: Context, expression: Binary): Vector {
  const { op, bool, left, right } = expression;
  const [a, b] = [constantOf(left), constantOf(right)];
  if (a !== undefined && b !== undefined) throw new NoEqual('an expression of numbers has no series');
  const number = a ?? b;
  if (number === undefined) return related(context, expression);
  if (!Number.isFinite(number)) throw new NoEqual('OQL has no NaN or infinity');
  const vector = context.vectorOf(a === undefined ? left : right);
  if (isComparison(op)) {
    const filter: Filter = { op: a === undefined ? op : flipped[op], threshold: number };
    if (bool) return computed(context, vector, `if(value ${filter.op} ${numberText(number)}, 1, 0)`);
    const { stages, labels } = unfiltered(context, vector);
    return { stages, labels, filter };
  }
  const text = number < 0 ? `(${numberText(number)})` : numberText(number);
  return computed(context, vector, a === undefined ? arithmetic(op, 'value', text) : arithmetic(op, text, 'value'));
}

/** An operator between two vectors. */
function related(context: Context, { op, bool, matching, left, right }: Binary): Vector {
  const { found, vectorOf } = context;
  const isSet = op === 'and' || op === 'or' || op === 'unless';
  const [one, other] = [vectorOf(left), vectorOf(right)];
  if (isSet) found.hasConditionsInside = true;
  const kept = isSet && op !== 'or' ? one : unfiltered(context, one);
  return matched(
    op,
    bool,
    matching,
    kept,
    unfiltered(context, other),
    () => `r${++found.joins}`,
    (x, y) => arithmetic(op, x, y),
  );
}

function isComparison(op: string): op is Filter['op'] {
  return Object.hasOwn(flipped, op);
}

/** In PromQL a number divided by zero is infinite, and zero divided by zero is NaN; in OQL both are null. */
function arithmetic(op: string, left: string, right: string): string {
  switch (op) {
    case '+':
    case '-':
    case '*':
      return `${left} ${op} ${right}`;
    case '/':
      return isLiteral(right) && !isZero(right)
        ? `${left} / ${right}`
        : `if(${right} == 0, ${left} * exp(1000), ${left} / ${right})`;
    case '^':
      return `pow(${left}, ${right})`;
    case '%': {
      // The remainder of a whole number by a fraction is a fraction.
      const remainder = `${isLiteral(left) ? `float(${left})` : left} % ${right}`;
      return isLiteral(right) && !isZero(right) ? remainder : `if(${right} == 0, ${notANumber}, ${remainder})`;
    }
    default:
      throw new NoEqual(`OQL has no equal of ${op}`);
  }
}

function isLiteral(text: string): boolean {
  return /^\(?-?[0-9.e-]+\)?$/.test(text);
}

function isZero(literal: string): boolean {
  return Number(literal.replace(/[()]/g, '')) === 0;
}
