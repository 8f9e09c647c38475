import type { Aggregate, Binary, Call, Expression, Position, ValueType } from '../ast.ts';
import { signatureOf } from '../functions/signatures.ts';
import { parseError } from '../parse/fault.ts';
import { partsOf } from '../selectors.ts';
import { nameOf, typeOf } from './types.ts';

/** @throws PromqlError where a part has a type that does not fit, in the words of Prometheus' `promql/parser/parse.go` */
export function checkTypes(expression: Expression): void {
  const fail = (message: string, at: Position): never => {
    throw parseError(message, at);
  };
  const visit = (part: Expression): void => {
    for (const inner of partsOf(part)) visit(inner);
    check(part, fail);
  };
  visit(expression);
}

type Fail = (message: string, at: Position) => never;

function check(part: Expression, fail: Fail): void {
  switch (part.kind) {
    case 'call':
      return checkCall(part, fail);
    case 'aggregate':
      return checkAggregate(part, fail);
    case 'binary':
      return checkBinary(part, fail);
    case 'unary': {
      const type = typeOf(part.of);
      if (type !== 'scalar' && type !== 'vector')
        fail(
          `unary expression only allowed on expressions of type scalar or instant vector, got ${JSON.stringify(nameOf(type))}`,
          part.position,
        );
      return;
    }
    case 'subquery': {
      const type = typeOf(part.of);
      if (type !== 'vector') fail(`subquery is only allowed on instant vector, got ${type} instead`, part.position);
      return;
    }
    default:
  }
}

function expectType(part: Expression, wanted: ValueType, context: string, fail: Fail): void {
  const type = typeOf(part);
  if (type !== wanted) fail(`expected type ${nameOf(wanted)} in ${context}, got ${nameOf(type)}`, part.position);
}

function checkCall({ fn, args, position }: Call, fail: Fail): void {
  const signature = signatureOf(fn);
  const name = JSON.stringify(fn);
  if (signature === undefined) return fail(`unknown function with name ${name}`, position);
  const { args: types, variadic } = signature;
  if (variadic === 0) {
    if (args.length !== types.length)
      fail(`expected ${types.length} argument(s) in call to ${name}, got ${args.length}`, position);
  } else {
    const least = types.length - 1;
    if (args.length < least)
      fail(`expected at least ${least} argument(s) in call to ${name}, got ${args.length}`, position);
    if (args.length > least + variadic)
      fail(`expected at most ${least + variadic} argument(s) in call to ${name}, got ${args.length}`, position);
  }
  args.forEach((arg, i) => {
    const wanted = types[Math.min(i, types.length - 1)];
    if (wanted !== undefined) expectType(arg, wanted, `call to function ${name}`, fail);
  });
}

function checkAggregate({ op, of, parameter }: Aggregate, fail: Fail): void {
  expectType(of, 'vector', 'aggregation expression', fail);
  if (parameter === undefined) return;
  expectType(parameter, op === 'count_values' ? 'string' : 'scalar', 'aggregation parameter', fail);
}

const comparisons: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=']);
const sets: ReadonlySet<string> = new Set(['and', 'or', 'unless']);

function checkBinary(binary: Binary, fail: Fail): void {
  const { op, bool, matching, left, right, position } = binary;
  const [leftType, rightType] = [typeOf(left), typeOf(right)];
  const at = { from: left.position.to, to: right.position.from, text: position.text };
  if (bool && !comparisons.has(op)) fail('bool modifier can only be used on comparison operators', at);
  if (comparisons.has(op) && !bool && leftType === 'scalar' && rightType === 'scalar')
    fail('comparisons between scalars must use BOOL modifier', at);
  const twice =
    matching?.mode === 'on' ? matching.labels.find((label) => matching.group?.include.includes(label)) : undefined;
  if (twice !== undefined) fail(`label ${JSON.stringify(twice)} must not occur in ON and GROUP clause at once`, at);
  for (const [type, part] of [[leftType, left] as const, [rightType, right] as const])
    if (type !== 'scalar' && type !== 'vector')
      fail('binary expression must contain only scalar and instant vector types', part.position);
  const isOfVectors = leftType === 'vector' && rightType === 'vector';
  if (!isOfVectors && matching !== undefined && matching.labels.length > 0)
    fail('vector matching only allowed between instant vectors', position);
  if (!sets.has(op)) return;
  if (!isOfVectors) fail(`set operator ${JSON.stringify(op)} not allowed in binary scalar expression`, position);
  if (matching?.group !== undefined) fail(`no grouping allowed for ${JSON.stringify(op)} operation`, position);
}
