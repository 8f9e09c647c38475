import { type Counts, cramersV, riskDifference } from '@fanion/stats';
import type { Suspect, What } from './answer.ts';
import type { Candidate } from './candidate-rules.ts';
import { explained } from './candidate-rules.ts';
import type { WhyInput } from './input.ts';
import type { Periods } from './onset-rules.ts';
import type { Source } from './source-rules.ts';

/** Two partitions of the items are the same when their correlation reaches this. */
const sameItems = 0.9;
/** A field of many values restates a suspect when its values determine it to this degree (Cramér's V). */
const sameField = 0.95;
/** A log pattern is a sign of a suspect when this share of its items is exposed to it. */
const signShare = 0.8;
const maxRestatements = 10;
/** Fewer items are too few to be the others that a suspect is compared with. */
const leastOthers = 5;

/** 1 for each item that is exposed to a candidate since the onset. */
export function exposureOf({ source, code }: Candidate, { period }: Periods): Uint8Array {
  return Uint8Array.from(source.column.codes, (one, i) => (one === code && (period[i] ?? 0) > 0 ? 1 : 0));
}

/** Other names of the items that are exposed to the head, among those that are not explained yet. */
export function restatements(
  head: Candidate,
  exposed: Uint8Array,
  { sources, signs, place }: { sources: readonly Source[]; signs: readonly Source[]; place: Uint8Array },
): What[] {
  const alsoOf = (source: Source): What[] => {
    const { codes, values } = source.column;
    const table = [new Float64Array(values.length + 1), new Float64Array(values.length + 1)] as const;
    for (let i = 0; i < place.length; i += 1) {
      if ((place[i] ?? explained) === explained || (place[i] ?? 0) < 2) continue;
      const row = table[exposed[i] === 1 ? 1 : 0];
      const at = (codes[i] ?? -1) + 1;
      row[at] = (row[at] ?? 0) + 1;
    }
    const sums = table.map((row) => row.reduce((sum, n) => sum + n, 0));
    const [others = 0, inside = 0] = sums;
    const found = [...values.keys()].filter((code) => {
      if (source.only !== undefined && code !== source.only) return false;
      if (source === head.source && code === head.code) return false;
      const [b = 0, a = 0] = table.map((row) => row[code + 1] ?? 0);
      return correlation(a, inside - a, b, others - b) >= sameItems;
    });
    if (found.length > 0 || source.kind !== 'attribute' || source === head.source) return found.map(source.whatOf);
    if (cramersV(table.map((row) => [...row])) < sameField) return [];
    const most = [...values.keys()].reduce(
      (best, code) => ((table[1][code + 1] ?? 0) > (table[1][best + 1] ?? 0) ? code : best),
      0,
    );
    return (table[1][most + 1] ?? 0) > 0 ? [source.whatOf(most)] : [];
  };
  const isSign = ({ column }: Source) => {
    let all = 0;
    let inside = 0;
    for (const [i, code] of column.codes.entries()) {
      if (code < 0) continue;
      all += 1;
      inside += exposed[i] ?? 0;
    }
    return all > 0 && inside >= all * signShare;
  };
  const described = sources.filter(({ kind }) => kind !== 'novelty');
  return [
    ...described.flatMap(alsoOf),
    ...signs.filter((sign) => sign.column !== head.source.column && isSign(sign)).map(({ whatOf }) => whatOf(0)),
  ]
    .sort((a, b) => nameOf(a).localeCompare(nameOf(b), 'en'))
    .slice(0, maxRestatements);
}

/** A text that orders and identifies suspects. */
export function nameOf(what: What): string {
  return JSON.stringify(what);
}

/** φ of a table of 2 × 2. */
function correlation(a: number, b: number, c: number, d: number): number {
  const scale = Math.sqrt((a + b) * (c + d) * (a + c) * (b + d));
  return scale === 0 ? 0 : (a * d - b * c) / scale;
}

/**
 * The effect of a suspect, of weighted items: since the onset, against items that evaluated the flag with another variant, or do not
 * have the value; if there are none, against those before the onset. The interval takes (Σw)² / Σw² items (Kish, 1965).
 */
export function measure(
  { source, code, standing, leads, score }: Candidate,
  { items }: WhyInput,
  { period }: Periods,
): Omit<Suspect, 'also'> {
  const { codes } = source.column;
  const exposed = tally();
  const others = tally();
  const before = tally();
  let selected = 0;
  for (let i = 0; i < items.count; i += 1) {
    const weight = items.weights[i] ?? 0;
    const isSelected = items.selected[i] === 1;
    const isAfter = (period[i] ?? 0) > 0;
    if (isAfter && isSelected) selected += weight;
    if (source.within === 'present' && (codes[i] ?? -1) < 0) continue;
    const group = isAfter ? (codes[i] === code ? exposed : others) : before;
    group.add(weight, isSelected);
  }
  const compared = others.items() >= leastOthers ? others : before;
  const a = exposed.counts();
  const b = compared.counts();
  const { value, interval } = riskDifference(a, b);
  const rates = { exposed: rate(a), others: rate(b) };
  return {
    what: source.whatOf(code),
    rates,
    effect: { value, interval },
    explains: selected === 0 ? 0 : Math.max(0, Math.min(1, (exposed.weight() * value) / selected)),
    change: leads ? source.change : undefined,
    standing,
    score,
  };
}

const rate = ({ n, x }: Counts) => (n === 0 ? 0 : x / n);

function tally() {
  let count = 0;
  let sum = 0;
  let squares = 0;
  let hits = 0;
  return {
    add(weight: number, isSelected: boolean) {
      count += 1;
      sum += weight;
      squares += weight ** 2;
      if (isSelected) hits += weight;
    },
    items: () => count,
    weight: () => sum,
    counts(): Counts {
      const n = squares === 0 ? 0 : sum ** 2 / squares;
      return { n, x: sum === 0 ? 0 : n * (hits / sum) };
    },
  };
}
