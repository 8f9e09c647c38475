import { randomBytes } from 'node:crypto';
import type { WalEntry } from '../entry.ts';
import type { ResourceContext } from '../transcode/context.ts';
import { isSame, type KeyRange, type SampleReader, wordsOf } from './reader.ts';

/** Keys that are remembered, and the bytes that they may take; beyond one of them everything is forgotten. */
const MAX_SERIES = 131_072;
const MAX_KEY_BYTES = 32 * 1024 * 1024;
const MAX_RESOURCES = 16_384;
const MAX_METRICS = 65_536;
const FIRST_SERIES = 1024;
const FIRST_KEY_BYTES = 128 * 1024;
/** A key that finds no slot within so many is not remembered: names may be chosen so that they meet. */
const MAX_PROBES = 32;
/** Of a number of a series: none. */
export const NO_ONE = -1;
const seed = randomBytes(4).readInt32LE();

/** What a series is, which its labels and its tenant say. */
export interface Identity {
  low: number;
  high: number;
  /** UTF-8. */
  metric: Buffer;
  resource: ResourceContext;
}

/**
 * The series that remote write has sent, by the bytes of their labels, so that what they are is worked out once and not
 * for each sample. Forgetting is harmless. Each tenant has keys of its own.
 */
export class Identities {
  /** Where the description of the series was seen to be known last: a partition. */
  describedIn = new Float64Array(FIRST_SERIES);
  low = new Int32Array(FIRST_SERIES);
  high = new Int32Array(FIRST_SERIES);
  /** Positions in {@link Identities.metrics} and {@link Identities.resources}. */
  metric = new Int32Array(FIRST_SERIES);
  resource = new Int32Array(FIRST_SERIES);
  readonly metrics: Buffer[] = [];
  readonly resources: ResourceContext[] = [];

  #bytes = Buffer.allocUnsafeSlow(FIRST_KEY_BYTES);
  #words = wordsOf(this.#bytes);
  #length = 0;
  #start = new Int32Array(FIRST_SERIES);
  #end = new Int32Array(FIRST_SERIES);
  #tenant = new Int32Array(FIRST_SERIES);
  #hashes = new Int32Array(FIRST_SERIES);
  /** The series that came after this one the last time: senders keep to an order. */
  #next = new Int32Array(FIRST_SERIES);
  #count = 0;
  #slots = new Int32Array(FIRST_SERIES * 2).fill(NO_ONE);
  readonly #tenants = new Map<string, number>();
  #tenantCount = 0;
  #generation = 0;
  readonly #metricAt = new Map<string, number>();
  readonly #resourceAt = new Map<string, number>();
  readonly #environments = new Map<string, Buffer>();
  readonly #range: KeyRange = { words: this.#words, start: 0, end: 0 };

  /** A number for those whose series are the same where their labels are. */
  tenantOf({ workspace, project, environment }: WalEntry): number {
    const key = `${workspace}/${project}/${environment}`;
    const known = this.#tenants.get(key);
    if (known !== undefined) return known;
    this.#tenants.set(key, ++this.#tenantCount);
    return this.#tenantCount;
  }

  /** The key of the series that came after this one the last time; `undefined` where that is not known. */
  after(series: number): KeyRange | undefined {
    const next = series === NO_ONE ? NO_ONE : (this.#next[series] as number);
    if (next === NO_ONE) return undefined;
    this.#range.words = this.#words;
    this.#range.start = this.#start[next] as number;
    this.#range.end = this.#end[next] as number;
    return this.#range;
  }

  /** The number of the series whose key {@link Identities.after} gave. */
  indexAfter(series: number): number {
    return this.#next[series] as number;
  }

  /**
   * The number of the series that is being read, which is then what comes after `last`.
   * @param identify tells what a new series is
   */
  find(
    tenant: number,
    { key, keyWords, keyStart: start, keyEnd: end }: SampleReader,
    last: number,
    identify: () => Identity,
  ): number {
    const hash = hashOf(tenant, keyWords, start, end);
    let index = this.#slotted(hash, tenant, keyWords, start, end);
    let before = last;
    if (index === NO_ONE) {
      const identity = identify();
      if (this.#isFull(end - start)) {
        this.#forget();
        before = NO_ONE;
      }
      index = this.#add(hash, tenant, key, start, end, identity);
    }
    if (before !== NO_ONE) this.#next[before] = index;
    return index;
  }

  /** @param generation of the cache that knows which series are described; it has forgotten them when it is another one. */
  describedSince(generation: number): void {
    if (generation === this.#generation) return;
    this.#generation = generation;
    this.describedIn.fill(0);
  }

  #slotted(hash: number, tenant: number, key: DataView, start: number, end: number): number {
    const mask = this.#slots.length - 1;
    for (let probe = 0, slot = hash & mask; probe < MAX_PROBES; probe++, slot = (slot + 1) & mask) {
      const index = this.#slots[slot] as number;
      if (index === NO_ONE) return NO_ONE;
      const from = this.#start[index] as number;
      const isIt =
        this.#hashes[index] === hash &&
        this.#tenant[index] === tenant &&
        (this.#end[index] as number) - from === end - start &&
        isSame(key, start, this.#words, from, end - start);
      if (isIt) return index;
    }
    return NO_ONE;
  }

  #isFull(more: number): boolean {
    return (
      this.#count === MAX_SERIES ||
      this.#length + more > MAX_KEY_BYTES ||
      this.resources.length === MAX_RESOURCES ||
      this.metrics.length === MAX_METRICS
    );
  }

  #forget(): void {
    this.#count = this.#length = 0;
    this.metrics.length = this.resources.length = 0;
    this.#tenants.clear();
    this.#metricAt.clear();
    this.#resourceAt.clear();
    this.#environments.clear();
    this.#slots.fill(NO_ONE);
    this.describedIn.fill(0);
  }

  #add(hash: number, tenant: number, key: Buffer, start: number, end: number, identity: Identity): number {
    if (this.#count === this.low.length) this.#grow();
    const index = this.#count++;
    this.#remember(key, start, end, index);
    this.#tenant[index] = tenant;
    this.#hashes[index] = hash;
    this.#next[index] = NO_ONE;
    this.low[index] = identity.low;
    this.high[index] = identity.high;
    this.describedIn[index] = 0;
    const resource = this.#shared(identity.resource);
    this.metric[index] = numbered(this.#metricAt, identity.metric.toString('latin1'), this.metrics, identity.metric);
    const resourceKey = `${tenant}/${resource.hashLow}/${resource.hashHigh}`;
    this.resource[index] = numbered(this.#resourceAt, resourceKey, this.resources, resource);
    this.#place(index);
    return index;
  }

  /** Resources of one environment have one buffer for it. */
  #shared(resource: ResourceContext): ResourceContext {
    const environment = this.#environments.get(resource.names.environment) ?? resource.environment;
    this.#environments.set(resource.names.environment, environment);
    return { ...resource, environment };
  }

  #remember(key: Buffer, start: number, end: number, index: number): void {
    const length = this.#length + end - start;
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, length));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
      this.#words = wordsOf(larger);
    }
    key.copy(this.#bytes, this.#length, start, end);
    this.#start[index] = this.#length;
    this.#end[index] = this.#length = length;
  }

  #place(index: number): void {
    const mask = this.#slots.length - 1;
    let slot = (this.#hashes[index] as number) & mask;
    for (let probe = 0; probe < MAX_PROBES; probe++, slot = (slot + 1) & mask) {
      if (this.#slots[slot] !== NO_ONE) continue;
      this.#slots[slot] = index;
      return;
    }
  }

  #grow(): void {
    const size = this.low.length * 2;
    this.describedIn = larger(this.describedIn, new Float64Array(size));
    this.low = larger(this.low, new Int32Array(size));
    this.high = larger(this.high, new Int32Array(size));
    this.metric = larger(this.metric, new Int32Array(size));
    this.resource = larger(this.resource, new Int32Array(size));
    this.#start = larger(this.#start, new Int32Array(size));
    this.#end = larger(this.#end, new Int32Array(size));
    this.#tenant = larger(this.#tenant, new Int32Array(size));
    this.#hashes = larger(this.#hashes, new Int32Array(size));
    this.#next = larger(this.#next, new Int32Array(size));
    this.#slots = new Int32Array(size * 2).fill(NO_ONE);
    for (let index = 0; index < this.#count; index++) this.#place(index);
  }
}

function larger<Numbers extends Int32Array | Float64Array>(old: Numbers, into: Numbers): Numbers {
  into.set(old);
  return into;
}

function numbered<Thing>(numbers: Map<string, number>, key: string, all: Thing[], thing: Thing): number {
  const known = numbers.get(key);
  if (known !== undefined) return known;
  numbers.set(key, all.length);
  return all.push(thing) - 1;
}

/** MurmurHash3 (x86, 32 bit) with a seed of this process. */
function hashOf(tenant: number, bytes: DataView, start: number, end: number): number {
  let hash = seed ^ tenant;
  let at = start;
  for (; at + 4 <= end; at += 4) hash = mix(hash, bytes.getInt32(at));
  let tail = 0;
  for (let shift = 0; at < end; at++, shift += 8) tail |= bytes.getUint8(at) << shift;
  hash = mix(hash, tail) ^ (end - start);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

function mix(hash: number, word: number): number {
  const k = Math.imul(word, 0xcc9e2d51);
  const mixed = hash ^ Math.imul((k << 15) | (k >>> 17), 0x1b873593);
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0;
}
