import type { MetricDefinition } from '@fanion/contract';
import type { CompiledRelation } from '@fanion/oql';
import { durationMs } from '../../../platform/durations.ts';
import { fail } from '../../../platform/fail.ts';
import type { ArmSums, Exposed, Slicing } from './measure.ts';
import type { Scan, ScanColumns } from './scan-rules.ts';
import { dayOfRow, daysOfUnit, hashOf, tracesOf, unitsOf } from './units-store.ts';

/** Answers of {@link sumsStatement} are rows of these, one for each arm and slice. */
export interface SumsRow {
  /** Place of the arm, from 1. */
  readonly arm: number;
  readonly slice: string;
  /** The numbers of {@link sumsOf}. */
  readonly [column: string]: number | string | null;
}

export interface ScanOptions {
  readonly scan: Scan;
  readonly exposed: Exposed;
  readonly slicing: Slicing | undefined;
  /** The relation of a slice by an expression. */
  readonly expression: CompiledRelation | undefined;
  /** How long before the exposure p and q count; 0: not at all. */
  readonly beforeMs: number;
}

/**
 * One statement for all metrics of a scan: rows are joined to their units once, aggregated by unit once, and summed up by arm. What a metric
 * does not need is not computed. Needs the parameter `all_units`, the number of units of all arms.
 */
export function sumsStatement(relation: CompiledRelation, options: ScanOptions): string {
  const { scan, exposed, slicing, expression } = options;
  const parts = scan.metrics.map(({ definition, columns }, i) =>
    partOf(definition, columns, `m${i}`, relation, options),
  );
  const hits = parts.map(({ hit }) => hit);
  const byDay = slicing?.by === 'day';
  // Columns that hold the same for all rows cost as much as others, so they are left out.
  const bySlice = slicing !== undefined && !byDay;
  const ctes = [unitsOf(exposed, slicing, expression), ...(scan.byTrace ? [tracesOf(exposed)] : [])].join(', ');
  const ofUnit = `units.id AS unit, units.arm AS arm, units.at AS at${bySlice ? ', units.slice AS slice' : ''}`;
  const u = scan.byTrace
    ? `(SELECT traces.trace AS key, ${ofUnit} FROM traces INNER JOIN units ON traces.unit = units.id)`
    : `(SELECT units.id AS key, ${ofUnit} FROM units)`;
  const rows = `SELECT u.unit AS unit, u.arm AS arm${bySlice ? ', u.slice AS slice' : ''}${byDay ? `, ${dayOfRow} AS day` : ''}, r.t AS t, r.w AS w, u.at AS at${list(parts.flatMap(({ columns }) => columns))}
    FROM (SELECT assumeNotNull(r.${scan.time}) AS t, ${hashOf(`assumeNotNull(r.${scan.unit})`)} AS id, r.w AS w${list(parts.flatMap(({ inner }) => inner))}
      FROM (${relation.sql}) AS r WHERE r.${scan.unit} IS NOT NULL AND r.${scan.time} IS NOT NULL) AS r INNER JOIN ${u} AS u ON r.id = u.key`;
  const complete = slicing?.by === 'day' ? `day >= 0 AND day < least(${slicing.days}, ${daysOfUnit}) AND ` : '';
  const per = `SELECT any(arm) AS arm_${bySlice ? ', any(slice) AS slice_' : ''}${byDay ? ', day AS day_' : ''}${list(parts.flatMap(({ perUnit }) => perUnit))}
    FROM (${rows}) WHERE ${complete}(${hits.join(' OR ')}) GROUP BY unit${byDay ? ', day' : ''}`;
  const slice = byDay ? 'toString(day_)' : bySlice ? 'slice_' : `''`;
  const perArm = `SELECT arm_ AS arm, ${slice} AS slice${list(parts.flatMap(({ perArm }) => perArm))} FROM (${per}) GROUP BY arm, slice`;
  const capped = parts.flatMap(({ capped }) => capped);
  if (capped.length === 0) return `WITH ${ctes} ${perArm}`;
  // The cap is a quantile of the units of all arms, so it is known when those of all arms are together.
  return `WITH ${ctes} SELECT arm, slice${list(parts.flatMap(({ outputs }) => outputs))}
    FROM (SELECT *${list(capped)} FROM (${perArm}))`;
}

const list = (columns: readonly string[]) => [...new Set(columns)].map((column) => `, ${column}`).join('');

/** A column as a finite number of a row, or null. */
export function numberOf(relation: CompiledRelation, column: string | undefined): string {
  if (column === undefined) return '1.';
  const type = relation.values.find(({ name }) => name === column)?.type;
  const number = type === 'string' || type === 'any' ? `toFloat64OrNull(r.${column})` : `toFloat64(r.${column})`;
  return `if(isFinite(${number}), ${number}, NULL)`;
}

/** What one metric adds to each level of the statement. */
interface Part {
  /** Columns of a row before and after it is joined. */
  readonly inner: readonly string[];
  readonly columns: readonly string[];
  /** Whether a joined row counts. */
  readonly hit: string;
  readonly perUnit: readonly string[];
  readonly perArm: readonly string[];
  readonly capped: readonly string[];
  readonly outputs: readonly string[];
}

function partOf(
  metric: MetricDefinition,
  columns: ScanColumns,
  name: string,
  relation: CompiledRelation,
  { scan, beforeMs, slicing }: ScanOptions,
): Part {
  const { after, before } = timesOf(metric, scan.byTrace, beforeMs);
  const only = columns.condition === undefined ? undefined : `ifNull(r.${columns.condition}, false)`;
  // Equal inputs of several metrics share their columns, and then the engine computes their aggregates once.
  const key = (column: string | undefined) => `${columns.condition ?? 'all'}_${column}`;
  const numbers = [columns.value, columns.denominator].filter((column) => column !== undefined);
  const number = (column: string) => {
    const found = numberOf(relation, column);
    return `${only === undefined ? found : `if(${only}, ${found}, NULL)`} AS n_${key(column)}`;
  };
  const isNumber = numbers.map((column) => `isNotNull(n_${key(column)})`);
  const of = (column: string | undefined) => (column === undefined ? 'w' : `assumeNotNull(n_${key(column)}) * w`);
  const steps = columns.steps.map((step) => `s_${step}`);
  const selected = [...(only === undefined ? [] : [`c_${columns.condition}`]), ...isNumber];
  const when = (time: readonly string[]) => [...selected, ...time].join(' AND ') || '1';
  const now = when(after);
  const past = before === undefined ? undefined : when(before);
  const hasBelow = metric.kind === 'ratio' || metric.kind === 'mean' || metric.kind === 'quantile';
  const input = [
    ...(only === undefined ? [] : [`${only} AS c_${columns.condition}`]),
    ...numbers.map(number),
    ...columns.steps.map((step) => `ifNull(r.${step}, 0) AS s_${step}`),
  ];
  const base = {
    inner: input,
    columns: input.map(
      (column) => `r.${column.slice(column.lastIndexOf(' ') + 1)} AS ${column.slice(column.lastIndexOf(' ') + 1)}`,
    ),
    hit: past === undefined ? `(${now})` : `(${now}) OR (${past})`,
  };
  if (metric.kind === 'quantile')
    return {
      ...base,
      perUnit: [
        `countIf(${now}) AS ${name}_c`,
        `groupArrayIf((${valueOnly(of(columns.value))}, w), ${now}) AS ${name}_points`,
      ],
      ...quantileOf(metric.quantile ?? 0.5, name),
    };
  const main = (when: string): string => {
    switch (metric.kind) {
      case 'count':
        return `sumIf(w, ${when})`;
      case 'funnel':
        // In nanoseconds: no window of its own, since that of the metric applies already.
        return `toFloat64(windowFunnelIf(9000000000000000000)(toUInt64(toUnixTimestamp64Nano(t)), ${steps.join(', ')}, ${when}) = ${steps.length})`;
      case 'conversion':
      case 'retention':
        return `toFloat64(countIf(${when}) > 0)`;
      default:
        return `sumIf(${of(columns.value)}, ${when})`;
    }
  };
  const below = (when: string) => `sumIf(${of(columns.denominator)}, ${when})`;
  const used = {
    x: main(now),
    ...(hasBelow && { y: below(now) }),
    ...(past !== undefined && { p: main(past) }),
    ...(past !== undefined && hasBelow && { q: below(past) }),
  };
  const letters = Object.keys(used) as Letter[];
  const perUnit = [
    `countIf(${now}) AS ${name}_c`,
    ...Object.entries(used).map(([letter, text]) => `${text} AS ${name}_${letter}`),
  ];
  const head = [`toFloat64(countIf(${name}_c > 0)) AS ${name}_active`, `toFloat64(sum(${name}_c)) AS ${name}_rows`];
  const products = productsOf(letters);
  const cap = slicing?.by === 'day' ? null : metric.cap;
  if (cap === null) {
    const sums = products.map(
      ([out, of]) => `sum(${of.map((letter) => `${name}_${letter}`).join(' * ')}) AS ${name}_s_${out}`,
    );
    return { ...base, perUnit, perArm: [...head, ...sums], capped: [], outputs: outputsOf(name, products) };
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
    outputs: outputsOf(name, products),
  };
}

const valueOnly = (product: string) => product.replace(/ \* w$/, '');

/**
 * The value at the rank ⌈cap · units⌉ of all units, counted from the largest: units without rows are zeros, between positive and
 * negative ones.
 */
function ceilingOf(cap: number, name: string): string[] {
  return [
    `arrayFlatten(groupArray(${name}_a_x) OVER ()) AS ${name}_all`,
    `toInt64({all_units:Float64}) - toInt64(ceil(${cap} * {all_units:Float64})) + 1 AS ${name}_place`,
    `toInt64(greatest(0, {all_units:Float64} - length(${name}_all))) AS ${name}_idle`,
    `multiIf(${name}_place <= arrayCount(one -> one > 0, ${name}_all), arrayPartialReverseSort(toUInt64(greatest(1, ${name}_place)), ${name}_all)[${name}_place],
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
  const after = [
    ...(byTrace ? [] : ['t >= at']),
    ...(window === null ? [] : [`t < at + ${interval(window)}`]),
    ...(retention === undefined ? [] : [`t >= at + ${interval(retention.from)}`, `t < at + ${interval(retention.to)}`]),
  ];
  const before = beforeMs === 0 ? undefined : ['t < at', `t >= at - toIntervalMillisecond(${beforeMs})`];
  return { after, before };
}

/** A value at a share of the sorted rows, each of which represents `w` rows. */
function quantileOf(quantile: number, name: string): Pick<Part, 'perArm' | 'capped' | 'outputs'> {
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
    outputs: [`${name}_active`, `${name}_rows`, ...sums.map(([out]) => `${name}_s_${out}`), ...facts],
  };
}

/**
 * The sums of one metric of a scan; undefined where none of its rows is in the arm. Throws `METRIC_INVALID` where a sum, as of squares, is
 * beyond the largest number.
 */
export function sumsOf(row: SumsRow, at: number): Omit<ArmSums, 'variant' | 'slice' | 'n'> | undefined {
  const of = (name: string) => {
    const value = Number(row[`m${at}_${name}`] ?? 0);
    if (!Number.isFinite(value)) throw fail('METRIC_INVALID', { reason: 'its values are too large to be added up' });
    return value;
  };
  if (of('rows') === 0 && of('s_p') === 0 && of('s_pp') === 0) return undefined;
  const sum = (name: string) => of(`s_${name}`);
  const isQuantile = row[`m${at}_value`] !== undefined;
  return {
    x: sum('x'),
    xx: sum('xx'),
    y: sum('y'),
    yy: sum('yy'),
    xy: sum('xy'),
    p: sum('p'),
    pp: sum('pp'),
    px: sum('px'),
    py: sum('py'),
    q: sum('q'),
    qq: sum('qq'),
    qx: sum('qx'),
    qy: sum('qy'),
    pq: sum('pq'),
    active: of('active'),
    rows: of('rows'),
    quantile: isQuantile ? { value: of('value'), lower: of('lower'), upper: of('upper'), delta: of('delta') } : null,
  };
}
