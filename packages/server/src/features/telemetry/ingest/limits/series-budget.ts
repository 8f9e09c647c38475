const DAY_MS = 86_400_000;
/** Projects of a day that are remembered. */
const MAX_PROJECTS = 10_000;

/** Why points are refused that would begin another series. */
export const SERIES_LIMIT_REASON = 'the series is new, and the project has as many of them today as it may have';

/**
 * How many series each project has begun today, as the transcoder tells after the fact. That is cheap and never too
 * low, so it decides from when on the points of a project are looked at one by one before they are accepted. Points that
 * wait for the transcoder count as well: it is far behind when the store is slow, and tells nothing when that is away.
 */
export class SeriesBudget {
  readonly #perDay: number;
  #day = 0;
  #begun = new Map<number, number>();
  #waiting = new Map<number, number>();

  constructor(perDay: number) {
    this.#perDay = perDay;
  }

  add(project: number, count: number, now: number): void {
    this.#turn(now);
    put(this.#begun, project, count);
  }

  /** Points that were accepted, and whose series are not known yet. */
  accepted(project: number, points: number, now: number): void {
    this.#turn(now);
    put(this.#waiting, project, points);
  }

  /** Points whose series have been told. */
  transcoded(project: number, points: number): void {
    const waiting = this.#waiting.get(project);
    if (waiting === undefined) return;
    if (waiting > points) this.#waiting.set(project, waiting - points);
    else this.#waiting.delete(project);
  }

  /** Whether the project has used half of its budget, or may use all of it by what waits: from here on each series is looked at. */
  isNear(project: number, now: number): boolean {
    this.#turn(now);
    const begun = this.#begun.get(project) ?? 0;
    return begun * 2 >= this.#perDay || (this.#waiting.get(project) ?? 0) >= this.#perDay;
  }

  #turn(now: number): void {
    const day = Math.floor(now / DAY_MS);
    if (day === this.#day) return;
    this.#day = day;
    this.#begun = new Map();
    this.#waiting = new Map();
  }
}

function put(counts: Map<number, number>, project: number, more: number): void {
  const count = counts.get(project);
  if (count === undefined && counts.size === MAX_PROJECTS) return;
  counts.set(project, (count ?? 0) + more);
}
