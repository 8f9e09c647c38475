import { useMemo } from 'react';
import { useTimeRange } from '../../app/time-range.ts';
import { bucketWidth } from '../../telemetry/bucket-width.ts';
import { fieldPath } from '../../telemetry/filters.ts';
import { useOql } from '../../telemetry/oql.ts';
import { resultCharts } from '../../telemetry/results.ts';
import { Chart } from '../../ui/chart/chart.tsx';
import { Button, useComputedColorScheme } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { resolveRange } from '../../ui/time/time-range.ts';
import { type Aggregation, chartQuery, type MetricKind } from './metric-query.ts';
import { metricFormat } from './metric-units.ts';
import classes from './metrics.module.css';

/** The most labels that a metric is broken down by at once. */
const MOST_LABELS = 6;

/** A metric broken down by each of its labels, in small charts; a click keeps one of them. */
export function LabelBreakdown({
  labels,
  onPick,
  ...metric
}: {
  metric: string;
  of: MetricKind;
  aggregation: Aggregation;
  service: string | undefined;
  labels: readonly string[];
  onPick: (label: string) => void;
}) {
  if (labels.length === 0) return null;
  return (
    <Panel title="By label">
      <ul className={classes.labels} aria-label="Labels">
        {labels.slice(0, MOST_LABELS).map((label) => (
          <li key={label}>
            <Button variant="subtle" size="compact-xs" onClick={() => onPick(label)}>
              by {label}
            </Button>
            <ByLabel {...metric} label={label} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function ByLabel({
  metric,
  of,
  aggregation,
  service,
  label,
}: {
  metric: string;
  of: MetricKind;
  aggregation: Aggregation;
  service: string | undefined;
  label: string;
}) {
  const scheme = useComputedColorScheme();
  const { range } = useTimeRange();
  const window = resolveRange(range, Date.now());
  const bucket = bucketWidth((window?.to ?? 1) - (window?.from ?? 0), 30);
  // Three quantiles of each value would be too many lines for a small chart.
  const drawn = aggregation === 'quantiles' ? 'p95' : aggregation;
  const query = chartQuery({ metric, of, aggregation: drawn, service, by: fieldPath(label), bucket: bucket.text });
  const answer = useOql(query, { limit: 20_000, keep: true });
  const chart = useMemo(
    () => (answer.data ? resultCharts(answer.data.result, scheme, 2)[0] : undefined),
    [answer.data, scheme],
  );
  const format = useMemo(
    () =>
      metricFormat(
        of.unit,
        drawn,
        of.kind.endsWith('histogram'),
        (chart?.series ?? []).flatMap(({ values }) => values),
      ),
    [of, drawn, chart],
  );
  return (
    <div style={{ height: 120 }}>
      {chart && chart.times.length > 0 && (
        <Chart
          label={`${metric} by ${label}`}
          times={chart.times}
          series={chart.series}
          window={answer.data?.window}
          format={format}
          height={120}
          legend={false}
          syncKey="metric"
        />
      )}
    </div>
  );
}
