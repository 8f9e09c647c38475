import { createBreath } from '../platform/breath.ts';

/** Values (numbers, strings, members) encoded without a pause: about a millisecond. */
const valuesAtOnce = 5_000;
/** This many characters of a string count as one more value. */
const charactersOfValue = 100;

/** Whether a value is small enough to encode without a pause. */
export function isSmall(value: unknown): boolean {
  return weigh(value, valuesAtOnce) <= valuesAtOnce;
}

/** Approximate number of values in a value; stops counting beyond `most`. */
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
 * Encodes a JSON value in chunks, with the same result as `JSON.stringify`. Other requests run between the chunks, so a
 * response of many megabytes does not delay them.
 * @param value plain JSON data, without `toJSON` and functions; undefined members are omitted
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
      // A batch of several items is small; a single item may be large.
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

/** Consecutive items that are small together, or one large item. */
export function* batches<T>(items: readonly T[]): Generator<readonly T[], void, undefined> {
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
