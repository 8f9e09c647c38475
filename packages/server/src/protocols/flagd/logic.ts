import { type JsonValue, TARGETING_KEY } from '@fanion/flag-engine';

/** JsonLogic, or the key of a variant. Null is the caller's default. */
export type Logic = JsonValue;

/** An element, inside of `some`, `map` and shared tests. */
export const it: Logic = { var: '' };
/** The key of the context's unit. */
export const unit: Logic = { var: TARGETING_KEY };

export function all(conditions: readonly Logic[]): Logic {
  return conditions.length > 1 ? { and: conditions } : (conditions[0] ?? true);
}

export function any(conditions: readonly Logic[]): Logic {
  return conditions.length > 1 ? { or: conditions } : (conditions[0] ?? false);
}

export const not = (condition: Logic): Logic => ({ '!': [condition] });
export const equals = (a: Logic, b: Logic): Logic => ({ '===': [a, b] });
export const differs = (a: Logic, b: Logic): Logic => ({ '!==': [a, b] });
export const oneOf = (value: Logic, values: readonly Logic[]): Logic => ({ in: [value, values] });
export const joined = (...parts: readonly Logic[]): Logic => ({ cat: parts });
/** The elements of a list, or a single value. Where Java has one argument, its own elements would be the arguments, hence the second. */
export const merged = (list: Logic): Logic => ({ merge: [list, []] });
/** A part of a text; from its end, if `from` is negative. */
export const part = (text: Logic, from: Logic, ...length: readonly Logic[]): Logic => ({
  substr: [text, from, ...length],
});
/**
 * Whether a text has more than this many characters. In Java, a part that ends beyond the text is empty, and one that begins there fails; in Go, the
 * latter is the whole text.
 */
export function isLonger(text: Logic, length: number): Logic {
  if (length === 0) return differs(text, '');
  const next = part(text, length, 1);
  return all([differs(next, ''), differs(next, text)]);
}

export type Order = 'lt' | 'lte' | 'gt' | 'gte';
export const signs: Readonly<Record<Order, string>> = { lt: '<', lte: '<=', gt: '>', gte: '>=' };

/** Whether flagd's own evaluator judges, which is written in Go: there, `cat` removes white space at the end. */
export const isGo: Logic = equals(joined('a', ' '), 'a');
/** Whether flagd's provider for Java judges: there, texts have no order. */
export const isJava: Logic = not({ '<': ['a', 'b'] });
