import { keyToOtlp } from '../convert/prometheus.ts';
import { isStale } from '../convert/prometheus-series.ts';
import type { WalEntry } from '../entry.ts';
import { type Arrival, type ArrivalSender, type Arrivals, count, senderOf } from '../transcode/arrivals.ts';
import { type ItemVisitor, type ResourceContext, type ScopeContext, walkItems } from '../transcode/context.ts';
import { ItemFilter } from '../transcode/item-filter.ts';
import { NO_KEY } from '../transcode/key-table.ts';
import { readTexts } from '../transcode/metric-texts.ts';
import type { MetricTranscoder } from '../transcode/metrics.ts';
import type { PointColumns, PointOrigin } from '../transcode/native/forms.ts';
import type { TableColumns } from '../transcode/native/table.ts';
import { DAY_MS, partitionOf } from '../transcode/row-parts.ts';
import type { SeriesCache } from '../transcode/series-cache.ts';
import { WireReader } from '../wire/reader.ts';
import { DirectIdentity } from './direct-identity.ts';
import type { Identities, Identity } from './identities.ts';
import { LabelWalk } from './labels.ts';
import { SampleReader } from './reader.ts';
import { unpackScratch } from './scratch.ts';

const HOUR_MS = 3_600_000;
/** No dictionary has this number. */
const NO_GENERATION = -1;

/** Who sends a series, and how much of an entry. */
interface Sender {
  resource: ResourceContext;
  entry: WalEntry;
  arrival: ArrivalSender;
  /** What the segment has of it; none before its first entry is written. */
  total: Arrival | undefined;
  items: number;
  bytes: number;
}

type VisitSample = (position: number, series: number, reader: SampleReader) => void;

/** Writes the samples of remote write that `scanSamples` has taken: points, and the series that are new today. */
export class SampleTranscoder {
  readonly #points: TableColumns<PointColumns, PointOrigin>;
  readonly #metrics: MetricTranscoder;
  readonly #known: SeriesCache;
  readonly #identities: Identities;
  readonly #walk = new LabelWalk();
  readonly #direct = new DirectIdentity();
  /** The numbers of metrics' names in the dictionary of the block, which is the one of this generation. */
  #nameIndexes: number[] = [];
  #nameGeneration = NO_GENERATION;
  /** Of this segment, by the number of their resource. */
  readonly #senders: (Sender | undefined)[] = [];
  #origin: PointOrigin | undefined;
  /** The day of the last sample, and its partition. */
  #dayStart = 0;
  #partition = 0;
  /** The series of the entry that was identified last, in OTLP. */
  #identified: { series: number; body: Buffer } | undefined;

  constructor(points: TableColumns<PointColumns, PointOrigin>, metrics: MetricTranscoder, known: SeriesCache) {
    this.#points = points;
    this.#metrics = metrics;
    this.#known = known;
    this.#identities = known.identities;
  }

  /** Tells of each sample that was not refused its position, its series and its partition; nothing is written. */
  eachSeries(entry: WalEntry, visit: (index: number, low: number, high: number, partition: number) => void): void {
    const identities = this.#identities;
    this.#each(entry, (position, series, { time }) => {
      const { low, high } = identities;
      visit(position, low[series] as number, high[series] as number, partitionOf(time, entry.retentionDays));
    });
  }

  /** Adds who sent it to `arrivals` when all of it is written. */
  write(entry: WalEntry, arrivals: Arrivals): void {
    const identities = this.#identities;
    this.#nameGeneration = NO_GENERATION;
    this.#dayStart = 0;
    identities.describedSince(this.#known.generation);
    const senders: Sender[] = [];
    let last = NO_KEY;
    let sender: Sender | undefined;
    this.#each(entry, (_, series, reader) => {
      const number = identities.resource[series] as number;
      const resource = identities.resources[number] as ResourceContext;
      this.#write(entry, series, resource, reader);
      if (sender === undefined || series !== last) {
        if (sender?.resource !== resource) sender = this.#senderOf(entry, number, resource);
        if (sender.items === 0) senders.push(sender);
        sender.bytes += reader.seriesBytes;
        last = series;
      }
      sender.items++;
    });
    const { receivedAt } = entry;
    for (const one of senders) {
      const { arrival, total, items, bytes } = one;
      if (total === undefined) one.total = arrivals.add(arrival, items, bytes, receivedAt);
      else count(total, items, bytes, receivedAt);
    }
  }

  /** Counts of the sender in this entry, zero at first. */
  #senderOf(entry: WalEntry, number: number, resource: ResourceContext): Sender {
    const known = this.#senders[number];
    // Numbers begin again when identities are forgotten.
    if (known !== undefined && known.resource === resource) {
      if (known.entry === entry) return known;
      if (known.arrival.hour === Math.floor(entry.receivedAt / HOUR_MS)) {
        known.items = known.bytes = 0;
        known.entry = entry;
        return known;
      }
    }
    const { workspace, project } = entry;
    const hour = Math.floor(entry.receivedAt / HOUR_MS);
    const arrival = senderOf({ ...resource.names, workspace, project, signal: 'metrics', hour });
    const sender = { resource, entry, arrival, total: undefined, items: 0, bytes: 0 };
    this.#senders[number] = sender;
    return sender;
  }

  #each(entry: WalEntry, visit: VisitSample): void {
    const identities = this.#identities;
    const text = unpackScratch(entry.body);
    const reader = new SampleReader(text, entry.encoding === 'remote-write-1' ? 1 : 2, this.#walk);
    const filter = new ItemFilter(entry.refused);
    const tenant = identities.tenantOf(entry);
    this.#identified = undefined;
    let position = 0;
    let last = NO_KEY;
    while (reader.nextSeries(identities.after(last))) {
      let series = NO_KEY;
      while (reader.nextSample()) {
        const at = position++;
        if (!filter.accept()) continue;
        if (series === NO_KEY) {
          series = reader.isExpected ? identities.indexAfter(last) : this.#find(entry, tenant, reader, last);
        }
        visit(at, series, reader);
      }
      if (series !== NO_KEY) last = series;
    }
    if (!reader.isPlain) throw new Error('a remote-write request is not as it was when it was accepted');
  }

  #find(entry: WalEntry, tenant: number, reader: SampleReader, last: number): number {
    let body: Buffer | undefined;
    const series = this.#identities.find(tenant, reader, last, () => {
      const labels = this.#direct.read(reader);
      const target = labels && this.#identities.targets.get(`${tenant}/${labels.target}`);
      if (labels !== undefined && target !== undefined) {
        return this.#direct.identify(entry, labels, target.resource, target.scope);
      }
      body = keyToOtlp(reader.key.subarray(reader.keyStart, reader.keyEnd));
      const { identity, scope } = this.#identify(entry, body);
      const { resource } = identity;
      if (labels !== undefined) this.#identities.targets.set(`${tenant}/${labels.target}`, { resource, scope });
      return identity;
    });
    if (body !== undefined) this.#identified = { series, body };
    return series;
  }

  /** What the OTLP scan and transcoder make of the series, so that it is the same series whichever way it comes. */
  #identify(entry: WalEntry, body: Buffer): { identity: Identity; scope: ScopeContext } {
    let found: { identity: Identity; scope: ScopeContext } | undefined;
    eachMetric(entry, body, (reader, end, resource, scope) => {
      const start = reader.position;
      const { name } = readTexts(reader, end);
      const metric = Buffer.from(body.subarray(name.start, name.start + name.length));
      reader.position = start;
      this.#metrics.eachSeries(reader, end, entry, resource, scope, (low, high) => {
        found = { identity: { low, high, metric, resource }, scope };
      });
    });
    if (found === undefined) throw new Error('a series has no metric');
    return found;
  }

  #write(entry: WalEntry, series: number, resource: ResourceContext, reader: SampleReader): void {
    const identities = this.#identities;
    const { valueAt } = reader;
    if (reader.time < this.#dayStart || reader.time >= this.#dayStart + DAY_MS) {
      this.#dayStart = Math.floor(reader.time / DAY_MS) * DAY_MS;
      this.#partition = partitionOf(reader.time, entry.retentionDays);
    }
    const partition = this.#partition;
    if (identities.describedIn[series] !== partition) {
      this.#describe(entry, series, reader, partition);
      identities.describedIn[series] = partition;
    }
    const row = this.#points.begin(partition, this.#originOf(entry, resource.environment));
    const { columns } = this.#points;
    columns.metric.atIndex(row, this.#nameIndex(columns, identities.metric[series] as number));
    columns.series.at(row).uint64(identities.low[series] as number, identities.high[series] as number);
    columns.time.at(row).uint64(reader.timeLow | (reader.timeHigh << 28), reader.timeHigh >>> 4);
    if (reader.start > 0) columns.start_time.at(row).integer64(reader.start);
    if (valueAt < 0) return;
    const { bytes } = reader;
    const value = columns.value.at(row);
    if (isFinite64(bytes, valueAt)) value.copy(bytes, valueAt, 8);
    else if (isStale(bytes, valueAt)) {
      value.float64(Number.NaN);
      columns.no_recorded_value.at(row).uint8(1);
    } else value.float64(bytes.readDoubleLE(valueAt));
  }

  #originOf(entry: WalEntry, environment: Buffer): PointOrigin {
    const last = this.#origin;
    if (last?.entry === entry && last.environment === environment) return last;
    this.#origin = { entry, environment };
    return this.#origin;
  }

  #nameIndex({ metric: column }: PointColumns, metric: number): number {
    if (column.generation !== this.#nameGeneration) {
      this.#nameGeneration = column.generation;
      this.#nameIndexes = [];
    }
    const known = this.#nameIndexes[metric];
    if (known !== undefined) return known;
    const name = this.#identities.metrics[metric] as Buffer;
    const index = column.indexOf(name, 0, name.length);
    this.#nameIndexes[metric] = index;
    return index;
  }

  /** Writes the description of the series, unless it is known on that day. */
  #describe(entry: WalEntry, series: number, { key, keyStart, keyEnd, time }: SampleReader, partition: number): void {
    const { low, high } = this.#identities;
    if (this.#known.has(low[series] as number, high[series] as number, partition)) return;
    const last = this.#identified;
    const body = last?.series === series ? last.body : keyToOtlp(key.subarray(keyStart, keyEnd));
    eachMetric(entry, body, (reader, end, resource, scope) => {
      this.#metrics.describe(reader, end, entry, resource, scope, time);
    });
  }
}

function eachMetric(
  entry: WalEntry,
  body: Buffer,
  visit: (reader: WireReader, end: number, resource: ResourceContext, scope: ScopeContext) => void,
): void {
  let resource: ResourceContext | undefined;
  let scope: ScopeContext | undefined;
  const visitor: ItemVisitor = {
    resource: (context) => {
      resource = context;
    },
    scope: (context) => {
      scope = context;
    },
    item: (reader, end) => {
      if (resource !== undefined && scope !== undefined) visit(reader, end, resource, scope);
    },
    resourceEnd: () => {},
  };
  walkItems(new WireReader(body), entry, visitor);
}

/** Whether the double at `at` is neither infinite nor no number. */
function isFinite64(bytes: Buffer, at: number): boolean {
  return ((bytes[at + 7] as number) & 0x7f) !== 0x7f || ((bytes[at + 6] as number) & 0xf0) !== 0xf0;
}
