import type { QueryLanguage } from '@fanion/contract';
import { parse } from '@fanion/oql';

/** The rows that an instance of a rule is about, as OQL. */
export interface Subject {
  readonly source: 'spans' | 'logs';
  /** A query of all rows of the instance. */
  readonly rows: string;
  /** The condition of the rows that make it fire; undefined if none are singled out. */
  readonly failing: string | undefined;
}

interface Rule {
  readonly query: string;
  readonly query_language?: QueryLanguage | undefined;
  readonly op?: string | undefined;
  readonly threshold?: number | undefined;
  /** Labels that the rule adds, which no row has. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Longer queries are not parsed here, on the event loop. */
export const maxExplainedCharacters = 4_096;

const quantiles = /^(?:p\d+|quantile|median|avg|max|min)$/;
const durations: ReadonlySet<string> = new Set(['duration', 'self_time', 'critical_path']);
/** Fields that are compared as they are, so that the store's indexes serve the condition. */
const texts: ReadonlySet<string> = new Set(['service.name', 'resource.service.name', 'name', 'trace_id']);

/**
 * Reads from a rule's query which rows an instance is about, and which of them make it fire.
 * @param instance the labels of the instance
 * @returns undefined if the rows of the query are not spans or log records, or change before they are aggregated, and for a
 *   query of more than {@link maxExplainedCharacters}
 */
export function subjectOf(rule: Rule, instance: Readonly<Record<string, string>>): Subject | undefined {
  const { query } = rule;
  if (rule.query_language === 'promql' || query.length > maxExplainedCharacters) return undefined;
  const pipeline = parse(query).query?.pipeline;
  if (pipeline?.source.kind !== 'signal') return undefined;
  const { signal } = pipeline.source;
  if (signal !== 'spans' && signal !== 'logs') return undefined;
  const at = pipeline.stages.findIndex(({ kind }) => kind !== 'where');
  const stage = pipeline.stages[at];
  if (stage?.kind !== 'stats' && stage?.kind !== 'aggregate') return undefined;

  const textOf = ({ start, end }: { readonly start: number; readonly end: number }) => query.slice(start, end);
  const conditions: string[] = [];
  for (const one of pipeline.stages.slice(0, at)) {
    if (one.kind !== 'where') return undefined;
    conditions.push(`(${textOf(one.predicate)})`);
  }
  for (const key of stage.by) {
    const path = textOf(key.value);
    const name = key.alias === undefined ? path : key.alias.text;
    if (Object.hasOwn(rule.labels, name)) continue;
    conditions.push(keyCondition(path, instance[name]));
  }
  const rows = [signal, ...(conditions.length === 0 ? [] : [`where ${conditions.join(' and ')}`])].join(' | ');
  const measured = measureOf(stage, textOf);
  return { source: signal, rows, failing: measured && failingOf(measured, rule) };
}

function keyCondition(path: string, value: string | undefined): string {
  if (value === undefined) return `not ${path} exists`;
  return texts.has(path) ? `${path} == ${JSON.stringify(value)}` : `string(${path}) == ${JSON.stringify(value)}`;
}

interface Measure {
  readonly name: string;
  /** The text of the first argument. */
  readonly of: string | undefined;
  readonly isCondition: boolean;
}

type Stages = NonNullable<ReturnType<typeof parse>['query']>['pipeline']['stages'];
type Aggregating = Extract<Stages[number], { kind: 'stats' | 'aggregate' }>;

/** The aggregate whose value the rule watches: `value`, or the only one. */
function measureOf(
  stage: Aggregating,
  textOf: (range: { readonly start: number; readonly end: number }) => string,
): Measure | undefined {
  const measure = (name: string, [first]: readonly { kind: string; start: number; end: number }[] = []): Measure => ({
    name,
    of: first && textOf(first),
    isCondition: first !== undefined && first.kind !== 'path' && first.kind !== 'arithmetic' && first.kind !== 'call',
  });
  if (stage.kind === 'aggregate') return measure(stage.name.text, stage.args?.items);
  const named = stage.aggregates.find(({ alias }) => alias?.text === 'value');
  const { value } = named ?? (stage.aggregates.length === 1 ? stage.aggregates[0] : undefined) ?? {};
  return value?.kind === 'call' ? measure(value.name.text, value.args.items) : undefined;
}

/** The rows that push the value towards the threshold; undefined where that is all of them, or cannot be told. */
function failingOf({ name, of, isCondition }: Measure, { op, threshold }: Rule): string | undefined {
  if (of === undefined) return undefined;
  const rising = op === '>' || op === '>=';
  const falling = op === '<' || op === '<=';
  if (name === 'ratio' || (name === 'count' && isCondition)) {
    if (rising) return of;
    return falling ? `not (${of})` : undefined;
  }
  if (!quantiles.test(name) || !(rising || falling) || threshold === undefined || !Number.isFinite(threshold))
    return undefined;
  return `${of} ${op} ${durations.has(of) ? `${Math.round(threshold)}ns` : threshold}`;
}
