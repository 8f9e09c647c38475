/** A key of a group with what it is ordered by: see `ordersOf` in `stages/order.ts`. */
export interface OrderedKey {
  readonly key: string | null;
  /** The text as a number; null if it is not a number, or if this label is ordered as text. */
  readonly number: number | null;
  readonly text: string | null;
}

/** What the engine's `toFloat64OrNull` reads as a number. */
const NUMBER = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf|infinity|nan)$/i;
const FINITE = /^[+-]?[\d.]/;
/** Numbers with more digits may be equal as floats, or not, by how they are rounded. */
const LONGEST = 18;

/** Undefined where it is not known how the engine orders the text. */
export function orderedKey(key: string | null, isTagged: boolean): OrderedKey | undefined {
  if (key === null || !isTagged) return { key, number: null, text: key };
  const text = key.slice(1);
  if (!NUMBER.test(text)) return { key, number: null, text };
  return FINITE.test(text) && text.length <= LONGEST ? { key, number: Number(text), text } : undefined;
}

/** Numbers come first, then texts by their bytes, then missing labels. */
export function compareKeys(a: OrderedKey, b: OrderedKey): number {
  if (a.number !== null && b.number !== null && a.number !== b.number) return a.number - b.number;
  if ((a.number === null) !== (b.number === null)) return a.number === null ? 1 : -1;
  if (a.text === null || b.text === null) return a.text === b.text ? 0 : a.text === null ? 1 : -1;
  return compareBytes(a.text, b.text);
}

/** The order of texts by their UTF-8 bytes, which is that of code points: surrogates come after all other units. */
function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [one, other] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (one !== other) return rankOf(one) - rankOf(other);
  }
  return a.length - b.length;
}

function rankOf(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
