import { quote } from './oql.ts';

/** Picked filters: OQL conditions that must all hold. In a URL they are one parameter, one per line. */
export function parseFilters(text: string | undefined): string[] {
  return (text ?? '').split('\n').filter((condition) => condition.trim() !== '');
}

/** The form in a URL; undefined without filters. */
export function filtersText(filters: readonly string[]): string | undefined {
  return filters.length === 0 ? undefined : filters.join('\n');
}

/** Words that begin another expression where a name could begin. */
const NOT_NAMES: ReadonlySet<string> = new Set(['not', 'true', 'false', 'null']);

/** A name in OQL: parts that are not plain words are put in backticks. */
export function fieldPath(name: string): string {
  return name
    .split('.')
    .map((part, at) =>
      /^[A-Za-z_]\w*$/.test(part) && !(at === 0 && NOT_NAMES.has(part)) ? part : `\`${part.replaceAll('`', '\\`')}\``,
    )
    .join('.');
}

/** The value of a field as returned by the store, and the known types of the field. */
export interface Picked {
  field: string;
  value: unknown;
  /** `int`, `float`, `bool`, `string`; derived from the value if unknown. */
  types?: readonly string[];
}

/** The condition that a field has, or does not have, a value. */
export function valueCondition({ field, value, types }: Picked, exclude = false): string {
  const path = fieldPath(field);
  const operator = exclude ? '!=' : '==';
  if (value === null || value === undefined) return `${path} ${operator} null`;
  return `${path} ${operator} ${literal(value, types)}`;
}

function literal(value: unknown, types: readonly string[] | undefined): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // The store returns values of any type as text.
  const is = (type: string) => types?.[0] === type;
  if ((is('int') || is('float')) && text !== '' && Number.isFinite(Number(text))) return text;
  return is('bool') && (text === 'true' || text === 'false') ? text : quote(text);
}

/** Adds a filter. A field can have only one value, so the new value replaces the old one. */
export function withFilter(filters: readonly string[], picked: Picked, exclude = false): string[] {
  const condition = valueCondition(picked, exclude);
  if (filters.includes(condition)) return filters.filter((other) => other !== condition);
  const opposite = valueCondition(picked, !exclude);
  const kept = filters.filter((other) => other !== opposite && (exclude || !asksFor(other, picked.field)));
  return [...kept, condition];
}

/** The filters without the one for a field, to count the field's other values. */
export function withoutField(filters: readonly string[], field: string): string[] {
  return filters.filter((condition) => !asksFor(condition, field));
}

function asksFor(condition: string, field: string): boolean {
  return condition.startsWith(`${fieldPath(field)} == `);
}
