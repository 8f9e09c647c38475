import { TARGETING_KEY, TOTAL_WEIGHT, type Weight } from './ruleset.ts';
import type { BucketingDraft, RolloutDraft, ServeDraft, WeightDraft } from './validate/draft.ts';

/** Most parts of a line; beyond it, the line is laid out again in the order of the weights. */
export const MAX_LAYOUT_PARTS = 1_000;

/** Units that leave a variant for another: `weight` of 100000. */
export interface MovedShare {
  readonly from: string;
  readonly to: string;
  readonly weight: number;
}

/**
 * Lays out the variants of `after` on the line so that the fewest units change their variant: a growing variant keeps
 * all of its units, a shrinking one gains none, and no unit moves between two variants whose weights stay.
 *
 * Undefined if the weights are laid out in the order in which they are written: because that moves no more units,
 * because nothing can be kept (the hash or unit changed), or because a seed requires the same split as elsewhere. A
 * given layout that fits the weights is used unchanged.
 */
export function layoutAfter(before: ServeDraft, after: RolloutDraft): readonly Weight[] | undefined {
  return laidOut(before, after)?.map(splitName);
}

function laidOut(before: ServeDraft, after: RolloutDraft): readonly Weight[] | undefined {
  const weights = after.weights.map(joinName);
  const layout = after.layout?.map(joinName);
  const written = joinedParts(weights);
  if (layout !== undefined && fits(layout, weights)) {
    const given = joinedParts(layout);
    return JSON.stringify(given) === JSON.stringify(written) ? undefined : given;
  }
  const old = lineOf(before)?.map(joinName);
  if (old === undefined || after.seed !== undefined || !dividesAlike(before, after)) return undefined;
  const least = [...growthOf(old, written).values()].reduce((sum, growth) => sum + Math.max(0, growth), 0);
  if (total(overlaps(old, written).filter(({ from, to }) => from !== to)) <= least) return undefined;
  const kept = regrown(old, written);
  return kept.length > MAX_LAYOUT_PARTS ? undefined : kept;
}

/** Not in a variant's key. */
const UNTRACKED = '\0';

/** For layouts, the tracked and the untracked part of a variant are two variants: each keeps its units. */
function joinName({ variant, weight, untracked }: WeightDraft): Weight {
  return { variant: untracked === true ? variant + UNTRACKED : variant, weight };
}

function splitName({ variant, weight }: Weight): Weight {
  return variant.endsWith(UNTRACKED) ? { variant: variant.slice(0, -1), weight, untracked: true } : { variant, weight };
}

/** The shares of all units that change their variant when `after` replaces `before`. */
export function movedShares(before: ServeDraft, after: ServeDraft): MovedShare[] {
  const old = lineOf(before);
  const next =
    after.rollout === undefined ? lineOf(after) : (layoutAfter(before, after.rollout) ?? after.rollout.weights);
  if (old === undefined || next === undefined) return [];
  const alike = before.rollout === undefined || after.rollout === undefined || dividesAlike(before, after.rollout);
  const both = alike ? overlaps(old, next) : independent(old, next);
  const moved = new Map<string, MovedShare>();
  for (const { from, to, weight } of both) {
    if (from === to || weight === 0) continue;
    const key = JSON.stringify([from, to]);
    moved.set(key, { from, to, weight: (moved.get(key)?.weight ?? 0) + weight });
  }
  return [...moved.values()].sort((a, b) => b.weight - a.weight);
}

/** Without the layout, for people and files, and for environments in which units have other positions. */
export function withoutLayout<T extends ServeDraft>(serve: T): T {
  if (serve.rollout === undefined) return serve;
  const { layout: _, ...rollout } = serve.rollout;
  return { ...serve, rollout };
}

/** The parts of the line in serving order; undefined for the code default. */
function lineOf({ variant, rollout }: ServeDraft): readonly Weight[] | undefined {
  if (rollout !== undefined) return joinedParts(rollout.layout ?? rollout.weights);
  return typeof variant === 'string' ? [{ variant, weight: TOTAL_WEIGHT }] : undefined;
}

/** Whether a unit has the same position on both lines. A single variant for everybody fits any line. */
function dividesAlike({ rollout: before }: ServeDraft, after: RolloutDraft): boolean {
  const of = ({
    bucket_by = TARGETING_KEY,
    context_kind,
    fallback_bucket_by = [],
    hash = 'fanion',
    seed,
    buckets,
  }: BucketingDraft) =>
    JSON.stringify([bucket_by, context_kind ?? null, fallback_bucket_by, hash, seed ?? null, buckets ?? null]);
  return before === undefined || of(before) === of(after);
}

/** Whether a layout gives every variant its weight. */
function fits(layout: readonly Weight[], weights: readonly Weight[]): boolean {
  return [...growthOf(layout, weights).values()].every((growth) => growth === 0);
}

/** Growth of each variant; negative if it shrinks. */
function growthOf(old: readonly Weight[], next: readonly Weight[]): Map<string, number> {
  const growth = new Map<string, number>();
  const add = (variant: string, weight: number) => growth.set(variant, (growth.get(variant) ?? 0) + weight);
  for (const { variant, weight } of next) add(variant, weight);
  for (const { variant, weight } of old) add(variant, -weight);
  return growth;
}

/** First moves borders between neighbors, and splits parts only for the rest, so that a line has few parts. */
function regrown(old: readonly Weight[], next: readonly Weight[]): Weight[] {
  const growth = growthOf(old, next);
  const parts = old.map((part) => ({ ...part }));
  const give = (from: { variant: string; weight: number }, to: string): number => {
    const wanted = Math.max(0, growth.get(to) ?? 0);
    const given = Math.min(wanted, Math.max(0, -(growth.get(from.variant) ?? 0)), from.weight);
    growth.set(to, (growth.get(to) ?? 0) - given);
    growth.set(from.variant, (growth.get(from.variant) ?? 0) + given);
    from.weight -= given;
    return given;
  };
  for (const [i, right] of parts.entries()) {
    const left = parts[i - 1];
    if (left === undefined) continue;
    left.weight += give(right, left.variant);
    right.weight += give(left, right.variant);
  }
  const line: Weight[] = [];
  for (const part of parts) {
    const cut: Weight[] = [];
    for (const variant of growth.keys()) cut.push({ variant, weight: give(part, variant) });
    line.push(part, ...cut);
  }
  return joinedParts(line);
}

/** Removes empty parts, and joins neighbors of the same variant if both are tracked, or both are not. */
export function joinedParts(parts: readonly WeightDraft[]): Weight[] {
  const line: { variant: string; weight: number; untracked?: boolean }[] = [];
  for (const { variant, weight, untracked = false } of parts) {
    const last = line.at(-1);
    if (weight === 0) continue;
    if (last?.variant === variant && (last.untracked ?? false) === untracked) last.weight += weight;
    else line.push({ variant, weight, ...(untracked && { untracked }) });
  }
  return line;
}

/** The overlaps of two lines, position by position. */
function overlaps(old: readonly Weight[], next: readonly Weight[]): MovedShare[] {
  const found: MovedShare[] = [];
  let [i, j, oldEnd, nextEnd, at] = [0, 0, old[0]?.weight ?? 0, next[0]?.weight ?? 0, 0];
  for (let [from, to] = [old[i], next[j]]; from !== undefined && to !== undefined; [from, to] = [old[i], next[j]]) {
    const end = Math.min(oldEnd, nextEnd);
    found.push({ from: from.variant, to: to.variant, weight: end - at });
    at = end;
    if (oldEnd === end) oldEnd += old[++i]?.weight ?? 0;
    if (nextEnd === end) nextEnd += next[++j]?.weight ?? 0;
  }
  return found;
}

/** The expected overlaps of two independent lines. */
function independent(old: readonly Weight[], next: readonly Weight[]): MovedShare[] {
  return old.flatMap((from) =>
    next.map((to) => ({
      from: from.variant,
      to: to.variant,
      weight: Math.round((from.weight * to.weight) / TOTAL_WEIGHT),
    })),
  );
}

function total(shares: readonly MovedShare[]): number {
  return shares.reduce((sum, { weight }) => sum + weight, 0);
}
