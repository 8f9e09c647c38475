import { isNumber } from '../check/types.ts';
import type { Value } from '../check/value.ts';

/**
 * Rejects values that are neither of one type nor all numbers. An attribute of any type can be combined with texts,
 * numbers and conditions: it is read as the type of the other values.
 */
export function oneKind(values: readonly Value[]): string | undefined {
  const typed = values.filter((value) => value.type !== 'null');
  const [first, ...rest] = typed.filter((value) => value.type !== 'any');
  const alike =
    first === undefined ||
    (rest.every((value) => value.type === first.type || (isNumber(value.type) && isNumber(first.type))) &&
      (rest.length === typed.length - 1 || first.type === 'string' || first.type === 'bool' || isNumber(first.type)));
  return alike ? undefined : `The values must have one type; these are ${typed.map((value) => value.type).join(', ')}.`;
}
