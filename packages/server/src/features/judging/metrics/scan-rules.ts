import type { MetricDefinition } from '@fanion/contract';
import { parse } from '@fanion/oql';
import { numberColumns, rowColumns, rowsQuery, unitColumn } from './definition-rules.ts';

/** Metrics of one scan at most: each needs memory for every unit. */
const mostTogether = 10;

/** Columns of a scan that hold what one metric needs. */
export interface ScanColumns {
  /** Whether the row belongs to the metric; undefined: every row does. */
  readonly condition: string | undefined;
  readonly value: string | undefined;
  readonly denominator: string | undefined;
  readonly steps: readonly string[];
}

/** One query that returns the rows of several metrics, and where each of them finds its own. */
export interface Scan {
  readonly oql: string;
  readonly time: string;
  readonly unit: string;
  readonly byTrace: boolean;
  /** Columns of the query that only numbers are read from. */
  readonly numbers: readonly string[];
  /** The column of the query that is the unit. */
  readonly mostlyText: string;
  readonly metrics: readonly {
    /** Place in the list that the scans were made for. */
    readonly index: number;
    readonly definition: MetricDefinition;
    readonly columns: ScanColumns;
  }[];
}

/** One scan for one metric, whatever its source. */
export function scanAlone(definition: MetricDefinition, index: number): Scan {
  const { time, unit, value, denominator, steps } = rowColumns(definition);
  return {
    oql: rowsQuery(definition),
    time,
    unit,
    byTrace: definition.unit === 'trace_id',
    numbers: numberColumns,
    mostlyText: unitColumn,
    metrics: [{ index, definition, columns: { condition: undefined, value, denominator, steps } }],
  };
}

/**
 * Scans for a list of metrics. Metrics whose sources are conditions on the rows of one signal, with the same unit, are read together:
 * their conditions become columns. Quantiles stay alone, since they keep all values.
 */
export function scansOf(definitions: readonly MetricDefinition[]): Scan[] {
  return scansAmong(definitions.map((definition, index) => ({ index, definition })));
}

/** The metrics of a scan in two scans of half of them; of one metric, the scan itself. */
export function halvesOf({ metrics }: Scan): Scan[] {
  const half = Math.ceil(metrics.length / 2);
  return [...scansAmong(metrics.slice(0, half)), ...scansAmong(metrics.slice(half))];
}

function scansAmong(metrics: readonly Pick<Member, 'index' | 'definition'>[]): Scan[] {
  const groups = new Map<string, Member[][]>();
  const alone: Scan[] = [];
  for (const { index, definition } of metrics) {
    const source = definition.kind === 'quantile' ? undefined : conditionsOf(definition.source);
    if (source === undefined) {
      alone.push(scanAlone(definition, index));
      continue;
    }
    const key = `${source.signal} ${definition.unit}`;
    const parts = groups.get(key) ?? [[]];
    const last = parts.at(-1) ?? [];
    if (last.length < mostTogether) last.push({ index, definition, ...source });
    else parts.push([{ index, definition, ...source }]);
    groups.set(key, parts);
  }
  const together = [...groups.values()].flat().map((members) => {
    const [only] = members;
    return members.length === 1 && only !== undefined ? scanAlone(only.definition, only.index) : scanTogether(members);
  });
  return [...together, ...alone];
}

interface Member {
  readonly index: number;
  readonly definition: MetricDefinition;
  readonly signal: string;
  readonly conditions: readonly string[];
}

/** A source that only has conditions on a signal. */
function conditionsOf(source: string): { signal: string; conditions: readonly string[] } | undefined {
  const { query, findings } = parse(source);
  if (query === undefined || findings.length > 0 || query.lets.length > 0 || query.range !== undefined)
    return undefined;
  const { source: from, stages } = query.pipeline;
  if (from.kind !== 'signal') return undefined;
  const conditions: string[] = [];
  for (const stage of stages) {
    if (stage.kind !== 'where') return undefined;
    conditions.push(source.slice(stage.predicate.start, stage.predicate.end));
  }
  return { signal: from.signal, conditions };
}

/** The stage of a source that leaves out rows by their number; undefined: it has none. */
export function cutOf(source: string): 'limit' | 'top' | undefined {
  const { query } = parse(source);
  for (const { kind } of query?.pipeline.stages ?? []) if (kind === 'limit' || kind === 'top') return kind;
  return undefined;
}

/** Whether a text is one expression: it neither ends the stage that it is put into nor adds a column. A text that does not parse is one. */
export function isExpression(text: string): boolean {
  const { query } = parse(`logs | extend fanion_checked=(${text}\n)`);
  if (query === undefined) return true;
  const [stage, ...more] = query.pipeline.stages;
  return more.length === 0 && (stage?.kind !== 'extend' || stage.assignments.length === 1);
}

function scanTogether(members: readonly Member[]): Scan {
  const [first] = members;
  if (first === undefined) throw new Error('a scan needs a metric');
  const { signal, definition } = first;
  const texts: string[] = ['time', definition.unit];
  // Equal expressions share a column. The line breaks end comments.
  const column = (text: string | undefined): string | undefined => {
    if (text === undefined) return undefined;
    const known = texts.indexOf(`(${text}\n)`, 2);
    return `v${known === -1 ? texts.push(`(${text}\n)`) : known + 1}`;
  };
  const all = (conditions: readonly string[]) =>
    conditions.length > 1 ? conditions.map((condition) => `(${condition}\n)`).join(' and ') : conditions[0];
  const metrics = members.map(({ index, definition, conditions }) => ({
    index,
    definition,
    columns: {
      condition: column(all(conditions)),
      value: column(definition.value),
      denominator: column(definition.denominator),
      steps: (definition.steps ?? []).flatMap((step) => column(step) ?? []),
    },
  }));
  const any = members.map(({ conditions }) => all(conditions));
  const distinct = [...new Set(any)];
  const filter = distinct.includes(undefined) ? '' : ` | where ${distinct.map((one) => `(${one}\n)`).join(' or ')}`;
  const named = texts.map((text, i) => [`fanion_${i + 1}`, text] as const);
  const isNumber = (name: string) =>
    metrics.some(({ columns: { value, denominator } }) => value === name || denominator === name) &&
    !metrics.some(({ columns: { condition, steps } }) => condition === name || steps.includes(name));
  const numbers = named.flatMap(([name], i) => (isNumber(`v${i + 1}`) ? [name] : []));
  const oql = `${signal}${filter} | extend ${named.map(([name, text]) => `${name}=${text}`).join(', ')} | fields ${named.map(([name]) => name).join(', ')}`;
  return {
    oql,
    time: 'v1',
    unit: 'v2',
    byTrace: definition.unit === 'trace_id',
    numbers,
    mostlyText: 'fanion_2',
    metrics,
  };
}
