import { type Counts, fisherGreater, likelihoodRatio } from '@fanion/stats';
import type { What } from './answer.ts';
import { type Candidate, count, explained, judge, totalOf } from './candidate-rules.ts';
import { leastItems } from './fold-rules.ts';
import type { Periods } from './onset-rules.ts';
import type { Source } from './source-rules.ts';

/** So many values of attributes, the best ones alone, are paired with each other. */
const maxParents = 150;
/** Each value has to matter among the items with the other one, at this level before the correction for the number of pairs. */
const alpha = 0.001;
/** A pair has the same items as a suspect when this share of both is common. */
const sameShare = 0.9;
/** Prior odds of a pair against a single value, as 2 ln(1/10). */
const pairPrior = -4.6;

interface Pair {
  readonly a: Parent;
  readonly b: Parent;
  /** Items with both values since the onset. */
  readonly both: Counts;
}

type Parent = Candidate & ReturnType<typeof setsOf>;

/**
 * Pairs of attribute values that are worse together than each alone, such as a version in one region.
 * @param place as {@link count} takes it
 */
export function pairsOf(candidates: readonly Candidate[], place: Uint8Array) {
  const parents = candidates
    .filter(({ source, pValue }) => source.kind === 'attribute' && pValue < alpha)
    .sort((a, b) => b.score - a.score)
    .slice(0, maxParents)
    .map((one): Parent => ({ ...one, ...setsOf(one.source, one.code, place) }));
  const pairs = parents.flatMap((a, at) => parents.slice(0, at).flatMap((b) => together(a, b)));
  const total = { n: sum(place, (at) => at !== explained), x: sum(place, isSelected) };
  const columns = new Set(candidates.map(({ source }) => source)).size;
  const scoreOf = ({ a, b, both }: Pair) =>
    likelihoodRatio(both, { n: total.n - both.n, x: total.x - both.x }) +
    pairPrior -
    2 * Math.log(a.source.column.values.length * b.source.column.values.length * columns);
  return {
    /** The most likely pair, if its likelihood outweighs its prior odds. */
    best(periods: Periods): Candidate | undefined {
      const scored = pairs.map((pair) => ({ pair, score: scoreOf(pair) })).sort((a, b) => b.score - a.score);
      const best = scored.find(({ pair }) => isNeeded(pair));
      if (best === undefined || best.score <= 0) return undefined;
      const source = sourceOf(best.pair);
      const counts = count(source, place);
      const [pair] = judge(source, counts, totalOf(counts), periods);
      return pair && { ...pair, score: best.score };
    },
    /** The pair that nearly the same items have. */
    same(exposed: Uint8Array): What | undefined {
      const set = bits(place, (at, i) => isAfter(at) && exposed[i] === 1);
      const n = size(set);
      const close = pairs.flatMap((pair) => {
        if (pair.both.n < n * sameShare || n < pair.both.n * sameShare) return [];
        const shared = commonOfThree(set, pair.a.after, pair.b.after) / Math.max(n, pair.both.n);
        return shared >= sameShare ? [{ pair, shared }] : [];
      });
      const found = close.sort((a, b) => b.shared - a.shared).find(({ pair }) => isNeeded(pair));
      return found && sourceOf(found.pair).whatOf(0);
    },
  };
}

function together(a: Parent, b: Parent): Pair[] {
  if (a.source === b.source) return [];
  const x = common(a.selected, b.selected);
  return x < leastItems ? [] : [{ a, b, both: { n: common(a.after, b.after), x } }];
}

function isNeeded({ a, b, both }: Pair): boolean {
  return [a, b].every(({ n, x }) => fisherGreater(both, { n: n - both.n, x: x - both.x }) < alpha);
}

function sourceOf({ a, b }: Pair): Source {
  const codes = a.source.column.codes.map((code, i) =>
    code === a.code && b.source.column.codes[i] === b.code ? 0 : -1,
  );
  const values = [a, b]
    .flatMap(({ source, code }) => {
      const what = source.whatOf(code);
      return what.kind === 'attribute' ? what.values : [];
    })
    .sort((one, other) => (one.field < other.field ? -1 : 1));
  const whatOf = (): What => ({ kind: 'attribute', values });
  const column = { name: values.map(({ field }) => field).join(' and '), values: [''], codes };
  return { kind: 'both', column, within: 'all', only: 0, change: undefined, whatOf };
}

const isSelected = (at: number) => at !== explained && at % 2 === 1;
const isAfter = (at: number) => at !== explained && at >= 2;

function setsOf({ column }: Source, code: number, place: Uint8Array) {
  const after = bits(place, (at, i) => isAfter(at) && column.codes[i] === code);
  const selected = bits(place, (at, i) => isAfter(at) && isSelected(at) && column.codes[i] === code);
  return { after, selected, n: size(after), x: size(selected) };
}

function bits(place: Uint8Array, has: (at: number, i: number) => boolean): Uint32Array {
  const words = new Uint32Array(Math.ceil(place.length / 32));
  for (let i = 0; i < place.length; i += 1)
    if (has(place[i] ?? explained, i)) words[i >>> 5] = (words[i >>> 5] ?? 0) | (1 << (i & 31));
  return words;
}

function common(a: Uint32Array, b: Uint32Array): number {
  let found = 0;
  for (let i = 0; i < a.length; i += 1) found += ones((a[i] ?? 0) & (b[i] ?? 0));
  return found;
}

function commonOfThree(a: Uint32Array, b: Uint32Array, c: Uint32Array): number {
  let found = 0;
  for (let i = 0; i < a.length; i += 1) found += ones((a[i] ?? 0) & (b[i] ?? 0) & (c[i] ?? 0));
  return found;
}

function size(a: Uint32Array): number {
  return common(a, a);
}

function sum(place: Uint8Array, has: (at: number) => boolean): number {
  return place.reduce((total, at) => total + (has(at) ? 1 : 0), 0);
}

/** Number of bits that are set in a word of 32. */
function ones(word: number): number {
  let v = word - ((word >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
