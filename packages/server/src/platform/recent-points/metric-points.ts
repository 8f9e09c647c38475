import { type RecentSeries, UNKNOWN_START } from '@fanion/oql/recent';
import { descriptionsOf, POINT_BYTES, type SeriesDescription } from '@fanion/telemetry';
import type { HiddenPlace } from '../scoped-telemetry.ts';
import { SeriesIndex } from './series-index.ts';
import { SeriesPoints } from './series-points.ts';

/** What a series takes beside its points: objects, and its texts, which it has as bytes of a row. */
const SERIES_BYTES = 600;
const BYTES_OF_TEXT = 3;
/** So far from the origin, a number of milliseconds still tells times apart that differ by half a nanosecond. */
const longestMs = 10 * 86_400_000;

/** A series with its points, in the form that questions are answered from. */
class KeptSeries implements RecentSeries {
  points = new SeriesPoints();
  readonly days = new Set<number>();
  readonly series: bigint;
  readonly project: number;
  readonly environment: string;
  readonly kind: string;
  readonly temporality: string;
  readonly attributes: ReadonlyMap<string, string>;
  attributeTypes = '';
  readonly resource: ReadonlyMap<string, string>;
  resourceTypes = '';
  readonly service: string;
  readonly originMs: number;

  constructor(description: SeriesDescription, originMs: number) {
    this.originMs = originMs;
    this.series = description.series;
    this.project = description.project;
    this.environment = description.environment;
    this.kind = description.kind;
    this.temporality = description.temporality;
    this.attributes = description.attributes;
    this.resource = description.resource;
    this.service = description.service;
    this.addDay(description);
  }

  /** Rows of before have no types; those that have any have the same ones, since they decide the series. */
  addDay({ day, attributeTypes, resourceTypes }: SeriesDescription): void {
    this.days.add(day);
    if (attributeTypes > this.attributeTypes) this.attributeTypes = attributeTypes;
    if (resourceTypes > this.resourceTypes) this.resourceTypes = resourceTypes;
  }

  get count(): number {
    return this.points.count;
  }
  get times(): Float64Array {
    return this.points.times;
  }
  get values(): Float64Array {
    return this.points.values;
  }
  get starts(): Float64Array {
    return this.points.starts;
  }
}

/** The recent points of one metric of one workspace. */
export class MetricPoints {
  readonly #index = new SeriesIndex();
  readonly #series: KeptSeries[] = [];
  readonly #unsettled = new Set<KeptSeries>();
  #fromMs: number;
  readonly #originMs: number;
  #describedBytes = 0;
  #pointBytes = 0;

  /** @param fromMs all points from then on are added; others are left out */
  constructor(fromMs: number) {
    this.#fromMs = this.#originMs = fromMs;
  }

  /** All points since then are here; milliseconds since the epoch. */
  get fromMs(): number {
    return this.#fromMs;
  }

  /** Bytes that it takes, approximately. */
  get bytes(): number {
    return this.#describedBytes + this.#pointBytes;
  }

  /** Adds series, and days of known ones: rows of `metric_series` in RowBinary. */
  describe(rows: Uint8Array): void {
    const described = descriptionsOf(rows);
    for (const description of described) {
      const low = Number(description.series & 0xffff_ffffn);
      const high = Number(description.series >> 32n);
      const known = this.#series[this.#index.find(low, high, 0)];
      known?.addDay(description);
      if (known !== undefined) continue;
      this.#index.add(low, high);
      this.#series.push(new KeptSeries(description, this.#originMs));
      this.#describedBytes += SERIES_BYTES + (BYTES_OF_TEXT * rows.length) / described.length;
    }
  }

  /**
   * Adds points as `pointsIn` gives them.
   * @returns false if points cannot be here, so that not all are: of a series that is not described, with an integer that a number rounds, or
   *   too late for the origin
   */
  append(rows: Uint8Array): boolean {
    const view = new DataView(rows.buffer, rows.byteOffset, rows.byteLength);
    let guess = 0;
    for (let at = 0; at < rows.length; at += POINT_BYTES) {
      const time = int64At(view, at + 8);
      if (time < this.#fromMs) continue;
      const isRounded = view.getUint32(at + 32, true) !== 0 || view.getUint32(at + 36, true) !== 0;
      if (isRounded || time - this.#originMs > longestMs) return false;
      const index = this.#index.find(view.getUint32(at, true), view.getUint32(at + 4, true), guess);
      const series = this.#series[index];
      if (series === undefined) return false;
      // The next point is of the same series where they were read, and of the next one where they were sent.
      const next = at + POINT_BYTES;
      const isSame =
        next < rows.length &&
        view.getUint32(next, true) === view.getUint32(at, true) &&
        view.getUint32(next + 4, true) === view.getUint32(at + 4, true);
      guess = isSame ? index : index + 1;
      const { points } = series;
      const before = points.bytes;
      const start = int64At(view, at + 16);
      const startNanos = view.getUint32(at + 44, true);
      points.add(
        time - this.#originMs + view.getUint32(at + 40, true) / 1e6,
        start === 0 && startNanos === 0 ? UNKNOWN_START : start - this.#originMs + startNanos / 1e6,
        view.getFloat64(at + 24, true),
      );
      this.#pointBytes += points.bytes - before;
      if (points.isUnsettled) this.#unsettled.add(series);
    }
    return true;
  }

  /** All series, their points in order. */
  series(): readonly RecentSeries[] {
    for (const series of this.#unsettled) this.#changed(series, () => series.points.settle());
    this.#unsettled.clear();
    return this.#series;
  }

  /** Drops points before a time, which is no longer before {@link MetricPoints.fromMs} then. */
  trim(fromMs: number): void {
    if (fromMs <= this.#fromMs) return;
    this.#fromMs = fromMs;
    for (const series of this.#series) this.#changed(series, () => series.points.trim(fromMs - this.#originMs));
    this.#unsettled.clear();
  }

  /**
   * Drops the points of a removed place. Its series stay, since points of them may still come.
   * @returns false if nothing else is here, or points of before and after the removal of an environment are in one series
   */
  remove(place: HiddenPlace): boolean {
    for (const series of this.#series) {
      if (!isOf(series, place) || isSince(series, place)) continue;
      if (place.before !== undefined) return false;
      this.#changed(series, () => {
        series.points = new SeriesPoints();
      });
      this.#unsettled.delete(series);
    }
    return this.#series.some(({ count }) => count > 0);
  }

  /** Gives up room that is not needed soon. */
  fit(): void {
    for (const series of this.#series) this.#changed(series, () => series.points.fit());
  }

  #changed(series: KeptSeries, change: () => void): void {
    const before = series.points.bytes;
    change();
    this.#pointBytes += series.points.bytes - before;
  }
}

/** Whether a series is of a place. */
export function isOf(series: RecentSeries, { project, environment }: HiddenPlace): boolean {
  return series.project === project && (environment === undefined || series.environment === environment);
}

/** Whether all points of a series are of after the removal of its place. */
export function isSince({ times, count, originMs }: RecentSeries, { before }: HiddenPlace): boolean {
  return before !== undefined && (count === 0 || originMs + (times[0] as number) >= before * 1000);
}

/** Whole milliseconds, which a double holds exactly. */
function int64At(view: DataView, at: number): number {
  return view.getInt32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
}
