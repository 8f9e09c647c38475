import { type HashPrefix, hashFraction, hashPrefix } from './hash/sha1.ts';

/** The prefix of a rollout's hash: a seed alone, or the flag's key and a salt. */
export type BucketSource = { readonly seed: string } | { readonly flag_key: string; readonly salt: string };

/**
 * The position of a unit on [0, 1]: LaunchDarkly's formula, so that a team that migrates keeps every unit in its
 * bucket.
 *
 *     parseInt(sha1(seed ? seed + "." + unit : flagKey + "." + salt + "." + unit).hex.slice(0, 15), 16) / 0xFFFFFFFFFFFFFFF
 *
 * The result is 1 only for about one unit in 2^54, since 0xFFFFFFFFFFFFFFF is 2^60 as a double.
 * Source: launchdarkly/go-server-sdk-evaluation, `computeBucketValue`.
 */
export function bucketValue(source: BucketSource, unit: string): number {
  return hashFraction(NOTHING, prefixText(source) + unit);
}

/** The constant part of a rollout's hash, for `hashFraction` of many units. */
export function bucketPrefix(source: BucketSource): HashPrefix {
  return hashPrefix(prefixText(source));
}

function prefixText(source: BucketSource): string {
  return 'seed' in source ? `${source.seed}.` : `${source.flag_key}.${source.salt}.`;
}

const NOTHING = hashPrefix('');

/**
 * The text by which an attribute's value is bucketed: a string itself, a safe integer in decimal. Nothing else
 * identifies a unit: not fractions or booleans, as in LaunchDarkly, nor an empty string.
 */
export function unitOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return Number.isSafeInteger(value) ? String(value) : undefined;
}
