import type { WalEntry } from '../entry.ts';
import type { ResourceContext, ScopeContext } from '../transcode/context.ts';
import { type KeyRange, KeyTable, larger, NO_KEY } from '../transcode/key-table.ts';
import type { SampleReader } from './reader.ts';

const MAX_RESOURCES = 16_384;
const MAX_METRICS = 65_536;

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
  readonly #table = new KeyTable();
  /** Where the description of the series was seen to be known last: a partition. */
  describedIn = new Float64Array(this.#table.capacity);
  low = new Int32Array(this.#table.capacity);
  high = new Int32Array(this.#table.capacity);
  /** Positions in {@link Identities.metrics} and {@link Identities.resources}. */
  metric = new Int32Array(this.#table.capacity);
  resource = new Int32Array(this.#table.capacity);
  readonly metrics: Buffer[] = [];
  readonly resources: ResourceContext[] = [];
  /** What a target's series have in common, by the tenant and the labels that tell targets apart. */
  readonly targets = new Map<string, { resource: ResourceContext; scope: ScopeContext }>();

  readonly #tenants = new Map<string, number>();
  #tenantCount = 0;
  #generation = 0;
  readonly #metricAt = new Map<string, number>();
  readonly #resourceAt = new Map<string, number>();
  readonly #environments = new Map<string, Buffer>();

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
    const next = this.#table.after(series);
    return next === NO_KEY ? undefined : this.#table.rangeOf(next);
  }

  /** The number of the series whose key {@link Identities.after} gave. */
  indexAfter(series: number): number {
    return this.#table.after(series);
  }

  /**
   * The number of the series that is being read, which is then what comes after `last`.
   * @param identify describes a new series
   */
  find(
    tenant: number,
    { key, keyWords, keyStart, keyEnd }: SampleReader,
    last: number,
    identify: () => Identity,
  ): number {
    let index = this.#table.find(tenant, 0, keyWords, keyStart, keyEnd);
    let before = last;
    if (index === NO_KEY) {
      const identity = identify();
      if (this.#isFull(keyEnd - keyStart)) {
        this.#forget();
        before = NO_KEY;
      }
      index = this.#table.add(tenant, 0, key, keyWords, keyStart, keyEnd);
      this.#keep(index, tenant, identity);
    }
    this.#table.follow(before, index);
    return index;
  }

  /** @param generation of the cache that knows which series are described; it has forgotten them when it is another one. */
  describedSince(generation: number): void {
    if (generation === this.#generation) return;
    this.#generation = generation;
    this.describedIn.fill(0);
  }

  #isFull(more: number): boolean {
    return (
      this.#table.isFull(more) ||
      this.targets.size >= MAX_RESOURCES ||
      this.resources.length === MAX_RESOURCES ||
      this.metrics.length === MAX_METRICS
    );
  }

  #forget(): void {
    this.#table.forget();
    this.metrics.length = this.resources.length = 0;
    this.targets.clear();
    this.#tenants.clear();
    this.#metricAt.clear();
    this.#resourceAt.clear();
    this.#environments.clear();
  }

  #keep(index: number, tenant: number, { low, high, metric, resource }: Identity): void {
    const { capacity } = this.#table;
    if (capacity > this.low.length) {
      this.low = larger(this.low, capacity);
      this.high = larger(this.high, capacity);
      this.metric = larger(this.metric, capacity);
      this.resource = larger(this.resource, capacity);
      const described = this.describedIn;
      this.describedIn = new Float64Array(capacity);
      this.describedIn.set(described);
    }
    this.low[index] = low;
    this.high[index] = high;
    this.describedIn[index] = 0;
    this.metric[index] = numbered(this.#metricAt, metric.toString('latin1'), this.metrics, metric);
    const resourceKey = `${tenant}/${resource.hashLow}/${resource.hashHigh}`;
    this.resource[index] = numbered(this.#resourceAt, resourceKey, this.resources, this.#shared(resource));
  }

  /** Resources of one environment have one buffer for it. */
  #shared(resource: ResourceContext): ResourceContext {
    const environment = this.#environments.get(resource.names.environment) ?? resource.environment;
    this.#environments.set(resource.names.environment, environment);
    return { ...resource, environment };
  }
}

function numbered<Thing>(numbers: Map<string, number>, key: string, all: Thing[], thing: Thing): number {
  const known = numbers.get(key);
  if (known !== undefined) return known;
  numbers.set(key, all.length);
  return all.push(thing) - 1;
}
