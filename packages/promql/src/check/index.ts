import type { Aggregate, Binary, Call, Expression, ValueType } from '../ast.ts';
import { signatureOf } from '../functions/signatures.ts';
import { parseError } from '../parse/fault.ts';
import { partsOf } from '../selectors.ts';
import { nameOf, typeOf } from './types.ts';

/** @throws PromqlError where a part has a type that does not fit, in the words of Prometheus' `promql/parser/parse.go` */
export function checkTypes(expression: Expression): void {
  for (const part of partsOf(expression)) checkTypes(part);
  check(expression);
}

function check(part: Expression): void {
  switch (part.kind) {
    case 'call':
      checkCall(part);
      return;
    case 'aggregate':
      checkAggregate(part);
      return;
    case 'binary':
      checkBinary(part);
      return;
    case 'unary': {
      const type = typeOf(part.of);
      if (type !== 'scalar' && type !== 'vector')
        throw parseError(
          `unary expression only allowed on expressions of type scalar or instant vector, got ${JSON.stringify(nameOf(type))}`,
          part.position,
        );
      return;
    }
    case 'subquery': {
      const type = typeOf(part.of);
      if (type !== 'vector')
        throw parseError(`subquery is only allowed on instant vector, got ${type} instead`, part.position);
      return;
    }
    default:
  }
}

function expectType(part: Expression, wanted: ValueType, context: string): void {
  const type = typeOf(part);
  if (type !== wanted)
    throw parseError(`expected type ${nameOf(wanted)} in ${context}, got ${nameOf(type)}`, part.position);
}

function checkCall({ fn, args, position }: Call): void {
  const signature = signatureOf(fn);
  const name = JSON.stringify(fn);
  if (signature === undefined) throw parseError(`unknown function with name ${name}`, position);
  const { args: types, variadic } = signature;
  if (variadic === 0) {
    if (args.length !== types.length)
      throw parseError(`expected ${types.length} argument(s) in call to ${name}, got ${args.length}`, position);
  } else {
    const least = types.length - 1;
    if (args.length < least)
      throw parseError(`expected at least ${least} argument(s) in call to ${name}, got ${args.length}`, position);
    if (args.length > least + variadic)
      throw parseError(
        `expected at most ${least + variadic} argument(s) in call to ${name}, got ${args.length}`,
        position,
      );
  }
  args.forEach((arg, i) => {
    const wanted = types[Math.min(i, types.length - 1)];
    if (wanted !== undefined) expectType(arg, wanted, `call to function ${name}`);
  });
}

function checkAggregate({ op, of, parameter }: Aggregate): void {
  expectType(of, 'vector', 'aggregation expression');
  if (parameter === undefined) return;
  expectType(parameter, op === 'count_values' ? 'string' : 'scalar', 'aggregation parameter');
}

const comparisons: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=']);
const sets: ReadonlySet<string> = new Set(['and', 'or', 'unless']);

function checkBinary(binary: Binary): void {
  const { op, bool, matching, left, right, position } = binary;
  const [leftType, rightType] = [typeOf(left), typeOf(right)];
  const at = { from: left.position.to, to: right.position.from, text: position.text };
  if (bool && !comparisons.has(op)) throw parseError('bool modifier can only be used on comparison operators', at);
  if (comparisons.has(op) && !bool && leftType === 'scalar' && rightType === 'scalar')
    throw parseError('comparisons between scalars must use BOOL modifier', at);
  const twice =
    matching?.mode === 'on' ? matching.labels.find((label) => matching.group?.include.includes(label)) : undefined;
  if (twice !== undefined)
    throw parseError(`label ${JSON.stringify(twice)} must not occur in ON and GROUP clause at once`, at);
  for (const [type, part] of [[leftType, left] as const, [rightType, right] as const])
    if (type !== 'scalar' && type !== 'vector')
      throw parseError('binary expression must contain only scalar and instant vector types', part.position);
  const isOfVectors = leftType === 'vector' && rightType === 'vector';
  if (!isOfVectors && matching !== undefined && matching.labels.length > 0)
    throw parseError('vector matching only allowed between instant vectors', position);
  if (!sets.has(op)) return;
  if (!isOfVectors)
    throw parseError(`set operator ${JSON.stringify(op)} not allowed in binary scalar expression`, position);
  if (matching?.group !== undefined)
    throw parseError(`no grouping allowed for ${JSON.stringify(op)} operation`, position);
}
