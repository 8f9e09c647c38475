import { unitOf } from '../bucket.ts';
import type { HashName } from '../ruleset.ts';
import { fnv1a } from './fnv1a.ts';
import { murmur3 } from './murmur3.ts';

/** The hash of another product, which places every unit on the line as that product does. */
export interface VendorHash {
  /** Default number of places on the line. */
  readonly buckets: number;
  /** Whether a rollout may set the number of places. */
  readonly adjustable: boolean;
  /** An integer from 0, below `buckets`. */
  readonly place: (seed: string, unit: string, buckets: number) => number;
}

/** Seed of the murmur hash that chooses between Unleash's variants. */
const UNLEASH_VARIANT_SEED = 86_028_157;
const TWO_32 = 0x1_0000_0000;
/** Greatest signed integer of 32 bits. */
const MAX_INT_32 = 0x7fff_ffff;

/**
 * The hashes of other products, from their published documentation.
 *
 * - `unleash`: the percentage of a strategy. murmur3("<group>:<unit>") mod 100; units with a number from 1 to the
 *   percentage are in. Source: Unleash client-specification, Apache-2.0.
 * - `unleash_variants`: the same text with the seed of variants, mod the sum of the weights.
 * - `growthbook_v1`: fnv1a(unit + seed) mod 1000. `growthbook_v2`: fnv1a(decimal of fnv1a(seed + unit)) mod 10000.
 *   Source: GrowthBook, "Build your own SDK", MIT.
 * - `flagd`: murmur3(seed + unit) × buckets ÷ 2^32, rounded down. Source: flagd, "fractional operation", Apache-2.0.
 * - `flagd_v1`: flagd before integer buckets: |signed murmur3| ÷ (2^31 − 1) as a fraction of the line.
 */
const VENDOR_HASHES: Readonly<Record<Exclude<HashName, 'fanion'>, VendorHash>> = {
  unleash: {
    buckets: 100,
    adjustable: true,
    place: (group, unit, buckets) => murmur3(`${group}:${unit}`) % buckets,
  },
  unleash_variants: {
    buckets: 1000,
    adjustable: true,
    place: (group, unit, buckets) => murmur3(`${group}:${unit}`, UNLEASH_VARIANT_SEED) % buckets,
  },
  growthbook_v1: { buckets: 1000, adjustable: false, place: (seed, unit, buckets) => fnv1a(unit + seed) % buckets },
  growthbook_v2: {
    buckets: 10_000,
    adjustable: false,
    place: (seed, unit, buckets) => fnv1a(String(fnv1a(seed + unit))) % buckets,
  },
  flagd: {
    buckets: 100,
    adjustable: true,
    // Exact: the product has at most 49 bits.
    place: (seed, unit, buckets) => Math.floor((murmur3(seed + unit) * buckets) / TWO_32),
  },
  flagd_v1: {
    buckets: 100,
    adjustable: true,
    place: (seed, unit, buckets) =>
      Math.min(buckets - 1, Math.floor((Math.abs(murmur3(seed + unit) | 0) / MAX_INT_32) * buckets)),
  },
};

/** All hashes, our own first. */
export const HASH_NAMES: readonly HashName[] = [
  'fanion',
  'unleash',
  'unleash_variants',
  'growthbook_v1',
  'growthbook_v2',
  'flagd',
  'flagd_v1',
];

/** Undefined for our own hash, an unknown name, and inherited names. */
export function vendorHash(name: string): VendorHash | undefined {
  return Object.hasOwn(VENDOR_HASHES, name) ? VENDOR_HASHES[name as Exclude<HashName, 'fanion'>] : undefined;
}

/**
 * The text by which an attribute's value is bucketed under the hash of another product: as there, text, numbers in
 * their shortest form and `true` identify a unit; empty text, zero and false do not.
 */
export function vendorUnitOf(value: unknown): string | undefined {
  if (value === true) return 'true';
  if (typeof value === 'number') return Number.isFinite(value) && value !== 0 ? String(value) : undefined;
  return unitOf(value);
}
