import type { RecentSeries } from '@fanion/oql/recent';
import { descriptionsOf, POINT_BYTES, type SeriesDescription } from '@fanion/telemetry';
import { SeriesIndex } from './series-index.ts';
import { SeriesPoints } from './series-points.ts';

/** What a series takes beside its points: objects, and its texts, which it has as bytes of a row. */
const SERIES_BYTES = 600;
const BYTES_OF_TEXT = 3;

/** A series with its points, in the form that questions are answered from. */
class KeptSeries implements RecentSeries {
  readonly points = new SeriesPoints();
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

  constructor(description: SeriesDescription) {
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
  #describedBytes = 0;
  #pointBytes = 0;

  /** @param fromMs all points from then on are added; others are left out */
  constructor(fromMs: number) {
    this.#fromMs = fromMs;
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
      this.#series.push(new KeptSeries(description));
      this.#describedBytes += SERIES_BYTES + (BYTES_OF_TEXT * rows.length) / described.length;
    }
  }

  /**
   * Adds points as `pointsIn` gives them.
   * @returns false if a point is of a series that is not described: then not all points are here
   */
  append(rows: Uint8Array): boolean {
    const view = new DataView(rows.buffer, rows.byteOffset, rows.byteLength);
    let guess = 0;
    for (let at = 0; at < rows.length; at += POINT_BYTES) {
      const time = int64At(view, at + 8);
      if (time < this.#fromMs) continue;
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
      points.add(time, int64At(view, at + 16), view.getFloat64(at + 24, true));
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
    for (const series of this.#series) this.#changed(series, () => series.points.trim(fromMs));
    this.#unsettled.clear();
  }

  /** Gives up room that is not needed soon. */
  fit(): void {
    for (const series of this.#series) this.#changed(series, () => series.points.fit());
  }

  #changed({ points }: KeptSeries, change: () => void): void {
    const before = points.bytes;
    change();
    this.#pointBytes += points.bytes - before;
  }
}

/** Whole milliseconds, which a double holds exactly. */
function int64At(view: DataView, at: number): number {
  return view.getInt32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
}
