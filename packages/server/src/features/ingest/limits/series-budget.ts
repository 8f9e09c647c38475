const DAY_MS = 86_400_000;
/** Projects of a day that are remembered. */
const MAX_PROJECTS = 10_000;

/** Why points are refused that would begin another series. */
export const SERIES_LIMIT_REASON = 'the series is new, and the project has as many of them today as it may have';

/**
 * How many series each project has begun today, as the transcoder tells after the fact. That is cheap and never too
 * low, so it decides from when on the points of a project are looked at one by one before they are accepted.
 */
export class SeriesBudget {
  readonly #perDay: number;
  #day = 0;
  #begun = new Map<number, number>();

  constructor(perDay: number) {
    this.#perDay = perDay;
  }

  add(project: number, count: number, now: number): void {
    this.#turn(now);
    const begun = this.#begun.get(project);
    if (begun === undefined && this.#begun.size === MAX_PROJECTS) return;
    this.#begun.set(project, (begun ?? 0) + count);
  }

  /** Whether the project has used half of its budget: from here on each series is looked at. */
  isNear(project: number, now: number): boolean {
    this.#turn(now);
    return (this.#begun.get(project) ?? 0) * 2 >= this.#perDay;
  }

  #turn(now: number): void {
    const day = Math.floor(now / DAY_MS);
    if (day === this.#day) return;
    this.#day = day;
    this.#begun = new Map();
  }
}
