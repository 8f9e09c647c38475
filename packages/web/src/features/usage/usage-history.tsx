import type { getUsage, RouteResponse } from '@fanion/contract';
import { useMemo, useState } from 'react';
import { useTimeRange } from '../../app/time-range.ts';
import { Chart } from '../../ui/chart/chart.tsx';
import { alignSeries } from '../../ui/chart/series.ts';
import { seriesColour } from '../../ui/colours.ts';
import { formatBytes, formatNumber } from '../../ui/format/index.ts';
import { SegmentedControl, useComputedColorScheme } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';

type Usage = RouteResponse<typeof getUsage>;
type History = Usage['projects'][number]['history'];

const MEASURES = {
  items: { label: 'Items', format: formatNumber },
  bytes: { label: 'Received', format: formatBytes },
  lost: { label: 'Not taken', format: formatNumber },
} as const;
type Measure = keyof typeof MEASURES;
const isMeasure = (value: string): value is Measure => value in MEASURES;
const signals = ['traces', 'logs', 'metrics', 'profiles'] as const;

/** What came hour by hour, or day by day, of each signal. */
export function UsageHistory({
  history,
  window,
  stepSeconds,
}: {
  history: History;
  window: Usage['window'];
  stepSeconds: number;
}) {
  const [measure, setMeasure] = useState<Measure>('items');
  const { zoomTo } = useTimeRange();
  const scheme = useComputedColorScheme();
  const chart = useMemo(() => {
    const points = history.map(({ at, signal, ...values }) => ({
      time: Date.parse(at),
      label: signal,
      value: values[measure],
    }));
    const { times, series } = alignSeries(points, stepSeconds * 1000);
    return { times, byLabel: new Map(series.map(({ label, values }) => [label, values])) };
  }, [history, measure, stepSeconds]);
  const drawn = signals.flatMap((signal, index) => {
    const values = chart.byLabel.get(signal);
    return values === undefined ? [] : [{ label: signal, values, colour: seriesColour(index, scheme) }];
  });
  const { label, format } = MEASURES[measure];
  const per = stepSeconds === 3600 ? 'hour' : 'day';
  return (
    <Panel
      title={`By the ${per}`}
      actions={
        <SegmentedControl
          aria-label="Measure"
          size="xs"
          value={measure}
          data={Object.entries(MEASURES).map(([value, one]) => ({ value, label: one.label }))}
          onChange={(value) => isMeasure(value) && setMeasure(value)}
        />
      }
    >
      <Chart
        label={`${label} by the ${per}`}
        kind="stack"
        times={chart.times}
        series={drawn}
        window={{ from: Date.parse(window.from), to: Date.parse(window.to) }}
        format={format}
        height={180}
        onZoom={zoomTo}
      />
    </Panel>
  );
}
