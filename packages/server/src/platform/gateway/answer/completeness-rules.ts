import type { Compiled } from '@fanion/oql';
import type { WalSignal } from '@fanion/telemetry';
import { formatNs } from '../../time-window.ts';

/** Acknowledged telemetry that cannot be queried yet. */
export interface Unstored {
  /** Spans, log records, points and the like; null: their number is unknown. */
  readonly items: number | null;
  /** When the oldest of it was received, in milliseconds since the epoch; undefined: there is none. */
  readonly since: number | undefined;
  /** The time of the earliest of it, in milliseconds since the epoch; -Infinity: unknown. */
  readonly earliest: number;
}

/** What an answer may lack. */
export interface Completeness {
  /** Whether it lacks nothing of the list below. Telemetry that clients have not sent yet is not known to anybody. */
  readonly complete: boolean;
  /** Starts of the time buckets that contain only part of their time: cut by the window, or not over. At most two. */
  readonly partial_buckets: readonly string[];
  /** Acknowledged telemetry of its signals in its scope that was not stored when it began; null: none. */
  readonly unstored: { readonly items: number | null; readonly since: string } | null;
  /**
   * Series whose growth before their first point in the window is not counted, since no earlier point was found in the look-back; null: unknown.
   */
  readonly missing_anchors: number | null;
  /**
   * Of the spans (or whatever rows) that the answer counts, the share that is stored, above 0 and at most 1: stored rows by the sum of their
   * weights. The rest is estimated from these. 1: nothing is estimated; null: unknown.
   */
  readonly sampled_share: number | null;
  /** Shards of the telemetry store that were not read; more than 0 only where the caller allows it. */
  readonly shards_away: number;
}

/** The signals whose telemetry becomes rows of each table. */
const signalsOf: Readonly<Record<Compiled['tables'][number], readonly WalSignal[]>> = {
  logs: ['logs'],
  spans: ['traces'],
  trace_index: ['traces'],
  metric_points: ['metrics'],
  metric_histograms: ['metrics'],
  metric_series: ['metrics'],
  metric_rollups: ['metrics'],
  exemplars: ['metrics'],
  field_usage: ['traces', 'logs', 'metrics', 'profiles'],
  profile_samples: ['profiles'],
  profile_stacks: ['profiles'],
  // Clients report evaluations as log records and as events of spans.
  // Deploys are found in spans.
  changes: ['traces'],
  flag_events: ['evaluations', 'logs', 'traces'],
};

/** The signals that a statement reads. */
export function signalsRead({ tables }: Pick<Compiled, 'tables'>): readonly WalSignal[] {
  return [...new Set(tables.flatMap((table) => signalsOf[table]))];
}

/**
 * What an answer may lack. Telemetry that is later than its window is not missing from it.
 * @param unstored when its statement began
 */
export function completenessOf(
  { window, partialBuckets }: Pick<Compiled, 'window' | 'partialBuckets'>,
  {
    unstored,
    missingAnchors,
    sampledShare,
    shardsAway = 0,
  }: {
    readonly unstored: Unstored;
    readonly missingAnchors: number | null;
    readonly sampledShare: number | null;
    readonly shardsAway?: number;
  },
): Completeness {
  const { items, since, earliest } = unstored;
  const isMissing = since !== undefined && earliest < Number(window.toNs) / 1e6;
  return {
    complete:
      partialBuckets.length === 0 && !isMissing && missingAnchors === 0 && sampledShare === 1 && shardsAway === 0,
    partial_buckets: partialBuckets.map(({ fromNs }) => formatNs(fromNs)),
    unstored: isMissing ? { items, since: new Date(since).toISOString() } : null,
    missing_anchors: missingAnchors,
    sampled_share: sampledShare,
    shards_away: shardsAway,
  };
}

/** What several answers may lack together; `missing_anchors` and `shards_away` are the largest numbers of any, `sampled_share` the smallest share. */
export function completenessOfAll(answers: readonly Completeness[]): Completeness {
  const unstored = answers.flatMap(({ unstored }) => unstored ?? []).sort((a, b) => (a.since < b.since ? -1 : 1));
  const anchors = answers.map(({ missing_anchors }) => missing_anchors);
  const shares = answers.map(({ sampled_share }) => sampled_share);
  return {
    complete: answers.every(({ complete }) => complete),
    partial_buckets: [...new Set(answers.flatMap(({ partial_buckets }) => partial_buckets))].sort(),
    unstored: unstored[0] ?? null,
    missing_anchors: anchors.includes(null) ? null : Math.max(0, ...anchors.map((count) => count ?? 0)),
    sampled_share: shares.includes(null) ? null : Math.min(1, ...shares.map((share) => share ?? 1)),
    shards_away: Math.max(0, ...answers.map(({ shards_away }) => shards_away)),
  };
}

/**
 * The share of what rows stand for that is stored.
 * @param represented the sum of their weights
 */
export function sampledShareOf({ rows, represented }: { readonly rows: number; readonly represented: number }): number {
  return rows > 0 && represented > rows ? rows / represented : 1;
}
