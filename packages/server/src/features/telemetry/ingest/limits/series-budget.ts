const DAY_MS = 86_400_000;
/** Maximum number of projects remembered for a day. */
const MAX_PROJECTS = 10_000;

/** Why points that start another series are rejected. */
export const SERIES_LIMIT_REASON = 'the series is new, and the project has reached its limit of new series today';

/**
 * How many series each project has started today, as reported by the transcoder afterwards. This is cheap and never too
 * low, so it decides when the points of a project are checked one by one before they are accepted. Points that wait for
 * the transcoder count as well: it falls far behind when the store is slow, and reports nothing while the store is down.
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

  /** Adds accepted points whose series are not known yet. */
  accepted(project: number, points: number, now: number): void {
    this.#turn(now);
    put(this.#waiting, project, points);
  }

  /** Removes points whose series have been reported. */
  transcoded(project: number, points: number): void {
    const waiting = this.#waiting.get(project);
    if (waiting === undefined) return;
    if (waiting > points) this.#waiting.set(project, waiting - points);
    else this.#waiting.delete(project);
  }

  /** Whether the project has used half of its budget, or waiting points may use all of it: from then on each series is checked. */
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
