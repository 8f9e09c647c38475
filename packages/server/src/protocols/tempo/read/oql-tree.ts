import type { Tree } from '@fanion/oql';

/** Builders of OQL's syntax tree. The printer of OQL quotes names and texts, so nothing of a user becomes syntax. */

const at = { start: 0, end: 0 };

/** A field of OQL by its own name. Only for names that are written in this code. */
export const field = (name: string): Tree.Path => ({ kind: 'path', segments: name.split('.'), ...at });

/** An attribute: its name stands in quotes. `of`: the name of joined rows that have it. */
export const attribute = (map: 'attr' | 'resource' | 'scope', name: string, of?: string): Tree.Path => ({
  kind: 'path',
  segments: of === undefined ? [map] : [of, map],
  index: [name],
  ...at,
});

export const text = (value: string): Tree.Expression => ({ kind: 'string', value, ...at });
export const int = (value: bigint): Tree.NumberLiteral => ({ kind: 'int', value, ...at });
export const float = (value: number): Tree.NumberLiteral => ({ kind: 'float', value, ...at });
export const duration = (nanoseconds: bigint): Tree.NumberLiteral => ({ kind: 'duration', nanoseconds, ...at });
export const bool = (value: boolean): Tree.Expression => ({ kind: 'bool', value, ...at });
export const negative = (operand: Tree.Expression): Tree.Expression => ({ kind: 'negate', operand, ...at });

export const compare = (
  left: Tree.Expression,
  operator: Tree.CompareOperator,
  right: Tree.Expression,
): Tree.Expression => ({ kind: 'compare', operator, left, right, ...at });

export const exists = (operand: Tree.Expression): Tree.Expression => ({ kind: 'exists', operand, ...at });
export const not = (operand: Tree.Expression): Tree.Expression => ({ kind: 'not', operand, ...at });

function joined(kind: 'and' | 'or', operands: readonly Tree.Expression[]): Tree.Expression {
  const flat = operands.flatMap((one) => (one.kind === kind ? one.operands : [one]));
  const [only] = flat;
  return flat.length === 1 && only !== undefined ? only : { kind, operands: flat, ...at };
}
export const all = (...operands: readonly Tree.Expression[]) => joined('and', operands);
export const some = (...operands: readonly Tree.Expression[]) => joined('or', operands);

export const arithmetic = (
  first: Tree.Expression,
  operator: Tree.ArithmeticOperator,
  operand: Tree.Expression,
): Tree.Expression => ({ kind: 'arithmetic', first, rest: [{ operator, operand }], ...at });

const name = (written: string): Tree.Name => ({ text: written, ...at });

/** A function or aggregate of OQL. */
export const call = (fn: string, ...items: readonly Tree.Expression[]): Tree.Call => ({
  kind: 'call',
  name: name(fn),
  args: { star: false, items, ...at },
  ...at,
});

export const inQuery = (value: Tree.Expression, pipeline: Tree.Pipeline): Tree.Expression => ({
  kind: 'in',
  value,
  negated: false,
  set: { kind: 'query', pipeline },
  ...at,
});

export const inList = (value: Tree.Expression, items: readonly string[]): Tree.Expression => ({
  kind: 'in',
  value,
  negated: false,
  set: { kind: 'list', items: items.map(text) },
  ...at,
});

export const pipeline = (signal: Tree.Signal, ...stages: readonly Tree.Stage[]): Tree.Pipeline => ({
  source: { kind: 'signal', signal, ...at },
  stages,
  ...at,
});

export const where = (predicate: Tree.Expression): Tree.Stage => ({ kind: 'where', predicate, ...at });
export const keep = (...names: readonly string[]): Tree.Stage => ({ kind: 'fields', paths: names.map(field), ...at });
export const limit = (count: number, offset = 0): Tree.Stage => ({
  kind: 'limit',
  count: int(BigInt(count)),
  ...(offset > 0 && { offset: int(BigInt(offset)) }),
  ...at,
});
/** The first of the rows that have the same value. */
export const dedup = (of: string): Tree.Stage => ({ kind: 'dedup', paths: [field(of)], ...at });

/** Rows of another query beside those that have the same value, under a name; rows without any stay. */
export const joinLeft = (other: Tree.Pipeline, on: string, as: string): Tree.Stage => ({
  kind: 'join',
  mode: 'left',
  source: { kind: 'pipeline', pipeline: other, ...at },
  on: [field(on)],
  as: name(as),
  ...at,
});

export const sort = (...orders: readonly Tree.Expression[]): Tree.Stage => ({ kind: 'sort', orders, ...at });

export type Columns = readonly (readonly [name: string, value: Tree.Expression])[];

export const extend = (columns: Columns): Tree.Stage => ({
  kind: 'extend',
  assignments: columns.map(([target, value]) => ({ target: field(target), value, ...at })),
  within: [],
  ...at,
});

export const stats = (aggregates: Columns, by: Columns): Tree.Stage => ({
  kind: 'stats',
  aggregates: aggregates.map(aliased),
  by: by.map(aliased),
  ...at,
});

function aliased([alias, value]: readonly [string, Tree.Expression]): Tree.Aliased {
  return { alias: name(alias), value, ...at };
}

/** Spans by their places in a trace: a relation of two, by their names. */
export const match = (
  nodes: readonly (readonly [name: string, predicate: Tree.Expression])[],
  operator: Tree.ShapeOperator,
): Tree.Stage => ({
  kind: 'match',
  nodes: nodes.map(([of, predicate]) => ({ name: name(of), predicate, ...at })),
  operators: [operator],
  ...at,
});

/** Ids of spans are unique within their trace only. `of`: a name in `match`. */
export const spanKey = (of?: string): Tree.Expression =>
  call('concat', ...['trace_id', 'span_id'].map((id) => field(of === undefined ? id : `${of}.${id}`)));

export const query = (of: Tree.Pipeline): Tree.Query => ({ kind: 'query', lets: [], pipeline: of, ...at });
