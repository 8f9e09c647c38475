import { MISSING } from '../schema/attributes.ts';
import { type Sql, sql } from '../sql/sql.ts';
import { compared, type Ordering } from './operators.ts';
import type { Constant, Dynamic, Value } from './value.ts';

/**
 * An attribute against a constant reads only the map of the constant's type. A missing key reads as an empty value, so
 * the question whether it is there is left out where an empty value does not match anyway.
 */
export function compareAttribute(operator: Ordering, value: Value, against: Constant, other: Sql): Sql | undefined {
  const { dynamic } = value;
  if (!dynamic) return undefined;
  const positive: Ordering = operator === '!=' ? '==' : operator;
  const wrap = (condition: Sql) => (operator === '!=' ? sql`(NOT ${condition})` : condition);
  const typed = (type: 'string' | 'int' | 'float' | 'fraction', emptyMatches: boolean) =>
    emptyMatches
      ? sql`ifNull(${compared(positive, dynamic.read(type), other)}, false)`
      : compared(positive, dynamic.read(type, MISSING[type]), other);
  switch (against.type) {
    case 'string': {
      const condition = typed('string', matchesEmpty(positive, against.value, ''));
      return wrap(
        positive === '==' && dynamic.equals && against.value !== ''
          ? sql`(${dynamic.equals(against.value)} AND ${condition})`
          : condition,
      );
    }
    case 'int':
    case 'bytes':
      if (value.type === 'int') return wrap(typed('int', matchesEmpty(positive, against.value, 0n)));
      if (positive === '==') return wrap(equalsWhole(dynamic, against.value, typed));
      return wrap(typed('float', matchesEmpty(positive, against.value, 0n)));
    case 'float':
      return wrap(typed('float', matchesEmpty(positive, against.value, 0)));
    case 'bool':
      return positive === '==' ? wrap(sql`ifNull((${dynamic.read('bool')} = ${other}), false)`) : undefined;
    default:
      return undefined;
  }
}

/** A whole number, sent as one (which the index knows) or as a float. */
function equalsWhole(
  dynamic: Dynamic,
  value: bigint,
  typed: (type: 'int' | 'fraction', emptyMatches: boolean) => Sql,
): Sql {
  const whole = typed('int', value === 0n);
  const indexed = dynamic.equals ? sql`(${dynamic.equals(String(value))} AND ${whole})` : whole;
  return sql`(${indexed} OR ${typed('fraction', value === 0n)})`;
}

function matchesEmpty<T extends string | bigint | number>(operator: Ordering, constantValue: T, empty: T): boolean {
  switch (operator) {
    case '==':
      return empty === constantValue;
    case '!=':
      return empty !== constantValue;
    case '<':
      return empty < constantValue;
    case '<=':
      return empty <= constantValue;
    case '>':
      return empty > constantValue;
    case '>=':
      return empty >= constantValue;
  }
}
