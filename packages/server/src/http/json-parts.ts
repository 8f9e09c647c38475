import type { Steps } from '../platform/steps.ts';
import { batches, isSmall } from './json-chunks.ts';

/** A JSON value in pieces, each of which is parsed in about a millisecond. */
export type JsonPart =
  | { readonly json: string }
  /** Items of a list: several small ones as the JSON of a list, or one large one. */
  | { readonly items: readonly ({ readonly few: string } | { readonly one: JsonPart })[] }
  /** Members of an object: several small ones as the JSON of an object, or one large one with its name. */
  | { readonly members: readonly ({ readonly few: string } | { readonly name: string; readonly one: JsonPart })[] };

export function splitJson(value: unknown): JsonPart {
  if (typeof value !== 'object' || value === null || isSmall(value)) return { json: JSON.stringify(value) };
  if (Array.isArray(value)) {
    const items = [...batches(value)].map((batch) =>
      batch.length > 1 ? { few: JSON.stringify(batch) } : { one: splitJson(batch[0]) },
    );
    return { items };
  }
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  const members = [...batches(entries)].map((batch) => {
    const [first] = batch;
    return batch.length === 1 && first !== undefined
      ? { name: first[0], one: splitJson(first[1]) }
      : { few: JSON.stringify(Object.fromEntries(batch)) };
  });
  return { members };
}

/** The value again, piece by piece. */
export function* joinJson(part: JsonPart): Steps<unknown> {
  yield;
  if ('json' in part) return JSON.parse(part.json);
  if ('items' in part) {
    const items: unknown[] = [];
    for (const piece of part.items) {
      if ('one' in piece) items.push(yield* joinJson(piece.one));
      else for (const item of JSON.parse(piece.few)) items.push(item);
      yield;
    }
    return items;
  }
  const entries: [string, unknown][] = [];
  for (const piece of part.members) {
    if ('one' in piece) entries.push([piece.name, yield* joinJson(piece.one)]);
    else entries.push(...Object.entries(JSON.parse(piece.few)));
    yield;
  }
  // `__proto__` stays an ordinary member.
  return Object.fromEntries(entries);
}
