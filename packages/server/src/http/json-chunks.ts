import { createBreath } from '../platform/breath.ts';

/** Values (numbers, texts, members) that are encoded in one go: about a millisecond. */
const valuesAtOnce = 5_000;
/** Characters of text that count as one more value. */
const charactersOfValue = 100;

/**
 * Whether a value is small enough to be encoded at once. Looks no further than it must.
 */
export function isSmall(value: unknown): boolean {
  return weigh(value, valuesAtOnce) <= valuesAtOnce;
}

/** About how many values there are in a value; stops counting beyond `most`. */
function weigh(value: unknown, most: number): number {
  if (typeof value === 'string') return 1 + value.length / charactersOfValue;
  if (typeof value !== 'object' || value === null) return 1;
  let weight = 1;
  for (const part of Array.isArray(value) ? value : Object.entries(value)) {
    weight += weigh(part, most - weight);
    if (weight > most) break;
  }
  return weight;
}

/**
 * A value of JSON as text in pieces, the same as `JSON.stringify` makes of it in one. Between the pieces other requests get
 * their turn, so an answer of many megabytes delays nobody.
 * @param value as it comes out of JSON: without `toJSON` and functions; what is undefined is left out
 */
export async function* jsonChunks(value: unknown): AsyncGenerator<string, void, undefined> {
  const breath = createBreath();
  let text = '';
  for (const piece of pieces(value)) {
    text += piece;
    if (text.length >= 65_536) {
      yield text;
      text = '';
    }
    await breath();
  }
  if (text !== '') yield text;
}

function* pieces(value: unknown): Generator<string, void, undefined> {
  if (typeof value !== 'object' || value === null || isSmall(value)) {
    yield JSON.stringify(value) ?? 'null';
    return;
  }
  if (Array.isArray(value)) {
    yield '[';
    let first = true;
    for (const batch of batches(value)) {
      if (!first) yield ',';
      first = false;
      // A batch of many is small; one item by itself may be large.
      if (batch.length > 1) yield JSON.stringify(batch).slice(1, -1);
      else yield* pieces(batch[0]);
    }
    yield ']';
    return;
  }
  yield '{';
  let first = true;
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${first ? '' : ','}${JSON.stringify(name)}:`;
    first = false;
    yield* pieces(member);
  }
  yield '}';
}

/** Items in a row that are small together, or one that is not. */
function* batches(items: readonly unknown[]): Generator<readonly unknown[], void, undefined> {
  let begin = 0;
  let weight = 0;
  for (let at = 0; at < items.length; at++) {
    const next = weigh(items[at], valuesAtOnce);
    if (at > begin && weight + next > valuesAtOnce) {
      yield items.slice(begin, at);
      begin = at;
      weight = 0;
    }
    weight += next;
  }
  if (begin < items.length) yield items.slice(begin);
}
