import { decimalText, type Labels, type SampleSeries } from '@fanion/promql';
import { namedLabels } from './series-rules.ts';

/** What was counted in one step, with the values of a family's labels. */
export interface Counted {
  readonly labels: readonly string[];
  /** The end of the step, in Unix milliseconds. */
  readonly at: number;
  readonly calls: number;
  readonly failed_calls?: number;
  readonly seconds?: number;
  /** For each bound of the family: calls that were not longer. */
  readonly within?: readonly number[];
}

export type CounterPart = 'calls' | 'failed' | 'sum' | 'bucket';

/** A metric of a family whose counts are made when it is read. */
export interface Counter {
  readonly name: string;
  readonly part: CounterPart;
  readonly labelNames: readonly string[];
  /** Upper bounds of buckets in seconds. */
  readonly bounds: readonly number[];
}

/**
 * Counters that begin at zero with the window, as those of a process that started then: increases and rates are those of what
 * was counted.
 * @param rows by their time
 */
export function countersOf(counter: Counter, rows: readonly Counted[], times: readonly number[]): SampleSeries[] {
  const groups = new Map<string, Counted[]>();
  for (const row of rows) {
    const key = JSON.stringify(row.labels);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [row]);
    else known.push(row);
  }
  const all = partsOf(counter);
  const at = Float64Array.from(times);
  return [...groups.values()].flatMap((group) =>
    all.map(({ label, of }) => ({
      labels: labelsOf(counter, group[0]?.labels ?? [], label),
      times: at,
      values: runningSum(group, of, times),
    })),
  );
}

interface Part {
  readonly label: readonly [name: string, value: string] | undefined;
  readonly of: (row: Counted) => number;
}

function partsOf({ part, bounds }: Counter): Part[] {
  switch (part) {
    case 'calls':
      return [{ label: undefined, of: ({ calls }) => calls }];
    case 'failed':
      return [{ label: undefined, of: ({ failed_calls = 0 }) => failed_calls }];
    case 'sum':
      return [{ label: undefined, of: ({ seconds = 0 }) => seconds }];
    case 'bucket':
      return [
        ...bounds.map((bound, at) => ({
          label: ['le', decimalText(bound)] as const,
          of: ({ within }: Counted) => within?.[at] ?? 0,
        })),
        { label: ['le', '+Inf'], of: ({ calls }) => calls },
      ];
  }
}

function labelsOf({ name, labelNames }: Counter, values: readonly string[], part: Part['label']): Labels {
  const pairs = labelNames.map((label, at) => [label, values[at] ?? ''] as const);
  return namedLabels(
    name,
    pairs.filter(([, value]) => value !== ''),
    part,
  );
}

function runningSum(rows: readonly Counted[], of: Part['of'], times: readonly number[]): Float64Array {
  const values = new Float64Array(times.length);
  let next = 0;
  let sum = 0;
  for (const [at, time] of times.entries()) {
    for (let row = rows[next]; row !== undefined && row.at <= time; row = rows[++next]) sum += of(row);
    values[at] = sum;
  }
  return values;
}
