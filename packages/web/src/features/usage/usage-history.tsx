import type { getUsage, RouteResponse } from '@fanion/contract';
import { useMemo, useState } from 'react';
import { useTimeRange } from '../../app/time-range.ts';
import { Chart } from '../../ui/chart/chart.tsx';
import { seriesColour } from '../../ui/colours.ts';
import { formatBytes, formatNumber } from '../../ui/format/index.ts';
import { SegmentedControl, useComputedColorScheme } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';

type Usage = RouteResponse<typeof getUsage>;
type History = Usage['projects'][number]['history'];

const MEASURES = {
  items: { label: 'Items', format: formatNumber },
  bytes: { label: 'Received', format: formatBytes },
  lost: { label: 'Not accepted', format: formatNumber },
} as const;
type Measure = keyof typeof MEASURES;
const isMeasure = (value: string): value is Measure => value in MEASURES;
const signals = ['traces', 'logs', 'metrics', 'profiles'] as const;

/** The usage of each signal per hour or per day. */
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
  const step = stepSeconds * 1000;
  const first = Math.floor(Date.parse(window.from) / step) * step;
  const last = Date.parse(window.to);
  const times = useMemo(() => {
    const count = Math.max(1, Math.ceil((last - first) / step));
    return Array.from({ length: count }, (_, index) => first + index * step);
  }, [first, last, step]);
  const drawn = useMemo(
    () =>
      signals.flatMap((signal, index) => {
        const own = history.filter((one) => one.signal === signal);
        if (own.length === 0) return [];
        // A step without data counts as 0, not as a gap.
        const at = new Map(own.map((one) => [Date.parse(one.at), one[measure]]));
        return [{ label: signal, values: times.map((time) => at.get(time) ?? 0), colour: seriesColour(index, scheme) }];
      }),
    [history, measure, scheme, times],
  );
  const { label, format } = MEASURES[measure];
  const per = stepSeconds === 3600 ? 'hour' : 'day';
  return (
    <Panel
      title={`Per ${per}`}
      actions={
        <SegmentedControl
          aria-label="Measure"
          value={measure}
          data={Object.entries(MEASURES).map(([value, one]) => ({ value, label: one.label }))}
          onChange={(value) => isMeasure(value) && setMeasure(value)}
        />
      }
    >
      <Chart
        label={`${label} per ${per}`}
        kind="stack"
        times={times}
        series={drawn}
        window={{ from: first, to: last }}
        format={format}
        height={180}
        onZoom={zoomTo}
      />
    </Panel>
  );
}
