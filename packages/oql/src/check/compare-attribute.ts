import { MISSING } from '../schema/attributes.ts';
import { type Sql, sql } from '../sql/sql.ts';
import { compared, type Ordering } from './operators.ts';
import type { Constant, Value } from './value.ts';
import { isBeyondFloats } from './whole.ts';

/**
 * Compares an attribute with a constant by reading only the map of the constant's type. A missing key reads as an empty value,
 * so the check for existence is left out if an empty value does not match anyway.
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
      const isIndexed = positive === '==' && against.value !== '';
      const indexed = isIndexed ? dynamic.equals?.(other) : undefined;
      return wrap(indexed ?? typed('string', matchesEmpty(positive, against.value, '')));
    }
    case 'int':
    case 'bytes':
      // As floats, larger integers are rounded.
      if (isBeyondFloats(against.value))
        return wrap(sql`if(isNull(${dynamic.read('int')}), ${typed('float', true)}, ${typed('int', true)})`);
      if (positive === '==') return wrap(equalsWhole(against.value, typed));
      return wrap(typed('float', matchesEmpty(positive, against.value, 0n)));
    case 'float':
      return wrap(typed('float', matchesEmpty(positive, against.value, 0)));
    case 'bool':
      return positive === '==' ? wrap(sql`ifNull((${dynamic.read('bool')} = ${other}), false)`) : undefined;
    default:
      return undefined;
  }
}

/** Matches a whole number that was sent as an integer or as a float. */
function equalsWhole(value: bigint, typed: (type: 'int' | 'fraction', emptyMatches: boolean) => Sql): Sql {
  return sql`(${typed('int', value === 0n)} OR ${typed('fraction', value === 0n)})`;
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
