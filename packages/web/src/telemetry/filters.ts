import { quote } from './oql.ts';

/**
 * Filters that were picked, not typed: conditions in OQL, each of which has to hold. In an address they stand in one
 * parameter, a line each.
 */
export function parseFilters(text: string | undefined): string[] {
  return (text ?? '').split('\n').filter((condition) => condition.trim() !== '');
}

/** As they stand in an address; undefined where there are none. */
export function filtersText(filters: readonly string[]): string | undefined {
  return filters.length === 0 ? undefined : filters.join('\n');
}

/** A name as OQL reads it: parts that are no plain words stand between backticks. */
export function fieldPath(name: string): string {
  return name
    .split('.')
    .map((part) => (/^[A-Za-z_]\w*$/.test(part) ? part : `\`${part.replaceAll('`', '\\`')}\``))
    .join('.');
}

/** The value of a field, as the store told it, and the types that the field has been seen with. */
export interface Picked {
  field: string;
  value: unknown;
  /** `int`, `float`, `bool`, `string`; told by the value itself where they are not known. */
  types?: readonly string[];
}

/** The condition that a field has a value, or has not. */
export function valueCondition({ field, value, types }: Picked, exclude = false): string {
  const path = fieldPath(field);
  const operator = exclude ? '!=' : '==';
  if (value === null || value === undefined) return `${path} ${operator} null`;
  return `${path} ${operator} ${literal(value, types)}`;
}

function literal(value: unknown, types: readonly string[] | undefined): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // The store tells the values of a field of any type as text.
  const is = (type: string) => types?.[0] === type;
  if ((is('int') || is('float')) && text !== '' && Number.isFinite(Number(text))) return text;
  return is('bool') && (text === 'true' || text === 'false') ? text : quote(text);
}

/**
 * The filters with one more. Two values of one field cannot both be there: a value that is asked for takes the place of
 * the one that was.
 */
export function withFilter(filters: readonly string[], picked: Picked, exclude = false): string[] {
  const condition = valueCondition(picked, exclude);
  if (filters.includes(condition)) return filters.filter((other) => other !== condition);
  const opposite = valueCondition(picked, !exclude);
  const kept = filters.filter((other) => other !== opposite && (exclude || !asksFor(other, picked.field)));
  return [...kept, condition];
}

/** The filters without the value that they ask of a field: what the field's other values are counted with. */
export function withoutField(filters: readonly string[], field: string): string[] {
  return filters.filter((condition) => !asksFor(condition, field));
}

function asksFor(condition: string, field: string): boolean {
  return condition.startsWith(`${fieldPath(field)} == `);
}
