import type { AggregateCall, ColumnId, Sql } from '../plan/plan.ts';

export type { AggregateCall, ColumnId, ParameterType, ParameterValue, Sql } from '../plan/plan.ts';

/** Literal SQL around other SQL. Put operators in brackets: `` sql`(${a} + ${b})` ``. A number is printed exactly. */
export function sql(parts: TemplateStringsArray, ...args: readonly (Sql | number)[]): Sql {
  return { kind: 'text', parts, args: args.map((arg) => (typeof arg === 'number' ? numeral(arg) : arg)) };
}

function numeral(value: number): Sql {
  if (!Number.isFinite(value)) throw new RangeError(`${value} is no SQL number`);
  const text = Object.is(value, -0) ? '0' : String(value);
  return { kind: 'text', parts: [value < 0 ? `(${text})` : text], args: [] };
}

/** An integer that SQL requires as a literal (an interval, a count) and that may exceed JavaScript's exact range. */
export function integer(value: bigint): Sql {
  return { kind: 'text', parts: [value < 0n ? `(${value})` : String(value)], args: [] };
}

const IDENTIFIER = /^[a-z_][a-z0-9_]*$/i;

/** A name from our own schema or of a ClickHouse function; any other name is a bug in this package. */
export function identifier(name: string): Sql {
  if (!IDENTIFIER.test(name)) throw new RangeError(`${JSON.stringify(name)} is no name of the schema`);
  return { kind: 'text', parts: [name], args: [] };
}

export function column(id: ColumnId): Sql {
  return { kind: 'column', id };
}

export function text(value: string): Sql {
  return { kind: 'parameter', type: 'String', value };
}

export function int64(value: bigint): Sql {
  return { kind: 'parameter', type: 'Int64', value: String(value) };
}

export function float64(value: number): Sql {
  return { kind: 'parameter', type: 'Float64', value };
}

export function strings(values: readonly string[]): Sql {
  return { kind: 'parameter', type: 'Array(String)', value: values };
}

export function int64s(values: readonly bigint[]): Sql {
  return { kind: 'parameter', type: 'Array(Int64)', value: values.map(String) };
}

export function float64s(values: readonly number[]): Sql {
  return { kind: 'parameter', type: 'Array(Float64)', value: values };
}

/** A time, as ClickHouse's DateTime64 in nanoseconds. */
export function moment(nanoseconds: bigint): Sql {
  return sql`fromUnixTimestamp64Nano(${int64(nanoseconds)}, 'UTC')`;
}

/** Marks an expression that makes the statement fail for some values of its first argument. */
export function asCheck(expression: Sql): Sql {
  return expression.kind === 'text' ? { ...expression, isCheck: true } : expression;
}

export function aggregate(fn: string, args: readonly Sql[], parameters: readonly number[] = []): AggregateCall {
  if (!IDENTIFIER.test(fn)) throw new RangeError(`${JSON.stringify(fn)} is no aggregate function`);
  return { kind: 'aggregate', fn, parameters, args };
}

/** `(a AND b AND c)`; true for an empty list. */
export function all(conditions: readonly Sql[]): Sql {
  return joined(conditions, ' AND ', 'true');
}

/** `(a OR b OR c)`; false for an empty list. */
export function some(conditions: readonly Sql[]): Sql {
  return joined(conditions, ' OR ', 'false');
}

/** `a, b, c` */
export function list(items: readonly Sql[]): Sql {
  return { kind: 'text', parts: ['', ...items.slice(1).map(() => ', '), ''].slice(0, items.length + 1), args: items };
}

/** `fn(a, b)` */
export function call(fn: string, args: readonly Sql[]): Sql {
  return sql`${identifier(fn)}(${list(args)})`;
}

function joined(items: readonly Sql[], between: string, none: string): Sql {
  const [only] = items;
  if (only === undefined) return { kind: 'text', parts: [none], args: [] };
  if (items.length === 1) return only;
  return { kind: 'text', parts: ['(', ...items.slice(1).map(() => between), ')'], args: items };
}

/** The number of nodes of an expression; `weigh` returns the weight of a column's value. */
export function weight(expression: Sql, weigh: (id: ColumnId) => number = () => 1): number {
  switch (expression.kind) {
    case 'text':
    case 'aggregate':
      return expression.args.reduce((sum, arg) => sum + weight(arg, weigh), 1);
    case 'column':
      return weigh(expression.id);
    case 'parameter':
    case 'query':
      return 1;
  }
}

export const TRUE: Sql = sql`true`;
export const FALSE: Sql = sql`false`;
export const NULL: Sql = sql`NULL`;
