import { useMemo } from 'react';
import { useTimeRange } from '../../app/time-range.ts';
import { bucketWidth } from '../../telemetry/bucket-width.ts';
import { quote, useOql, whereStage } from '../../telemetry/oql.ts';
import { resultCharts } from '../../telemetry/results.ts';
import { Chart } from '../../ui/chart/chart.tsx';
import { useComputedColorScheme } from '../../ui/mantine.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { resolveRange } from '../../ui/time/time-range.ts';
import { profileFormat } from './profile-units.ts';
import type { ProfileSelection } from './queries.ts';

export const TIMELINE_HEIGHT = 110;

/** How much each service used over time; dragging selects the time that the graph below shows. */
export function ProfileTimeline({ selection }: { selection: ProfileSelection }) {
  const { range, zoomTo } = useTimeRange();
  const scheme = useComputedColorScheme();
  const window = resolveRange(range, Date.now());
  const bucket = bucketWidth((window?.to ?? 1) - (window?.from ?? 0));
  const [kind = '', unit = ''] = selection.type.split(':');
  const where = whereStage([
    `profile_type == ${quote(selection.type)}`,
    selection.service !== undefined && `service.name == ${quote(selection.service)}`,
    selection.trace !== undefined && `trace_id == ${quote(selection.trace)}`,
  ]);
  // A type with other characters has no name that a query could use as it is; then only the graph is shown.
  const isNamed = /^[A-Za-z_][\w.]*$/.test(kind);
  const query = `profiles ${kind}${where} | stats used=sum(value) by service.name, bucket(${bucket.text})`;
  const answer = useOql(isNamed ? query : null, { keep: true });
  const chart = useMemo(
    () => (answer.data ? resultCharts(answer.data.result, scheme, 2)[0] : undefined),
    [answer.data, scheme],
  );
  if (!isNamed) return null;
  if (answer.isPending) return <Skeleton height={TIMELINE_HEIGHT} label="Loading the timeline" />;
  if (chart === undefined || chart.times.length === 0) return null;
  return (
    <Chart
      label={`${kind} over time by service`}
      kind="stack"
      times={chart.times}
      series={chart.series}
      window={answer.data?.window}
      format={profileFormat(unit)}
      height={TIMELINE_HEIGHT}
      legend={false}
      onZoom={zoomTo}
    />
  );
}
