import type { WalEntry } from '../entry.ts';
import { exemplar, metric, metricData } from '../wire/fields.ts';
import { millisAt, nanosAfter, type WireReader } from '../wire/reader.ts';
import { Attributes } from './attributes.ts';
import type { TableRows } from './block.ts';
import type { ResourceContext, ScopeContext } from './context.ts';
import { writeDistribution } from './distribution.ts';
import { Hash64 } from './hash.ts';
import type { ItemFilter } from './item-filter.ts';
import { NO_KEY, wordsOf } from './key-table.ts';
import { type MetricTexts, readTexts } from './metric-texts.ts';
import type { PointColumns, PointOrigin } from './native/forms.ts';
import type { TableColumns } from './native/table.ts';
import { PlainPoint } from './plain-point.ts';
import {
  PointParts,
  readExponentialPoint,
  readHistogramPoint,
  readNumberPoint,
  readSummaryPoint,
  sfixed64At,
} from './points.ts';
import { DAY_MS, partitionOf, writeTenant } from './row-parts.ts';
import { RowWriter } from './row-writer.ts';
import type { SeriesCache } from './series-cache.ts';

/** The five kinds of data, numbered as in the column `kind`. */
const kinds = new Map<number, { number: number; read: typeof readNumberPoint }>([
  [metric.gauge, { number: 0, read: readNumberPoint }],
  [metric.sum, { number: 1, read: readNumberPoint }],
  [metric.histogram, { number: 2, read: readHistogramPoint }],
  [metric.exponentialHistogram, { number: 3, read: readExponentialPoint }],
  [metric.summary, { number: 4, read: readSummaryPoint }],
]);
type Kind = NonNullable<ReturnType<typeof kinds.get>>;
const LAST_NUMBER_KIND = 1;
const CUMULATIVE = 2;

export interface MetricTables {
  series: TableRows;
  points: TableColumns<PointColumns, PointOrigin>;
  histograms: TableRows;
  exemplars: TableRows;
}

/** No dictionary has this number. */
const NO_GENERATION = -1;

/** Writes metrics that have passed the scan: the series that are new today, and all points. */
export class MetricTranscoder {
  readonly #tables: MetricTables;
  readonly #known: SeriesCache;
  readonly #attributes = new Attributes();
  readonly #inner = new Attributes();
  readonly #parts = new PointParts();
  readonly #plain = new PlainPoint();
  #viewed: { bytes: Buffer | undefined; words: DataView } = { bytes: undefined, words: wordsOf(Buffer.alloc(0)) };
  readonly #hash = new Hash64();
  readonly #scratch = new Hash64();
  /** tenant and metric name in RowBinary: how the row of each point begins. */
  readonly #prefix = new RowWriter();
  #prefixBytes: Buffer = Buffer.alloc(0);
  /** kind, temporality, monotonic, unit, description: what follows the id in a series row. */
  readonly #description = new RowWriter();
  #descriptionBytes: Buffer = Buffer.alloc(0);
  #origin: PointOrigin | undefined;
  /** The name of the metric in the dictionary of the block of points. */
  #nameIndex = 0;
  #nameGeneration = NO_GENERATION;

  constructor(tables: MetricTables, known: SeriesCache) {
    this.#tables = tables;
    this.#known = known;
  }

  /** Series of each project that were new. */
  readonly begun = new Map<number, number>();

  /** Describes the series of a metric's one point on the day of `time`, if it is new there; the point is not written. */
  describe(
    reader: WireReader,
    end: number,
    entry: WalEntry,
    resource: ResourceContext,
    scope: ScopeContext,
    time: number,
  ): void {
    const start = reader.position;
    const texts = readTexts(reader, end);
    reader.position = start;
    this.#writePrefix(reader, texts, entry, resource);
    this.eachSeries(reader, end, entry, resource, scope, (low, high) => {
      this.#describeNew(reader, low, high, time, entry, resource, scope);
    });
  }

  /** Tells of each point which series it is of; nothing is written. */
  eachSeries(
    reader: WireReader,
    end: number,
    entry: WalEntry,
    resource: ResourceContext,
    scope: ScopeContext,
    visit: (low: number, high: number, timeAt: number) => void,
  ): void {
    const start = reader.position;
    const texts = readTexts(reader, end);
    reader.position = start;
    while (reader.position < end) {
      const tag = reader.tag();
      const kind = kinds.get(tag);
      if (kind === undefined) {
        reader.skip(tag, end);
        continue;
      }
      const stop = reader.enter(end);
      this.#describe(reader, stop, kind, texts, entry, resource, scope);
      const { low, high } = this.#hash;
      while (reader.position < stop) {
        const inner = reader.tag();
        if (inner !== metricData.points) {
          reader.skip(inner, stop);
          continue;
        }
        const pointEnd = reader.enter(stop);
        this.#hash.low = low;
        this.#hash.high = high;
        this.#readPoint(reader, pointEnd, kind);
        visit(this.#hash.low, this.#hash.high, this.#parts.timeAt);
        reader.position = pointEnd;
      }
    }
  }

  /** @returns how many points were written. */
  write(
    reader: WireReader,
    end: number,
    entry: WalEntry,
    resource: ResourceContext,
    scope: ScopeContext,
    filter: ItemFilter,
  ): number {
    const start = reader.position;
    const texts = readTexts(reader, end);
    this.#writePrefix(reader, texts, entry, resource);
    const origin = this.#originOf(entry, resource);
    this.#nameGeneration = NO_GENERATION;
    this.#known.fingerprints.describedSince(this.#known.generation);
    let written = 0;
    reader.position = start;
    while (reader.position < end) {
      const tag = reader.tag();
      const kind = kinds.get(tag);
      if (kind === undefined) {
        reader.skip(tag, end);
        continue;
      }
      const stop = reader.enter(end);
      this.#describe(reader, stop, kind, texts, entry, resource, scope);
      const { low: seedLow, high: seedHigh } = this.#hash;
      while (reader.position < stop) {
        const inner = reader.tag();
        if (inner !== metricData.points) {
          reader.skip(inner, stop);
          continue;
        }
        const pointEnd = reader.enter(stop);
        if (filter.accept()) {
          this.#hash.low = seedLow;
          this.#hash.high = seedHigh;
          if (!this.#writePlain(reader, pointEnd, kind, texts, origin, resource, scope)) {
            this.#writePoint(reader, pointEnd, kind, texts, origin, resource, scope);
          }
          written++;
        }
        reader.position = pointEnd;
      }
    }
    return written;
  }

  #writePrefix({ bytes }: WireReader, { name }: MetricTexts, entry: WalEntry, resource: ResourceContext): void {
    this.#prefix.length = 0;
    writeTenant(this.#prefix, entry, resource);
    this.#prefix.string(bytes, name.start, name.length);
    this.#prefixBytes = this.#prefix.bytes.subarray(0, this.#prefix.length);
  }

  /** The same object for points that have it in common. */
  #originOf(entry: WalEntry, { environment }: ResourceContext): PointOrigin {
    const last = this.#origin;
    if (last !== undefined && last.entry === entry && last.environment.equals(environment)) return last;
    this.#origin = { entry, environment };
    return this.#origin;
  }

  /** Prepares what the series of one metric share: their description, and the hash that their ids begin with. */
  #describe(
    reader: WireReader,
    end: number,
    kind: Kind,
    texts: MetricTexts,
    entry: WalEntry,
    resource: ResourceContext,
    scope: ScopeContext,
  ): void {
    const { bytes } = reader;
    const start = reader.position;
    let temporality = 0;
    let monotonic = 0;
    while (reader.position < end) {
      const tag = reader.tag();
      if (tag === metricData.temporality) temporality = reader.varint();
      else if (tag === metricData.monotonic) monotonic = reader.varint() === 0 ? 0 : 1;
      else reader.skip(tag, end);
    }
    reader.position = start;
    const validTemporality = temporality > CUMULATIVE ? 0 : temporality;

    const row = this.#description;
    row.length = 0;
    row.reserve(3);
    row.uint8(kind.number);
    row.uint8(validTemporality);
    row.uint8(monotonic);
    row.string(bytes, texts.unit.start, texts.unit.length);
    row.string(bytes, texts.description.start, texts.description.length);
    this.#descriptionBytes = row.bytes.subarray(0, row.length);

    const hash = this.#hash;
    hash.reset(3);
    hash.word(entry.project);
    hash.bytes(resource.environment, 0, resource.environment.length);
    hash.bytes(bytes, texts.name.start, texts.name.start + texts.name.length);
    hash.bytes(bytes, texts.unit.start, texts.unit.start + texts.unit.length);
    hash.word(kind.number * 16 + validTemporality * 2 + monotonic);
    hash.word(resource.hashLow);
    hash.word(resource.hashHigh);
    hash.word(scope.hashLow);
    hash.word(scope.hashHigh);
  }

  /** Reads the parts of a point, and finishes the hash of its series. */
  #readPoint(reader: WireReader, end: number, kind: Kind): void {
    this.#attributes.clear();
    this.#parts.clear();
    kind.read(reader, end, this.#parts, this.#attributes);
    this.#attributes.hash(reader.bytes, this.#scratch, this.#hash);
    this.#hash.finish();
  }

  /** Writes the description of the series whose point was read last, if it is new in the partition; returns that. */
  #describeNew(
    reader: WireReader,
    low: number,
    high: number,
    time: number,
    entry: WalEntry,
    resource: ResourceContext,
    scope: ScopeContext,
  ): number {
    const partition = partitionOf(time, entry.retentionDays);
    if (this.#known.add(low, high, partition)) {
      this.begun.set(entry.project, (this.begun.get(entry.project) ?? 0) + 1);
      this.#writeSeries(reader, time, partition, resource, scope);
    }
    return partition;
  }

  #writePoint(
    reader: WireReader,
    end: number,
    kind: Kind,
    texts: MetricTexts,
    origin: PointOrigin,
    resource: ResourceContext,
    scope: ScopeContext,
  ): void {
    const { bytes } = reader;
    const { entry } = origin;
    const parts = this.#parts;
    this.#readPoint(reader, end, kind);
    const { low, high } = this.#hash;
    const time = millisAt(bytes, parts.timeAt);
    const partition = this.#describeNew(reader, low, high, time, entry, resource, scope);
    if (kind.number <= LAST_NUMBER_KIND) this.#writeNumber(bytes, time, partition, texts, origin);
    else {
      const { histograms } = this.#tables;
      const { row } = histograms;
      histograms.begin(partition);
      row.encoded(this.#prefixBytes);
      row.reserve(64);
      row.uint64(low, high);
      row.integer64(time);
      const start = parts.startAt < 0 ? 0 : millisAt(bytes, parts.startAt);
      row.integer64(start);
      writeDistribution(row, bytes, parts);
      row.reserve(8);
      row.uint32(nanosAfter(bytes, parts.timeAt, time));
      row.uint32(parts.startAt < 0 ? 0 : nanosAfter(bytes, parts.startAt, start));
    }
    if (parts.exemplars.length > 0) this.#writeExemplars(reader, time, parts.timeAt, entry.retentionDays);
  }

  /** Begins the row of a number point; what is left of it is its value. */
  #beginNumber(
    bytes: Buffer,
    low: number,
    high: number,
    time: number,
    { timeAt, startAt }: Pick<PointParts, 'timeAt' | 'startAt'>,
    partition: number,
    { name }: MetricTexts,
    origin: PointOrigin,
  ): number {
    const { points } = this.#tables;
    const row = points.begin(partition, origin);
    const { columns } = points;
    if (columns.metric.generation !== this.#nameGeneration) {
      this.#nameGeneration = columns.metric.generation;
      this.#nameIndex = columns.metric.indexOf(bytes, name.start, name.length);
    }
    columns.metric.atIndex(row, this.#nameIndex);
    columns.series.at(row).uint64(low, high);
    columns.time.at(row).integer64(time);
    const nanos = nanosAfter(bytes, timeAt, time);
    if (nanos !== 0) columns.nanos.at(row).uint32(nanos);
    if (startAt < 0) return row;
    const start = millisAt(bytes, startAt);
    columns.start_time.at(row).integer64(start);
    const startNanos = nanosAfter(bytes, startAt, start);
    if (startNanos !== 0) columns.start_nanos.at(row).uint32(startNanos);
    return row;
  }

  #writeNumber(bytes: Buffer, time: number, partition: number, texts: MetricTexts, origin: PointOrigin): void {
    const parts = this.#parts;
    const row = this.#beginNumber(bytes, this.#hash.low, this.#hash.high, time, parts, partition, texts, origin);
    const { columns } = this.#tables.points;
    const isMissing = parts.noRecordedValue || !parts.hasValue;
    columns.value.at(row).float64(isMissing ? Number.NaN : parts.value);
    if (isMissing) columns.no_recorded_value.at(row).uint8(1);
    else if (parts.integerAt >= 0) columns.integer.at(row).copy(bytes, parts.integerAt, 8);
  }

  /** Writes a number point that is plain, by what is remembered of its series; false for any other, which is then as it was. */
  #writePlain(
    reader: WireReader,
    end: number,
    kind: Kind,
    texts: MetricTexts,
    origin: PointOrigin,
    resource: ResourceContext,
    scope: ScopeContext,
  ): boolean {
    const { bytes, position } = reader;
    const point = this.#plain;
    if (kind.number > LAST_NUMBER_KIND || !point.read(bytes, position, end)) return false;
    const { fingerprints } = this.#known;
    const { low: ownerLow, high: ownerHigh } = this.#hash;
    const words = this.#wordsOf(bytes);
    let series = fingerprints.find(ownerLow, ownerHigh, words, point.attributesStart, point.attributesEnd);
    const time = millisAt(bytes, point.timeAt);
    const partition = partitionOf(time, origin.entry.retentionDays);
    if (series === NO_KEY || fingerprints.describedIn[series] !== partition) {
      this.#readPoint(reader, end, kind);
      const { low, high } = this.#hash;
      if (series === NO_KEY) series = fingerprints.add(ownerLow, ownerHigh, bytes, words, point, low, high);
      this.#describeNew(reader, low, high, time, origin.entry, resource, scope);
      fingerprints.describedIn[series] = partition;
    }
    const low = fingerprints.low[series] as number;
    const high = fingerprints.high[series] as number;
    const row = this.#beginNumber(bytes, low, high, time, point, partition, texts, origin);
    const { columns } = this.#tables.points;
    const value = columns.value.at(row);
    if (point.noRecordedValue || point.valueAt < 0) {
      value.float64(Number.NaN);
      columns.no_recorded_value.at(row).uint8(1);
    } else if (point.isInteger) {
      const integer = sfixed64At(bytes, point.valueAt);
      value.float64(integer);
      if (!Number.isSafeInteger(integer)) columns.integer.at(row).copy(bytes, point.valueAt, 8);
    } else value.copy(bytes, point.valueAt, 8);
    return true;
  }

  /** A view of the body of an entry, made once for it. */
  #wordsOf(bytes: Buffer): DataView {
    if (this.#viewed.bytes !== bytes) this.#viewed = { bytes, words: wordsOf(bytes) };
    return this.#viewed.words;
  }

  #writeSeries(
    reader: WireReader,
    time: number,
    partition: number,
    resource: ResourceContext,
    scope: ScopeContext,
  ): void {
    const { series } = this.#tables;
    const { row } = series;
    series.begin(partition);
    // The columns begin with the tenant, then day, then the metric's name: the day goes into the middle of the prefix.
    const tenantLength = 10 + resource.environment.length;
    row.encoded(this.#prefixBytes.subarray(0, tenantLength));
    row.reserve(2);
    row.uint16(Math.floor(time / DAY_MS));
    row.encoded(this.#prefixBytes.subarray(tenantLength));
    row.reserve(8);
    row.uint64(this.#hash.low, this.#hash.high);
    row.encoded(this.#descriptionBytes);
    row.encoded(resource.service);
    row.encoded(scope.columns);
    row.encoded(resource.map);
    this.#attributes.writeText(reader, row);
    row.encoded(resource.about);
    row.encoded(scope.about);
    row.text(this.#attributes.types(reader.bytes));
  }

  #writeExemplars(reader: WireReader, pointTime: number, pointTimeAt: number, retentionDays: number): void {
    const { bytes } = reader;
    const { exemplars: rows } = this.#tables;
    const { low, high } = this.#hash;
    for (let i = 0; i < this.#parts.exemplars.length; i += 2) {
      const end = this.#parts.exemplars[i + 1] as number;
      let timeAt = -1;
      let value = Number.NaN;
      let integerAt = -1;
      let traceId = -1;
      let spanId = -1;
      this.#inner.clear();
      reader.position = this.#parts.exemplars[i] as number;
      while (reader.position < end) {
        const tag = reader.tag();
        const at = reader.position;
        if (tag === exemplar.attributes) {
          this.#inner.read(reader, reader.enter(end));
          continue;
        }
        reader.skip(tag, end);
        if (tag === exemplar.time) timeAt = at;
        else if (tag === exemplar.asDouble) {
          value = bytes.readDoubleLE(at);
          integerAt = -1;
        } else if (tag === exemplar.asInt) {
          value = sfixed64At(bytes, at);
          integerAt = Number.isSafeInteger(value) ? -1 : at;
        }
        // Ids of another length are no ids; the measurement is kept without them.
        else if (tag === exemplar.traceId) traceId = reader.position - at === 17 ? at + 1 : -1;
        else if (tag === exemplar.spanId) spanId = reader.position - at === 9 ? at + 1 : -1;
      }
      // An exemplar is found beside its point, so it stays in the point's partition whatever its own clock says.
      const ownTime = timeAt < 0 ? pointTime : millisAt(bytes, timeAt);
      const isNear = timeAt >= 0 && Math.abs(ownTime - pointTime) < DAY_MS;
      const time = isNear ? ownTime : pointTime;
      const { row } = rows;
      rows.begin(partitionOf(time, retentionDays));
      row.encoded(this.#prefixBytes);
      row.reserve(48);
      row.uint64(low, high);
      row.integer64(time);
      row.float64(value);
      if (traceId < 0) row.zeros(16);
      else row.copy(bytes, traceId, 16);
      if (spanId < 0) row.zeros(8);
      else row.copy(bytes, spanId, 8);
      this.#inner.writeText(reader, row);
      row.text(this.#inner.types(bytes));
      row.reserve(12);
      row.uint32(nanosAfter(bytes, isNear ? timeAt : pointTimeAt, time));
      if (integerAt < 0) row.zeros(8);
      else row.copy(bytes, integerAt, 8);
    }
  }
}
