import type { RecentCondition, RecentLabel, RecentSeries } from './question.ts';

/** A label as a key of a group, and what rows are ordered by: see `ordersOf` in `stages/order.ts`. */
export interface GroupKey {
  /** As the engine sends it: an attribute has the letter of its type before its text (`check/tagged.ts`). */
  readonly key: string | null;
  /** Numbers come first, then texts, then missing labels. */
  readonly rank: 0 | 1 | 2;
  readonly number: number;
  readonly text: string;
}

/** What the engine's `toFloat64OrNull` reads as a number. */
const NUMBER = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf|infinity|nan)$/i;
const FINITE = /^[+-]?[\d.]/;
/** Numbers with more digits may be equal as floats, or not, by how they are rounded. */
const LONGEST = 18;

/** The text of a label; an empty text is a text. */
function find({ labels }: RecentSeries, { places, keys }: RecentLabel): { letter: string; text: string } | undefined {
  for (const place of places) {
    const { texts, types } = labels[place];
    for (const key of keys) {
      const text = texts.get(key);
      if (text !== undefined) return { letter: place === 'own' ? '' : letterOf(types, key), text };
    }
  }
  return undefined;
}

/** Types are a zero byte, the key, a byte 1 and the letter, one after the other; what was sent as text has no entry. */
function letterOf(types: string, key: string): string {
  if (types === '' || key.includes('\0') || key.includes('\x01')) return 's';
  const entry = `\0${key}\x01`;
  const at = types.indexOf(entry);
  return at < 0 ? 's' : types.charAt(at + entry.length);
}

/** Undefined where it is not known how the engine orders the text. */
export function groupKey(series: RecentSeries, label: RecentLabel): GroupKey | undefined {
  const found = find(series, label);
  if (found === undefined) return { key: null, rank: 2, number: 0, text: '' };
  const [key, text] = [found.letter + found.text, inByteOrder(found.text)];
  if (found.letter === '' || !NUMBER.test(found.text)) return { key, rank: 1, number: 0, text };
  if (!FINITE.test(found.text) || found.text.length > LONGEST) return undefined;
  return { key, rank: 0, number: Number(found.text), text };
}

/** Texts of JavaScript compare by their units; the engine compares bytes of UTF-8, where surrogates come after all other units. */
function inByteOrder(text: string): string {
  return text.replace(/[\ud800-\uffff]/g, (unit) => {
    const code = unit.charCodeAt(0);
    return String.fromCharCode(code < 0xe000 ? code + 0x2000 : code - 0x800);
  });
}

export function compareKeys(a: readonly GroupKey[] = [], b: readonly GroupKey[] = []): number {
  for (const [i, one] of a.entries()) {
    const other = b[i] ?? one;
    const order = one.rank - other.rank || one.number - other.number;
    if (order !== 0) return order;
    if (one.text !== other.text) return one.text < other.text ? -1 : 1;
  }
  return 0;
}

/** A missing label equals no text. */
export function meets(series: RecentSeries, { label, texts, isNegated }: RecentCondition): boolean {
  const found = find(series, label);
  return (found !== undefined && texts.includes(found.text)) !== isNegated;
}
