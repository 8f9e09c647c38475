/** Unix seconds. */
type Seconds = number;

const hour = 3600;
/** How long after its end an hour is rolled up, so that its points have arrived. */
const settleSeconds = 300;
/** What most runs look at; points that are later than this wait for the next run that looks at everything. */
const recentHours = 49;
/** Longer than any telemetry is kept. */
const allHours = 3650 * 24;

/** An hour of a metric in one environment whose roll-ups do not contain all of its points. */
export interface DueHour {
  readonly workspace: number;
  readonly project: number;
  readonly environment: string;
  readonly metric: string;
  /** When it begins. */
  readonly hour: Seconds;
  /** How many rows of points are stored. */
  readonly rows: number;
}

/** The hours that a run looks at, half-open. Each hour's first run looks at all. */
export function hoursToLookAt(nowSeconds: Seconds, everySeconds: number): { from: Seconds; to: Seconds } {
  const to = Math.floor((nowSeconds - settleSeconds) / hour) * hour;
  const isFirst = nowSeconds % hour < everySeconds;
  return { from: Math.max(0, to - (isFirst ? allHours : recentHours) * hour), to };
}

/** What one statement rolls up: hours of several metrics, or some of the series of one. */
export interface Portion {
  readonly workspace: number;
  readonly project: number;
  readonly environment: string;
  readonly hour: Seconds;
  readonly metrics: readonly { readonly metric: string; readonly rows: number }[];
  /** The series of a single metric are divided into so many statements. */
  readonly slices: number;
}

/** A statement holds the points that it reads in memory: 24 bytes each, several times. */
export const maxRowsOfPortion = 1_000_000;
const maxMetricsOfPortion = 500;

/** Divides hours into portions, in their order. */
export function portionsOf(due: readonly DueHour[]): Portion[] {
  const portions: {
    -readonly [K in keyof Portion]: K extends 'metrics' ? { metric: string; rows: number }[] : Portion[K];
  }[] = [];
  let rows = 0;
  for (const { metric, rows: own, ...place } of due) {
    const last = portions.at(-1);
    const fits =
      last !== undefined &&
      last.workspace === place.workspace &&
      last.project === place.project &&
      last.environment === place.environment &&
      last.hour === place.hour &&
      last.metrics.length < maxMetricsOfPortion &&
      rows + own <= maxRowsOfPortion;
    if (fits) {
      last.metrics.push({ metric, rows: own });
      rows += own;
    } else {
      portions.push({ ...place, metrics: [{ metric, rows: own }], slices: Math.ceil(own / maxRowsOfPortion) });
      rows = own;
    }
  }
  return portions;
}
