import { parse, printQuery } from '@fanion/oql/syntax';
import { AGGREGATIONS, type Aggregation } from '../features/metrics/metric-query.ts';
import { ENTRY_SPANS } from '../features/services/service-health.ts';
import { fieldPath } from '../telemetry/filters.ts';
import { quote, whereStage } from '../telemetry/oql.ts';

/** What can be watched without a word of OQL. */
export const SYMPTOMS = {
  errors: 'Error rate',
  latency: 'Latency',
  traffic: 'Request rate',
  silence: 'No data',
  log_errors: 'Log errors',
  metric: 'Metric',
} as const;
export type SymptomKind = keyof typeof SYMPTOMS;

export const QUANTILES = ['p50', 'p90', 'p95', 'p99'] as const;
export type Quantile = (typeof QUANTILES)[number];
/** Of the quantiles of a histogram, a rule watches one. */
export type MetricAggregation = Exclude<Aggregation, 'quantiles'>;

/** The requests of a service, or of all. */
export interface Target {
  /** Empty: all services. */
  readonly service: string;
  /** The name of its spans; empty: all. */
  readonly operation: string;
}

export interface Symptom extends Target {
  readonly kind: SymptomKind;
  readonly quantile: Quantile;
  /** Empty: none is chosen yet. */
  readonly metric: string;
  readonly aggregation: MetricAggregation;
  /** Whether the metric is a histogram, which is summed in another way. */
  readonly histogram: boolean;
  /** Each of their values is watched on its own. */
  readonly by: readonly string[];
}

export const emptySymptom: Symptom = {
  kind: 'errors',
  service: '',
  operation: '',
  quantile: 'p95',
  metric: '',
  aggregation: 'avg',
  histogram: false,
  by: ['service.name'],
};

/** The signal that a symptom reads. */
export function signalOf(kind: SymptomKind): 'spans' | 'logs' | 'metric' {
  return kind === 'metric' ? 'metric' : kind === 'log_errors' ? 'logs' : 'spans';
}

/** The query of the requests of a target. */
export function requestsQuery(target: Target): string {
  return `spans${whereStage([serviceCondition(target), ENTRY_SPANS, operationCondition(target)])}`;
}

/** The query whose value a rule watches; empty while no metric is chosen. */
export function symptomQuery(symptom: Symptom): string {
  const { kind, quantile, by } = symptom;
  const keys = by.length === 0 ? '' : ` by ${by.map(fieldPath).join(', ')}`;
  switch (kind) {
    case 'errors':
      return `${requestsQuery(symptom)} | stats value=ratio(status == error)${keys}`;
    case 'latency':
      return `${requestsQuery(symptom)} | stats value=${quantile}(duration)${keys}`;
    case 'traffic':
      return `${requestsQuery(symptom)} | stats value=count()/window${keys}`;
    case 'silence': {
      const spans = `spans${whereStage([serviceCondition(symptom), operationCondition(symptom)])}`;
      // A count without groups is a row also where there is nothing to count.
      return `${spans} | stats value=count()${keys === '' ? ' by service.name' : keys}`;
    }
    case 'log_errors':
      return `logs${whereStage([serviceCondition(symptom)])} | stats value=count(severity >= error)${keys}`;
    case 'metric':
      return symptom.metric === '' ? '' : metricQuery(symptom, keys);
  }
}

function serviceCondition({ service }: Target): string {
  return service === '' ? '' : `service.name == ${quote(service)}`;
}

function operationCondition({ operation }: Target): string {
  return operation === '' ? '' : `name == ${quote(operation)}`;
}

function metricQuery(symptom: Symptom, keys: string): string {
  const { metric, aggregation, histogram } = symptom;
  const name = fieldPath(metric) === metric ? metric : quote(metric);
  const source = `metric ${name}${whereStage([serviceCondition(symptom)])}`;
  switch (aggregation) {
    case 'rate':
      return `${source} | rate | stats value=sum(value)${keys}`;
    case 'increase':
      return `${source} | increase | stats value=sum(${histogram ? 'count' : 'value'})${keys}`;
    case 'count':
      return `${source} | rate | stats value=sum(count)${keys}`;
    case 'p50':
    case 'p95':
    case 'p99':
      return `${source} | increase | stats value=${aggregation}(value)${keys}`;
    default:
      return `${source} | stats value=${aggregation}(value)${keys}`;
  }
}

type Query = NonNullable<ReturnType<typeof parse>['query']>;
type Stage = Query['pipeline']['stages'][number];

/**
 * The symptom that a query watches; null for any other query. What the query names is read from its tree, and the symptom whose own
 * query has the same normal form is the answer, so a query that says anything else is never taken for one.
 */
export function symptomOf(query: string): Symptom | null {
  const parsed = parse(query).query;
  if (parsed === undefined) return null;
  const normal = printQuery(parsed);
  return candidates(parsed).find((symptom) => normalForm(symptomQuery(symptom)) === normal) ?? null;
}

/** The target whose requests a query reads; null for any other query. */
export function targetOf(query: string): Target | null {
  const parsed = parse(query).query;
  if (parsed === undefined) return null;
  const target = namedIn(parsed.pipeline.stages);
  return normalForm(requestsQuery(target)) === printQuery(parsed) ? target : null;
}

function normalForm(query: string): string | undefined {
  const parsed = parse(query).query;
  return parsed === undefined ? undefined : printQuery(parsed);
}

/** Every symptom with the names of a query. */
function candidates({ pipeline: { source, stages } }: Query): Symptom[] {
  const last = stages.at(-1);
  if (last?.kind !== 'stats') return [];
  const by = last.by.flatMap(({ value }) => (value.kind === 'path' ? [value.segments.join('.')] : []));
  const named: Symptom = { ...emptySymptom, ...namedIn(stages), by };
  if (source.kind === 'metric')
    return aggregations.flatMap((aggregation) =>
      [false, true].map((histogram) => ({ ...named, kind: 'metric', metric: source.metric, aggregation, histogram })),
    );
  return [
    ...QUANTILES.map((quantile) => ({ ...named, kind: 'latency', quantile }) as const),
    ...(['errors', 'traffic', 'silence', 'log_errors'] as const).map((kind) => ({ ...named, kind })),
  ];
}

const aggregations = Object.keys(AGGREGATIONS).filter((one): one is MetricAggregation => one !== 'quantiles');

/** The service and the operation that a query filters by. */
function namedIn(stages: readonly Stage[]): Target {
  const where = stages[0]?.kind === 'where' ? stages[0].predicate : undefined;
  const conditions = where?.kind === 'and' ? where.operands : where === undefined ? [] : [where];
  const equal = (field: string) => {
    for (const one of conditions)
      if (
        one.kind === 'compare' &&
        one.left.kind === 'path' &&
        one.left.segments.join('.') === field &&
        one.right.kind === 'string'
      )
        return one.right.value;
    return '';
  };
  return { service: equal('service.name'), operation: equal('name') };
}
