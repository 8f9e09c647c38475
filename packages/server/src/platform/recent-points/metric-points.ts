import type { RecentMetric, RecentSeries } from '@fanion/oql/recent';
import { spanOf, UNKNOWN_START } from '@fanion/series';
import { type StoredPoint, WireReader } from '@fanion/telemetry';
import type { SeriesRow } from './points-store.ts';

/** What a series takes beside its points: objects, and its texts, which come in rows of this length. */
const SERIES_BYTES = 600;
const BYTES_OF_TEXT = 3;
const FIRST_POINTS = 16;
/** How much columns grow: a block of points adds a few to each series, and free room is memory of others. */
const GROWTH = 1.25;
/** So far from the origin, a number of milliseconds still tells times apart that differ by half a nanosecond. */
const longestMs = 10 * 86_400_000;
/** Sums of larger values might overflow in one order of adding and not in another one, which the engine may use. */
const LARGEST = 1e290;

const nothing = { texts: new Map(), types: '' };
/** Until the row of a series comes. */
const NO_LABELS: RecentSeries['labels'] = { attributes: nothing, resource: nothing, own: nothing };

/** A series with its points by rising time, one for each time. */
class KeptSeries implements RecentSeries {
  project = 0;
  labels = NO_LABELS;
  times = new Float64Array(0);
  values = new Float64Array(0);
  starts = new Float64Array(0);
  count = 0;

  describe([, , project, environment, service, attributes, types, resource, resourceTypes]: SeriesRow): void {
    const own = new Map([['service', service]]);
    if (environment !== '') own.set('environment', environment);
    this.project = project;
    this.labels = {
      attributes: { texts: mapOf(attributes), types },
      resource: { texts: mapOf(resource), types: resourceTypes },
      own: { texts: own, types: '' },
    };
  }

  /**
   * Adds a point. Of copies, the one with the largest value counts, then the one with the latest start
   * (docs/decisions/0029-metric-points-are-exact-and-count-once.md). Times and starts are in milliseconds since the origin.
   */
  add(time: number, start: number, value: number): void {
    let at = this.count;
    if (at > 0 && time <= (this.times[at - 1] ?? 0)) at = spanOf(this, time, time).begin;
    const isCopy = at < this.count && this.times[at] === time;
    const [other, otherStart] = [this.values[at] ?? 0, this.starts[at] ?? 0];
    if (isCopy && (value < other || (value === other && start <= otherStart))) return;
    if (!isCopy) {
      if (this.count === this.times.length) this.#resize(Math.max(FIRST_POINTS, Math.ceil(this.count * GROWTH)));
      if (at < this.count)
        for (const column of [this.times, this.values, this.starts]) column.copyWithin(at + 1, at, this.count);
      this.count++;
    }
    this.times[at] = time;
    this.starts[at] = start;
    this.values[at] = value;
  }

  /** Drops the points before a time, and room that is not needed soon. */
  trim(fromMs: number): void {
    const first = spanOf(this, fromMs, fromMs).begin;
    if (first > 0) for (const column of [this.times, this.values, this.starts]) column.copyWithin(0, first, this.count);
    this.count -= first;
    if (this.count * GROWTH < this.times.length) this.#resize(Math.ceil(this.count * 1.125));
  }

  #resize(length: number): void {
    const resized = (old: Float64Array) => {
      const column = new Float64Array(length);
      column.set(old.subarray(0, this.count));
      return column;
    };
    this.times = resized(this.times);
    this.values = resized(this.values);
    this.starts = resized(this.starts);
  }
}

/** The engine finds the first one of equal keys. */
function mapOf([keys, texts]: readonly [readonly string[], readonly string[]]): Map<string, string> {
  return new Map(keys.map((key, i): [string, string] => [key, texts[i] ?? '']).reverse());
}

/** The recent points of one metric of one workspace. Points may come before the row of their series. */
export class MetricPoints implements RecentMetric {
  readonly originMs: number;
  readonly #series = new Map<bigint, KeptSeries>();
  #last: { readonly id: bigint; readonly series: KeptSeries } | undefined;
  #described = 0;
  #textBytes = 0;
  #fromMs: number;

  /** @param fromMs all points from then on are added; others are left out */
  constructor(fromMs: number) {
    this.#fromMs = this.originMs = fromMs;
  }

  /** All points since then are here; milliseconds since the epoch. */
  get fromMs(): number {
    return this.#fromMs;
  }

  /** Whether the rows of all series have come. */
  get isDescribed(): boolean {
    return this.#described === this.#series.size;
  }

  get series(): Iterable<RecentSeries> {
    return this.#series.values();
  }

  /** Bytes that it takes, approximately. */
  get bytes(): number {
    let points = 0;
    for (const { times } of this.#series.values()) points += times.length;
    return BYTES_OF_TEXT * this.#textBytes + SERIES_BYTES * this.#series.size + 3 * 8 * points;
  }

  #seriesOf(id: bigint): KeptSeries {
    // Neighboring points are mostly of the same series where they are read.
    if (this.#last?.id === id) return this.#last.series;
    const series = this.#series.get(id) ?? new KeptSeries();
    this.#series.set(id, series);
    this.#last = { id, series };
    return series;
  }

  /** Adds the labels of series: rows of `readSeries`. @returns false if one has other points than numbers that add up */
  describe(rows: Buffer): boolean {
    const reader = new WireReader(rows);
    while (reader.position < rows.length) {
      const length = reader.varint();
      reader.position += length;
      const row: SeriesRow = JSON.parse(rows.toString('utf8', reader.position - length, reader.position));
      const [id, isOfNumbers] = row;
      if (isOfNumbers === 0) return false;
      const series = this.#seriesOf(BigInt(id));
      if (series.labels !== NO_LABELS) continue;
      series.describe(row);
      this.#described++;
      this.#textBytes += length;
    }
    return true;
  }

  /**
   * Adds a point of a time that is kept.
   * @returns false if it cannot be here, so that not all are: a number rounds it, sums may depend on it, or it is too late for the origin
   */
  add({ series, time, nanos, start, startNanos, value, isRounded }: StoredPoint): boolean {
    if (time < this.#fromMs) return true;
    if (isRounded || !(Math.abs(value) < LARGEST) || time - this.originMs > longestMs) return false;
    const since = start === 0 && startNanos === 0 ? UNKNOWN_START : start - this.originMs + startNanos / 1e6;
    this.#seriesOf(series).add(time - this.originMs + nanos / 1e6, since, value);
    return true;
  }

  /** Drops points before a time, which is no longer before {@link MetricPoints.fromMs} then, and room that is not needed soon. */
  trim(fromMs: number): void {
    this.#fromMs = Math.max(this.#fromMs, fromMs);
    for (const series of this.#series.values()) series.trim(this.#fromMs - this.originMs);
  }
}
