import type { Labels } from '@fanion/promql';
import { createBreath } from '../../../platform/breath.ts';
import { formatNs } from '../../../platform/time-window.ts';
import { storable } from '../../read/window.ts';
import { knownKeys, type Reader } from './lines.ts';
import type { RangeAggregate, Stage } from './logql/ast.ts';
import { LogqlError } from './logql/error.ts';
import type { Grid } from './parameter-rules.ts';
import { labelExpression, labelsNamed, pushDown } from './push-rules.ts';

/** How lines are counted in the store: in cells of time of one width, of which a range has some. */
interface Cells {
  readonly widthNs: bigint;
  /** The first cell is after this time. */
  readonly originNs: bigint;
  readonly perRange: number;
  readonly count: number;
}

/** Undefined where ranges are not whole numbers of steps. */
function cellsOf({ rangeNs, offsetNs }: RangeAggregate, { startNs, stepNs, count }: Grid): Cells | undefined {
  const widthNs = count === 1 ? rangeNs : stepNs;
  if (rangeNs % widthNs !== 0n) return undefined;
  const perRange = Number(rangeNs / widthNs);
  return { widthNs, originNs: startNs - offsetNs - rangeNs, perRange, count: count + perRange - 1 };
}

/** Labels of errors, which a line without a parser does not have. */
function changesNothing(stage: Stage): boolean {
  return stage.kind === 'drop' && stage.labels.every(({ name }) => name.startsWith('__error'));
}

/**
 * The OQL that counts lines by cell and by labels; undefined where lines must be read: the store cannot decide a stage or a label,
 * or lines are not only counted.
 */
async function countingOql(reader: Reader, aggregate: RangeAggregate, cells: Cells): Promise<string | undefined> {
  const { op, unwrap, grouping, lines } = aggregate;
  if ((op !== 'count_over_time' && op !== 'rate') || unwrap || grouping?.mode !== 'by') return undefined;
  const keys = await knownKeys(reader, windowOf(cells), [...labelsNamed(lines), ...grouping.labels]);
  const { conditions, matchers, stages } = pushDown(lines, keys);
  const texts = grouping.labels.map((label) => labelExpression(label, keys));
  if (matchers.length > 0 || !stages.every(changesNothing) || texts.includes(undefined)) return undefined;
  const where = conditions.map((condition) => ` | where ${condition}`).join('');
  const width = String(cells.widthNs);
  const columns = texts.map((text, i) => `, l${i} = ${text}`).join('');
  const by = texts.map((_, i) => `, l${i}`).join('');
  return `logs${where} | extend since = int(time - ${formatNs(cells.originNs)}) - 1, cell = (since - since % ${width}) / ${width}${columns} | stats n=count() by cell${by}`;
}

function windowOf({ originNs, widthNs, count }: Cells) {
  return storable({ fromNs: originNs + 1n, toNs: originNs + BigInt(count) * widthNs + 1n });
}

/**
 * Counts of lines, or their rates, at each step, counted by the store: lines that are only counted may be more than a query may read.
 * Undefined where the lines must be read.
 */
export async function countedInStore(
  reader: Reader,
  aggregate: RangeAggregate,
  grid: Grid,
): Promise<{ labels: Labels; values: (number | undefined)[] }[] | undefined> {
  const cells = cellsOf(aggregate, grid);
  if (cells === undefined || cells.count > reader.limits.steps * 2) return undefined;
  const window = windowOf(cells);
  // Before 1970 there is no time to count from.
  if (cells.originNs < 0n || window.fromNs >= window.toNs) return undefined;
  const oql = await countingOql(reader, aggregate, cells);
  if (oql === undefined) return undefined;
  const counts = await readCounts(reader, oql, { window, cells, labels: aggregate.grouping?.labels ?? [] });
  const divisor = aggregate.op === 'rate' ? Number(aggregate.rangeNs) / 1e9 : 1;
  return [...counts.values()].map(({ labels, cells: ofSeries }) => ({
    labels,
    values: inRanges(ofSeries, cells.perRange, grid.count).map((n) => (n === 0 ? undefined : n / divisor)),
  }));
}

interface Counts {
  readonly labels: Labels;
  readonly cells: Float64Array;
}

async function readCounts(
  { gateway, scope, limits, signal }: Reader,
  oql: string,
  { window, cells, labels }: { window: ReturnType<typeof windowOf>; cells: Cells; labels: readonly string[] },
): Promise<Map<string, Counts>> {
  const counts = new Map<string, Counts>();
  const breath = createBreath();
  const limit = limits.series * cells.count;
  const answer = await gateway.stream(scope, { oql, window, limit }, { lane: 'interactive', signal });
  try {
    for await (const batch of answer.batches)
      for (const [cell, ...rest] of batch) {
        const texts = rest.slice(0, labels.length).map(String);
        const key = JSON.stringify(texts);
        const known = counts.get(key) ?? { labels: labelsOf(labels, texts), cells: new Float64Array(cells.count) };
        if (!counts.has(key)) counts.set(key, known);
        if (counts.size > limits.series)
          throw new LogqlError(
            `maximum number of series (${limits.series}) reached for a single query (FANION_LOKI_SERIES)`,
          );
        known.cells[Number(cell)] = Number(rest.at(-1));
        await breath();
      }
  } finally {
    answer.close();
  }
  return counts;
}

/** In rising order, without those that are empty. */
function labelsOf(names: readonly string[], texts: readonly string[]): Labels {
  const pairs = names.flatMap((name, i): [string, string][] => (texts[i] ? [[name, texts[i]]] : []));
  return new Map(pairs.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The sum of each range of cells. */
function inRanges(cells: Float64Array, perRange: number, count: number): number[] {
  const sums: number[] = [];
  let sum = cells.subarray(0, perRange - 1).reduce((all, n) => all + n, 0);
  for (let step = 0; step < count; step++) {
    sum += cells[step + perRange - 1] ?? 0;
    sums.push(sum);
    sum -= cells[step] ?? 0;
  }
  return sums;
}
