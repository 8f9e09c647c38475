import type { MetricDefinition } from '@fanion/contract';
import type { CompiledRelation } from '@fanion/oql';
import { durationMs } from '../../../platform/durations.ts';
import type { ScanColumns } from './scan-rules.ts';

/** A column as a finite number of a row, or null. */
export function numberOf(relation: CompiledRelation, column: string | undefined): string {
  if (column === undefined) return '1.';
  const type = typeOf(relation, column);
  const number = type === 'string' || type === 'any' ? `toFloat64OrNull(r.${column})` : `toFloat64(r.${column})`;
  return isWhole(type) ? number : `if(isFinite(${number}), ${number}, NULL)`;
}

/** Whether it is always a number where there is a value: attributes can be anything, fields such as the duration cannot. */
function isWhole(type: ReturnType<typeof typeOf>): boolean {
  return type !== undefined && !['string', 'any', 'float'].includes(type);
}

function typeOf(relation: CompiledRelation, column: string) {
  return relation.values.find(({ name }) => name === column)?.type;
}

function canBeNull(relation: CompiledRelation, column: string): boolean {
  const found = relation.values.find(({ name }) => name === column);
  return !(found?.nullable === false && isWhole(found.type));
}

/** What one metric adds to each level of the statement. */
export interface Part {
  /** Columns of a row before and after it is joined. */
  readonly inner: readonly string[];
  readonly columns: readonly string[];
  /** When a joined row counts: if all conditions of one of these lists hold. */
  readonly hits: readonly (readonly string[])[];
  readonly perUnit: readonly string[];
  readonly perArm: readonly string[];
  readonly capped: readonly string[];
  readonly outputs: readonly string[];
}

export interface PartOptions {
  readonly byTrace: boolean;
  /** How long before the exposure p and q count; 0: not at all. */
  readonly beforeMs: number;
  /** False where a cap has no meaning, as for single days. */
  readonly isCapped: boolean;
}

/** What a metric adds to the statement of its scan. `name` begins the names of its columns. */
export function partOf(
  metric: MetricDefinition,
  columns: ScanColumns,
  name: string,
  relation: CompiledRelation,
  { byTrace, beforeMs, isCapped }: PartOptions,
): Part {
  const { after, before } = timesOf(metric, byTrace, beforeMs);
  const only = columns.condition === undefined ? undefined : `ifNull(r.${columns.condition}, false)`;
  // Equal inputs of several metrics share their columns, and then the engine computes their aggregates once.
  const numbers = [columns.value, columns.denominator].filter((column) => column !== undefined);
  const isNumber = numbers.flatMap((column) => (canBeNull(relation, column) ? [`isNotNull(n_${column})`] : []));
  const { weighted } = relation;
  const of = (column: string) => `assumeNotNull(n_${column})${weighted ? ' * w' : ''}`;
  // Counting costs less than adding up, and equal aggregates of several metrics are computed once.
  const sum = (column: string | undefined, when: string) =>
    column === undefined ? rowsIf(when, weighted) : `sumIf(${of(column)}, ${when})`;
  const steps = columns.steps.map((step) => `c_${step}`);
  const own = only === undefined ? [] : [`c_${columns.condition}`];
  const selected = [...own, ...isNumber];
  const allOf = (conditions: readonly string[]) => conditions.join(' AND ') || '1';
  const now = allOf([...selected, ...after]);
  const canMiss = isNumber.length > 0 && numbers.some((column) => !isWhole(typeOf(relation, column)));
  // Often another metric counts the rows with and without a number too.
  const skipped = canMiss ? [`countIf(${allOf([...own, ...after])}) - countIf(${now}) AS ${name}_k`] : [];
  const sumSkipped = canMiss ? [`toFloat64(sum(${name}_k)) AS ${name}_skipped`] : [];
  const past = before === undefined ? undefined : allOf([...selected, ...before]);
  const hasBelow = metric.kind === 'ratio' || metric.kind === 'mean' || metric.kind === 'quantile';
  const input = [
    ...(only === undefined ? [] : [`${only} AS c_${columns.condition}`]),
    ...numbers.map((column) => `${numberOf(relation, column)} AS n_${column}`),
    ...columns.steps.map((step) => `ifNull(r.${step}, false) AS c_${step}`),
  ];
  const base = {
    inner: input,
    columns: input.map(
      (column) => `r.${column.slice(column.lastIndexOf(' ') + 1)} AS ${column.slice(column.lastIndexOf(' ') + 1)}`,
    ),
    hits: [[...(canMiss ? own : selected), ...after], ...(before === undefined ? [] : [[...selected, ...before]])],
  };
  if (metric.kind === 'quantile')
    return {
      ...base,
      perUnit: [
        `countIf(${now}) AS ${name}_c`,
        ...skipped,
        `groupArrayIf((${columns.value === undefined ? '1.' : `assumeNotNull(n_${columns.value})`}, ${weighted ? 'w' : '1.'}), ${now}) AS ${name}_points`,
      ],
      ...quantileOf(metric.quantile ?? 0.5, name, sumSkipped),
    };
  const main = (when: string): string => {
    switch (metric.kind) {
      case 'count':
        return rowsIf(when, weighted);
      case 'funnel':
        return funnelOf(steps, when);
      case 'conversion':
      case 'retention':
        return `toFloat64(countIf(${when}) > 0)`;
      default:
        return sum(columns.value, when);
    }
  };
  const below = (when: string) => sum(columns.denominator, when);
  const used = {
    x: main(now),
    ...(hasBelow && { y: below(now) }),
    ...(past !== undefined && { p: main(past) }),
    ...(past !== undefined && hasBelow && { q: below(past) }),
  };
  const letters = Object.keys(used) as Letter[];
  const perUnit = [
    `countIf(${now}) AS ${name}_c`,
    ...skipped,
    ...Object.entries(used).map(([letter, text]) => `${text} AS ${name}_${letter}`),
  ];
  // Of the other kinds, units have an event if they have a row.
  const hasEvents = metric.kind === 'sum' || metric.kind === 'mean' || metric.kind === 'ratio';
  const events = hasEvents ? [`toFloat64(countIf(${name}_x != 0)) AS ${name}_events`] : [];
  const head = [
    `toFloat64(countIf(${name}_c > 0)) AS ${name}_active`,
    `toFloat64(sum(${name}_c)) AS ${name}_rows`,
    ...events,
    ...sumSkipped,
  ];
  const products = productsOf(letters);
  const outputs = [
    ...(hasEvents ? [`${name}_events`] : []),
    ...(canMiss ? [`${name}_skipped`] : []),
    ...outputsOf(name, products),
  ];
  const cap = isCapped ? metric.cap : null;
  if (cap === null) {
    const sums = products.map(
      ([out, of]) => `sum(${of.map((letter) => `${name}_${letter}`).join(' * ')}) AS ${name}_s_${out}`,
    );
    return { ...base, perUnit, perArm: [...head, ...sums], capped: [], outputs };
  }
  const values = letters.map((letter) => `groupArray(${name}_${letter}) AS ${name}_a_${letter}`);
  const at = (letter: Letter) => (letter === 'x' || letter === 'p' ? `${name}_l_${letter}` : `${name}_a_${letter}`);
  const limited = letters.flatMap((letter) =>
    letter === 'x' || letter === 'p'
      ? [`arrayMap(one -> least(one, ${name}_cap), ${name}_a_${letter}) AS ${name}_l_${letter}`]
      : [],
  );
  const sums = products.map(([out, of]) =>
    of[0] === of[1]
      ? `arraySum(one -> one * one, ${at(of[0])}) AS ${name}_s_${out}`
      : of[1] === undefined
        ? `arraySum(${at(of[0])}) AS ${name}_s_${out}`
        : `arraySum((one, other) -> one * other, ${at(of[0])}, ${at(of[1])}) AS ${name}_s_${out}`,
  );
  return {
    ...base,
    perUnit,
    perArm: [...head, ...values],
    capped: [...ceilingOf(cap, name), ...limited, ...sums],
    outputs,
  };
}

function rowsIf(when: string, weighted: boolean): string {
  return weighted ? `sumIf(w, ${when})` : `toFloat64(countIf(${when}))`;
}

/** Whether a unit has rows of all steps, in order. Rows of one time are in any order, and one row can be of several steps. */
function funnelOf(steps: readonly string[], when: string): string {
  const nanoseconds = 'toUnixTimestamp64Nano(t)';
  const [first, last, ...more] = steps;
  if (first !== undefined && last !== undefined && more.length === 0)
    // Two steps need no list of rows, which costs several times as much.
    return `toFloat64(min(if(${first} AND ${when}, ${nanoseconds}, ${never})) <= max(if(${last} AND ${when}, ${nanoseconds}, -1)))`;
  // In nanoseconds: no window of its own, since that of the metric applies already.
  return `toFloat64(windowFunnelIf(${never})(toUInt64(${nanoseconds}), ${steps.join(', ')}, ${when}) = ${steps.length})`;
}

/** In nanoseconds, after all times. */
const never = '9000000000000000000';

/**
 * The value at the rank ⌈cap · units⌉ of all units, counted from the largest: units without rows are zeros, between positive and
 * negative ones.
 */
function ceilingOf(cap: number, name: string): string[] {
  const place = `greatest(1, ${name}_place)`;
  return [
    `toInt64({all_units:Float64}) - toInt64(ceil(${cap} * {all_units:Float64})) + 1 AS ${name}_place`,
    // A value at this place of all is at such a place of its arm, or before it. So few values of each arm are put together and sorted.
    `arrayFlatten(groupArray(arraySlice(arrayPartialReverseSort(toUInt64(${place}), ${name}_a_x), 1, ${place})) OVER ()) AS ${name}_all`,
    `toInt64(greatest(0, {all_units:Float64} - sum(length(${name}_a_x)) OVER ())) AS ${name}_idle`,
    `multiIf(${name}_place <= arrayCount(one -> one > 0, ${name}_all), arrayPartialReverseSort(toUInt64(${place}), ${name}_all)[${name}_place],
      ${name}_place <= toInt64(arrayCount(one -> one >= 0, ${name}_all)) + ${name}_idle, 0., arrayReverseSort(${name}_all)[${name}_place - ${name}_idle]) AS ${name}_cap`,
  ];
}

type Letter = 'x' | 'y' | 'p' | 'q';
type Product = readonly [out: string, of: readonly [Letter, Letter?]];

const products: readonly Product[] = [
  ['x', ['x']],
  ['xx', ['x', 'x']],
  ['y', ['y']],
  ['yy', ['y', 'y']],
  ['xy', ['x', 'y']],
  ['p', ['p']],
  ['pp', ['p', 'p']],
  ['px', ['p', 'x']],
  ['py', ['p', 'y']],
  ['q', ['q']],
  ['qq', ['q', 'q']],
  ['qx', ['q', 'x']],
  ['qy', ['q', 'y']],
  ['pq', ['p', 'q']],
];

function productsOf(letters: readonly Letter[]): Product[] {
  return products.filter(([, of]) => of.every((letter) => letter === undefined || letters.includes(letter)));
}

function outputsOf(name: string, of: readonly Product[]): string[] {
  return [`${name}_active`, `${name}_rows`, ...of.map(([out]) => `${name}_s_${out}`)];
}

/** When rows count: after the exposure, and before it (undefined: not at all). */
function timesOf(metric: MetricDefinition, byTrace: boolean, beforeMs: number) {
  const interval = (duration: string) => `toIntervalMillisecond(${durationMs(duration)})`;
  const { window, retention } = metric;
  const begins = retention !== undefined ? [`t >= at + ${interval(retention.from)}`] : byTrace ? [] : ['t >= at'];
  const after = [
    ...begins,
    ...(window === null ? [] : [`t < at + ${interval(window)}`]),
    ...(retention === undefined ? [] : [`t < at + ${interval(retention.to)}`]),
  ];
  const before = beforeMs === 0 ? undefined : ['t < at', `t >= at - toIntervalMillisecond(${beforeMs})`];
  return { after, before };
}

/** A value at a share of the sorted rows, each of which represents `w` rows. */
function quantileOf(
  quantile: number,
  name: string,
  sumSkipped: readonly string[],
): Pick<Part, 'perArm' | 'capped' | 'outputs'> {
  const [points, sorted, running, total] = ['units', 'sorted', 'running', 'total'].map((part) => `${name}_${part}`);
  const at = (share: string) =>
    `${sorted}[greatest(1, arrayFirstIndex(c -> c >= ${total} * ${share} - 1e-9 * ${total}, ${running}))].1`;
  const xs = `arrayMap(unit -> arraySum(arrayMap(point -> if(point.1 <= ${name}_value, point.2, 0.), unit)), ${points})`;
  const ys = `arrayMap(unit -> arraySum(arrayMap(point -> point.2, unit)), ${points})`;
  const sums: readonly (readonly [string, string])[] = [
    ['x', `arraySum(${name}_xs)`],
    ['xx', `arraySum(one -> one * one, ${name}_xs)`],
    ['y', `arraySum(${name}_ys)`],
    ['yy', `arraySum(one -> one * one, ${name}_ys)`],
    ['xy', `arraySum((one, other) -> one * other, ${name}_xs, ${name}_ys)`],
  ];
  const facts = ['value', 'lower', 'upper', 'delta'].map((fact) => `${name}_${fact}`);
  return {
    perArm: [
      `toFloat64(countIf(${name}_c > 0)) AS ${name}_active`,
      `toFloat64(sum(${name}_c)) AS ${name}_rows`,
      ...sumSkipped,
      `groupArray(${name}_points) AS ${points}`,
    ],
    capped: [
      `arraySort(point -> point.1, arrayFlatten(${points})) AS ${sorted}`,
      `arrayCumSum(arrayMap(point -> point.2, ${sorted})) AS ${running}`,
      `${running}[-1] AS ${total}`,
      `1.959963984540054 * sqrt(${quantile} * ${1 - quantile} / length(${sorted})) AS ${name}_width`,
      `greatest(0, ${quantile} - ${name}_width) AS ${name}_low`,
      `least(1, ${quantile} + ${name}_width) AS ${name}_high`,
      `${at(String(quantile))} AS ${name}_value`,
      `${at(`${name}_low`)} AS ${name}_lower`,
      `${at(`${name}_high`)} AS ${name}_upper`,
      `(${name}_high - ${name}_low) / 2 AS ${name}_delta`,
      `${xs} AS ${name}_xs`,
      `${ys} AS ${name}_ys`,
      ...sums.map(([out, text]) => `${text} AS ${name}_s_${out}`),
    ],
    outputs: [
      `${name}_active`,
      `${name}_rows`,
      ...(sumSkipped.length > 0 ? [`${name}_skipped`] : []),
      ...sums.map(([out]) => `${name}_s_${out}`),
      ...facts,
    ],
  };
}
