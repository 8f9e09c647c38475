import type { MetricDefinition, MetricKind } from '@fanion/contract';
import { durationMs } from '../../../platform/durations.ts';

export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** What only some kinds have, and which of them must have it. */
const needs: Readonly<
  Record<
    MetricKind,
    { readonly must: readonly (keyof MetricDefinition)[]; readonly may: readonly (keyof MetricDefinition)[] }
  >
> = {
  conversion: { must: [], may: [] },
  count: { must: [], may: ['cap'] },
  mean: { must: ['value'], may: ['cap'] },
  sum: { must: ['value'], may: ['cap'] },
  ratio: { must: ['value', 'denominator'], may: ['cap'] },
  quantile: { must: ['value', 'quantile'], may: [] },
  retention: { must: ['retention'], may: [] },
  funnel: { must: ['steps'], may: [] },
};

/** What a definition lacks, and what has no meaning for its kind: that would be ignored silently otherwise. */
export function checkKind(definition: MetricDefinition): Issue[] {
  const { kind } = definition;
  const { must, may } = needs[kind];
  const optional = ['value', 'denominator', 'quantile', 'steps', 'retention', 'cap'] as const;
  const issues = optional.flatMap((path) => {
    const isSet = definition[path] !== undefined && definition[path] !== null;
    if (!isSet && must.includes(path)) return [{ path, message: `a metric of the kind ${kind} needs \`${path}\`` }];
    if (isSet && !must.includes(path) && !may.includes(path))
      return [{ path, message: `a metric of the kind ${kind} has no \`${path}\`: leave it out` }];
    return [];
  });
  return [...issues, ...checkTimes(definition)];
}

/** Times in which no row can lie: the metric would always be 0. */
function checkTimes({ retention, window }: MetricDefinition): Issue[] {
  if (retention === undefined) return [];
  const from = durationMs(retention.from);
  if (durationMs(retention.to) <= from)
    return [{ path: 'retention.to', message: `must be longer than \`from\`, which is ${retention.from}` }];
  if (window !== null && durationMs(window) <= from)
    return [{ path: 'window', message: `ends before \`retention\` begins, at ${retention.from}: leave it out` }];
  return [];
}

/** Names of the columns that {@link rowsQuery} adds; queries of users do not use them. */
const columns = ['fanion_time', 'fanion_unit', 'fanion_value', 'fanion_denominator'] as const;

export const unitColumn = columns[1];
export const numberColumns: readonly string[] = columns.slice(2);

/** Positions of a row's columns in the relation of {@link rowsQuery}; undefined: it has none. */
export interface RowColumns {
  readonly time: string;
  readonly unit: string;
  readonly value: string | undefined;
  readonly denominator: string | undefined;
  readonly steps: readonly string[];
}

/** The columns of {@link rowsQuery}, in its order. */
export function rowColumns({ value, denominator, steps = [] }: MetricDefinition): RowColumns {
  let at = 2;
  const next = (given: string | undefined) => (given === undefined ? undefined : `v${++at}`);
  return {
    time: 'v1',
    unit: 'v2',
    value: next(value),
    denominator: next(denominator),
    steps: steps.map(() => `v${++at}`),
  };
}

/** OQL that returns the rows of a metric: time, unit, value, denominator, steps. The line breaks end comments. */
export function rowsQuery(definition: MetricDefinition): string {
  const { source, unit, value, denominator, steps = [] } = definition;
  const [time, id, number, below] = columns;
  const of = [
    [time, 'time'],
    [id, unit],
    ...(value === undefined ? [] : [[number, `(${value}\n)`]]),
    ...(denominator === undefined ? [] : [[below, `(${denominator}\n)`]]),
    ...steps.map((step, i) => [`fanion_step_${i + 1}`, `(${step}\n)`]),
  ];
  return `${source}\n| extend ${of.map(([name, text]) => `${name}=${text}`).join(', ')} | fields ${of.map(([name]) => name).join(', ')}`;
}

/** Metrics of every project. Requests are entry spans: of servers and consumers, or the roots of traces. */
const requests = 'spans | where kind == server or kind == consumer or root';

export interface BuiltIn {
  readonly key: string;
  readonly name: string;
  readonly definition: MetricDefinition;
}

const common = { unit: 'trace_id', window: null, cap: null, guardrail: true } as const;

export const builtIns: readonly BuiltIn[] = [
  {
    key: 'error_rate',
    name: 'Error rate',
    definition: {
      ...common,
      description: 'The share of requests that failed, in the traces that saw the flag.',
      kind: 'ratio',
      source: requests,
      value: 'if(status == error, 1, 0)',
      direction: 'down_is_good',
    },
  },
  {
    key: 'latency_p95',
    name: 'p95 latency',
    definition: {
      ...common,
      description: 'The 95th percentile of the duration of requests in nanoseconds, in the traces that saw the flag.',
      kind: 'quantile',
      source: requests,
      value: 'duration',
      quantile: 0.95,
      direction: 'down_is_good',
    },
  },
  {
    key: 'latency',
    name: 'Mean latency',
    definition: {
      ...common,
      description: 'The mean duration of requests in nanoseconds, in the traces that saw the flag.',
      kind: 'mean',
      source: requests,
      value: 'duration',
      direction: 'down_is_good',
    },
  },
  {
    key: 'requests',
    name: 'Requests',
    definition: {
      ...common,
      description: 'Requests per unit, in the traces that saw the flag.',
      kind: 'count',
      source: requests,
      direction: 'up_is_good',
      guardrail: false,
    },
  },
  {
    key: 'exceptions',
    name: 'Exceptions',
    definition: {
      ...common,
      description: 'Exceptions per unit, in the traces that saw the flag.',
      kind: 'count',
      source: 'events | where name == "exception"',
      direction: 'down_is_good',
    },
  },
];

/** By its key, also by one that it had before: stored definitions name that one. */
export function builtInMetric(ref: string): BuiltIn | undefined {
  return builtIns.find(({ key }) => key === (ref === 'p95_latency' ? 'latency_p95' : ref));
}
