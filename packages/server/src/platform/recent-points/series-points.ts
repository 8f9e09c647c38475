const FIRST_POINTS = 16;
/** How much an array grows: a block of points adds a few to each series, and free room is memory of others. */
const GROWTH = 1.25;

/** The points of one series by rising time, one for each time. Of copies the winner is kept, see {@link wins}. */
export class SeriesPoints {
  times: Float64Array = new Float64Array(0);
  values: Float64Array = new Float64Array(0);
  starts: Float64Array = new Float64Array(0);
  count = 0;
  /** Points that came after later ones: time, start and value of each. */
  #late: number[] = [];

  /** Bytes that it takes. */
  get bytes(): number {
    return 3 * 8 * (this.times.length + this.#late.length / 3);
  }

  /**
   * Adds a point. It may be in no place yet until {@link SeriesPoints.settle}.
   * @param time milliseconds since some origin, as `start`
   */
  add(time: number, start: number, value: number): void {
    const last = this.count - 1;
    if (last >= 0 && time <= (this.times[last] as number)) {
      if (time === this.times[last]) this.#meet(last, start, value);
      else this.#late.push(time, start, value);
      return;
    }
    if (this.count === this.times.length) this.#resize(Math.max(FIRST_POINTS, Math.ceil(this.count * GROWTH)));
    this.times[this.count] = time;
    this.starts[this.count] = start;
    this.values[this.count] = value;
    this.count++;
  }

  /** Whether {@link SeriesPoints.settle} has something to do. */
  get isUnsettled(): boolean {
    return this.#late.length > 0;
  }

  /** Puts late points in their places. */
  settle(): void {
    if (!this.isUnsettled) return;
    const late = this.#late;
    this.#late = [];
    const order = Array.from({ length: late.length / 3 }, (_, i) => 3 * i);
    order.sort((a, b) => (late[a] as number) - (late[b] as number));
    const added = new SeriesPoints();
    for (const at of order) {
      const [time, start, value] = late.slice(at, at + 3) as [number, number, number];
      const known = this.#indexOf(time);
      if (this.times[known] === time && known < this.count) this.#meet(known, start, value);
      else added.add(time, start, value);
    }
    this.#merge(added);
  }

  /** Drops the points before a time, counted from the same origin. */
  trim(fromMs: number): void {
    this.settle();
    const first = this.#indexOf(fromMs);
    if (first === 0) return;
    const kept = this.count - first;
    for (const column of [this.times, this.values, this.starts]) column.copyWithin(0, first, this.count);
    this.count = kept;
    if (kept * 2 < this.times.length) this.fit();
  }

  /** Gives up room that is not needed soon. */
  fit(): void {
    this.#resize(this.count + Math.ceil(this.count / 8));
  }

  /** The first position whose time is not before this one. */
  #indexOf(time: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.times[middle] as number) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #meet(at: number, start: number, value: number): void {
    if (!wins(value, start, this.values[at] as number, this.starts[at] as number)) return;
    this.values[at] = value;
    this.starts[at] = start;
  }

  /** Merges points of other times, from the end, so that none is overwritten before it has moved. */
  #merge(added: SeriesPoints): void {
    let from = this.count - 1;
    let other = added.count - 1;
    let to = from + added.count;
    if (to >= this.times.length) this.#resize(Math.ceil((to + 1) * GROWTH));
    this.count = to + 1;
    for (; other >= 0; to--) {
      const isOther = from < 0 || (added.times[other] as number) > (this.times[from] as number);
      const source = isOther ? added : this;
      const at = isOther ? other-- : from--;
      this.times[to] = source.times[at] as number;
      this.values[to] = source.values[at] as number;
      this.starts[to] = source.starts[at] as number;
    }
  }

  #resize(length: number): void {
    this.times = resized(this.times, length, this.count);
    this.values = resized(this.values, length, this.count);
    this.starts = resized(this.starts, length, this.count);
  }
}

/**
 * Whether a point counts instead of a copy of it: the one with the largest value does, then the one with the latest start. As in the engine,
 * any number is larger than NaN (docs/decisions/0029-metric-points-are-exact-and-count-once.md).
 */
export function wins(value: number, start: number, overValue: number, overStart: number): boolean {
  const [isMissing, isOverMissing] = [Number.isNaN(value), Number.isNaN(overValue)];
  if (isMissing !== isOverMissing) return isOverMissing;
  if (isMissing || value === overValue) return start > overStart;
  return value > overValue;
}

function resized(old: Float64Array, length: number, count: number): Float64Array {
  const array = new Float64Array(length);
  array.set(old.subarray(0, count));
  return array;
}
