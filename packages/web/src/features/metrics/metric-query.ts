/** A metric's kind and unit as sent, and whether it is monotonic. */
export interface MetricKind {
  kind: string;
  unit: string;
  monotonic: boolean;
}

export const AGGREGATIONS = {
  rate: 'Rate',
  increase: 'Increase',
  quantiles: 'p50, p95, p99',
  p50: 'p50',
  p95: 'p95',
  p99: 'p99',
  count: 'Count per second',
  avg: 'Average',
  min: 'Minimum',
  max: 'Maximum',
  sum: 'Sum',
} as const;
export type Aggregation = keyof typeof AGGREGATIONS;

/** The aggregations that suit a metric, most useful first. */
export function aggregationsOf({ kind, monotonic }: MetricKind): readonly Aggregation[] {
  if (kind === 'histogram' || kind === 'exponential_histogram')
    return ['quantiles', 'p50', 'p95', 'p99', 'count', 'increase'];
  if (kind === 'sum' && monotonic) return ['rate', 'increase'];
  return ['avg', 'max', 'min', 'sum'];
}

/** `a.b` stays unchanged; other names are put in backticks. */
export function metricName(name: string): string {
  return /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/.test(name) ? name : `\`${name.replaceAll('`', '\\`')}\``;
}

export function kindQuery(metric: string): string {
  return `metric ${metricName(metric)} | stats n=count() by kind, unit, monotonic | sort -n | limit 1`;
}

/** Attributes of the newest points of a metric. */
export function attributesQuery(metric: string): string {
  return `metric ${metricName(metric)} | sort -time | limit 300 | fields attributes`;
}

interface Asked {
  metric: string;
  of: MetricKind;
  aggregation: Aggregation;
  service?: string | undefined;
  by?: string | undefined;
}

/** The value that the chart shows last, as an alert rule watches it. A rule has one value: of the quantiles, p99. */
export function alertQuery({ aggregation, ...asked }: Asked): string {
  return aggregated({ ...asked, aggregation: aggregation === 'quantiles' ? 'p99' : aggregation }, asked.by);
}

/** The query that draws a metric; the page shows it and links it to Explore. */
export function chartQuery({ bucket, ...asked }: Asked & { bucket: string }): string {
  return aggregated(asked, [...(asked.by === undefined ? [] : [asked.by]), `bucket(${bucket})`].join(', '));
}

function aggregated({ metric, of, aggregation, service }: Asked, by: string | undefined): string {
  const source = `metric ${metricName(metric)}${service === undefined ? '' : ` | where service.name == ${JSON.stringify(service)}`}`;
  const keys = by === undefined ? '' : ` by ${by}`;
  const histogram = of.kind.endsWith('histogram');
  switch (aggregation) {
    case 'rate':
      return `${source} | rate | sum${keys}`;
    case 'increase':
      return histogram ? `${source} | increase | stats n=sum(count)${keys}` : `${source} | increase | sum${keys}`;
    case 'count':
      return `${source} | rate | stats n=sum(count)${keys}`;
    case 'quantiles':
      return `${source} | increase | stats p50=p50(value), p95=p95(value), p99=p99(value)${keys}`;
    case 'p50':
    case 'p95':
    case 'p99':
      return `${source} | increase | ${aggregation}${keys}`;
    default:
      return `${source} | ${aggregation}${keys}`;
  }
}
