import { useMemo } from 'react';
import { useTimeRange } from '../../app/time-range.ts';
import type { OqlAnswer } from '../../telemetry/oql.ts';
import { resultCharts } from '../../telemetry/results.ts';
import { Chart } from '../../ui/chart/chart.tsx';
import { formatPercent, rateFormat } from '../../ui/format/index.ts';
import { useComputedColorScheme } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ALARMING, type ServiceHealth } from './service-health.ts';
import classes from './services.module.css';

const HEIGHT = 130;

/** All services in two charts and two numbers, readable from a distance. */
export function ServicesOverview({
  history,
  health,
}: {
  history: OqlAnswer | undefined;
  health: ReadonlyMap<string, ServiceHealth>;
}) {
  const { zoomTo } = useTimeRange();
  const scheme = useComputedColorScheme();
  const [requests, errors] = useMemo(() => {
    if (!history) return [];
    return resultCharts(history.result, scheme, 2);
  }, [history, scheme]);
  // The list below must not move when the charts arrive.
  if (!history)
    return (
      <div className={classes.charts}>
        <Panel title="Requests" actions={<span className={classes.now}>&nbsp;</span>}>
          <Skeleton height={HEIGHT} label="Loading requests" />
        </Panel>
        <Panel title="Errors" actions={<span className={classes.now}>&nbsp;</span>}>
          <Skeleton height={HEIGHT} label="Loading errors" />
        </Panel>
      </div>
    );
  if (!requests || !errors || requests.times.length === 0) return null;
  const total = [...health.values()].reduce((sum, { rate }) => sum + rate, 0);
  const failed = [...health.values()].reduce((sum, { rate, errors: share }) => sum + rate * share, 0);
  const share = total === 0 ? 0 : failed / total;
  const format = rateFormat([total, ...requests.series.flatMap(({ values }) => values)]);
  const common = { times: requests.times, window: history?.window, height: HEIGHT, legend: false, onZoom: zoomTo };
  return (
    <div className={classes.charts}>
      <Panel title="Requests" actions={<span className={classes.now}>{format(total)}</span>}>
        <Chart label="Requests by service" series={requests.series} format={format} syncKey="services" {...common} />
      </Panel>
      <Panel
        title="Errors"
        actions={
          <span className={`${classes.now} ${share >= ALARMING ? classes.alarming : ''}`}>{formatPercent(share)}</span>
        }
      >
        <Chart label="Errors by service" series={errors.series} format={formatPercent} syncKey="services" {...common} />
      </Panel>
    </div>
  );
}
