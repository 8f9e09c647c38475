import type { CompiledRuleset, Flag } from '@fanion/flag-engine';
import type { Countable } from '../exposures/index.ts';
import { noVariant } from './frontend-rules.ts';

/** Evaluations with one answer. */
export interface ReportedCount {
  readonly answer: Countable;
  readonly times: number;
}

/** A counter cannot stand for more evaluations. */
const mostOfCounter = 100_000_000;

type Fields = Readonly<Record<string, unknown>>;

/**
 * What a bucket of metrics counts, for the flags that the ruleset has. Everything malformed is left out. SDKs count each
 * evaluation as `yes` or `no`, and those that asked for a variant under its name too.
 */
export function reportedCounts(body: unknown, ruleset: CompiledRuleset): ReportedCount[] {
  const { bucket } = fieldsOf(body);
  return Object.entries(fieldsOf(fieldsOf(bucket).toggles)).flatMap(([key, toggle]) => {
    const flag = ruleset.flags.get(key)?.source;
    if (flag === undefined) return [];
    return countsOf(flag, fieldsOf(toggle)).flatMap(([variant, times]) => {
      // SDKs name no version: it is the current one.
      const answer = { key, variant, flag_version: flag.version, reason: 'UNKNOWN', tracked: false } as const;
      return times > 0 ? [{ answer, times }] : [];
    });
  });
}

function countsOf({ kind, variants }: Flag, toggle: Fields): (readonly [variant: string | null, times: number])[] {
  const [yes, no] = [timesOf(toggle.yes), timesOf(toggle.no)];
  if (kind === 'boolean') {
    const keyOf = (value: boolean) => variants.find((variant) => variant.value === value)?.key ?? null;
    return [
      [keyOf(true), yes],
      [keyOf(false), no],
    ];
  }
  const counted = fieldsOf(toggle.variants);
  const named = variants
    .filter(({ key }) => key !== noVariant && Object.hasOwn(counted, key))
    .map(({ key }) => [key, timesOf(counted[key])] as const);
  const rest = yes - named.reduce((sum, [, times]) => sum + times, 0);
  const off = variants.some(({ key }) => key === noVariant) ? noVariant : null;
  return off === null ? [...named, [null, Math.max(0, rest) + no]] : [...named, [null, Math.max(0, rest)], [off, no]];
}

/**
 * Names the bucket of an SDK; it is the same when the bucket is sent again, alone or together with later counts. Browsers
 * without a connection id cannot be told apart, so theirs are the same only if they also end at the same time.
 */
export function bucketName(body: unknown, connectionId: string | undefined): string {
  const { appName, instanceId, bucket, ...fields } = fieldsOf(body);
  const { start, stop } = fieldsOf(bucket);
  const connection = typeof fields.connectionId === 'string' ? fields.connectionId : connectionId;
  const isAnybody = connection === undefined && (instanceId === undefined || instanceId === 'browser');
  return JSON.stringify([appName, instanceId, connection, start, ...(isAnybody || start === undefined ? [stop] : [])]);
}

/** Remembers what was counted of recent buckets, so that a repeated one adds only what is new. */
export class RecentBuckets {
  readonly #mostCounters: number;
  readonly #known = new Map<string, ReadonlyMap<string, number>>();
  #counters = 0;

  /** @param mostCounters that are remembered of all buckets together */
  constructor(mostCounters: number) {
    this.#mostCounters = mostCounters;
  }

  /** The part of a bucket's counts that was not counted before. */
  news(name: string, counts: readonly ReportedCount[]): ReportedCount[] {
    // A bucket without counters would never be forgotten.
    if (counts.length === 0) return [];
    const before = this.#known.get(name) ?? new Map<string, number>();
    const after = new Map(before);
    const news = counts.map(({ answer, times }): ReportedCount => {
      const counter = JSON.stringify([answer.key, answer.variant]);
      const known = before.get(counter) ?? 0;
      after.set(counter, Math.max(known, times));
      return { answer, times: Math.max(0, times - known) };
    });
    this.#remember(name, before, after);
    return news.filter(({ times }) => times > 0);
  }

  #remember(name: string, before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): void {
    this.#known.delete(name);
    this.#known.set(name, after);
    this.#counters += after.size - before.size;
    for (const [oldest, { size }] of this.#known) {
      if (this.#counters <= this.#mostCounters || oldest === name) return;
      this.#known.delete(oldest);
      this.#counters -= size;
    }
  }
}

function timesOf(count: unknown): number {
  return Number.isSafeInteger(count) ? Math.max(0, Math.min(Number(count), mostOfCounter)) : 0;
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
