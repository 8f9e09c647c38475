import type { Parameters } from '../../read/request.ts';
import { invalid } from './answer.ts';
import { wholeOf } from './parameter-rules.ts';
import { type SpanKind, spanKinds } from './span-rules.ts';

/** What a metric of the Monitor tab is about. Times in milliseconds. */
export interface Measure {
  readonly services: readonly string[];
  readonly isByOperation: boolean;
  readonly kinds: readonly SpanKind[];
  /** Ends of the windows that are measured, each `rateMs` long: the first, the last and what is between them. */
  readonly firstMs: number;
  readonly lastMs: number;
  readonly stepMs: number;
  readonly rateMs: number;
}

const latestMs = 4_294_967_295_000;

/** The parameters of a metric (`query_parser.go`, `parseMetricsQueryParams`). */
export function measureOf(parameters: Parameters, nowMs: number, maxPoints: number): Measure {
  const services = [...new Set(parameters.all('service').filter((name) => name !== ''))];
  if (services.length === 0) throw invalid("unable to parse param 'service': please provide at least one service name");
  const millis = (name: string, otherwise: number) => {
    const text = parameters.one(name);
    return text === undefined ? otherwise : Number(wholeOf(name, text));
  };
  const positive = (name: string, otherwise: number) => {
    const ms = millis(name, otherwise);
    if (ms <= 0) throw invalid(`unable to parse param '${name}': it must be greater than 0`);
    return ms;
  };
  const lastMs = Math.min(latestMs, Math.max(0, millis('endTs', nowMs)));
  const lookback = Math.min(lastMs, positive('lookback', 3_600_000));
  const stepMs = positive('step', 5_000);
  const rateMs = Math.min(latestMs, positive('ratePer', 600_000));
  const steps = Math.floor(lookback / stepMs);
  if (steps + 1 > maxPoints) throw invalid(`more than ${maxPoints} points: choose a longer step or a shorter lookback`);
  return {
    services,
    isByOperation: boolOf(parameters, 'groupByOperation'),
    kinds: kindsOf(parameters),
    firstMs: lastMs - steps * stepMs,
    lastMs,
    stepMs,
    rateMs,
  };
}

function boolOf(parameters: Parameters, name: string): boolean {
  const text = parameters.one(name);
  if (text === undefined || /^(0|f|false)$/i.test(text)) return false;
  if (/^(1|t|true)$/i.test(text)) return true;
  throw invalid(`unable to parse param '${name}': "${text.slice(0, 100)}" is not a boolean`);
}

function kindsOf(parameters: Parameters): SpanKind[] {
  const texts = parameters.all('spanKind');
  if (texts.length === 0) return ['server'];
  return texts.map((text) => {
    const kind = spanKinds.find((one) => one === text);
    if (kind === undefined)
      throw invalid(`unable to parse param 'spanKind': unsupported span kind: '${text.slice(0, 100)}'`);
    return kind;
  });
}

export function quantileOf(parameters: Parameters): number {
  const text = parameters.one('quantile') ?? '';
  const quantile = /^(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  if (!(quantile >= 0 && quantile <= 1))
    throw invalid(`unable to parse param 'quantile': "${text.slice(0, 100)}" is not between 0 and 1`);
  return quantile;
}

/** What the spans of a service, or of one of its operations, were in one window. */
export interface MeasuredRow {
  readonly service: string;
  readonly operation: string;
  /** The end of the window in milliseconds. */
  readonly at: number;
  readonly calls: number;
  readonly failed: number;
  readonly latency_ms: number;
}

export type Metric =
  | { readonly kind: 'latencies'; readonly quantile: number }
  | { readonly kind: 'calls' }
  | { readonly kind: 'errors' };

/** A metric in the form of Jaeger (`metrics.MetricFamily` as JSON). Windows without spans have no calls, and no other value. */
export function metricFamily(metric: Metric, measure: Measure, rows: readonly MeasuredRow[]) {
  const groups = new Map<string, { row: MeasuredRow; values: Map<number, MeasuredRow> }>();
  for (const row of rows) {
    const key = JSON.stringify([row.service, row.operation]);
    const known = groups.get(key) ?? { row, values: new Map<number, MeasuredRow>() };
    known.values.set(row.at, row);
    groups.set(key, known);
  }
  const times = Array.from(
    { length: Math.floor((measure.lastMs - measure.firstMs) / measure.stepMs) + 1 },
    (_, at) => measure.firstMs + at * measure.stepMs,
  );
  const grouping = `grouped by service${measure.isByOperation ? ' & operation' : ''}`;
  const { name, help } = namesOf(metric);
  return {
    name: `service${measure.isByOperation ? '_operation' : ''}_${name}`,
    type: 'GAUGE',
    help: `${help}, ${grouping}`,
    metrics: [...groups.values()].map(({ row, values }) => ({
      labels: [
        ...(measure.isByOperation ? [{ name: 'operation', value: row.operation }] : []),
        { name: 'service_name', value: row.service },
      ],
      metricPoints: times.map((at) => ({
        gaugeValue: { doubleValue: pointOf(metric, measure, values.get(at)) },
        timestamp: new Date(at).toISOString(),
      })),
    })),
  };
}

function namesOf(metric: Metric) {
  switch (metric.kind) {
    case 'latencies':
      return { name: 'latencies', help: `${metric.quantile.toFixed(2)}th quantile latency` };
    case 'calls':
      return { name: 'call_rate', help: 'calls/sec' };
    case 'errors':
      return { name: 'error_rate', help: 'error rate, computed as a fraction of errors/sec over calls/sec' };
  }
}

/** JSON has no NaN: protobuf writes it as text. */
function pointOf(metric: Metric, { rateMs }: Measure, row: MeasuredRow | undefined): number | 'NaN' {
  switch (metric.kind) {
    case 'latencies':
      return row === undefined ? 'NaN' : row.latency_ms;
    case 'calls':
      return row === undefined ? 0 : row.calls / (rateMs / 1_000);
    case 'errors':
      return row === undefined || row.calls === 0 ? 'NaN' : row.failed / row.calls;
  }
}
