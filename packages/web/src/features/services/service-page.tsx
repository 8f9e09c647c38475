import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useScope } from '../../app/session.ts';
import { TelemetryControls } from '../../app/telemetry-controls.tsx';
import { useTimeRange } from '../../app/time-range.ts';
import { bucketWidth } from '../../telemetry/bucket-width.ts';
import { quote, useOql } from '../../telemetry/oql.ts';
import { asRecords, type ResultChart, resultCharts } from '../../telemetry/results.ts';
import { ServiceName } from '../../telemetry/service-name.tsx';
import { serviceQuery } from '../../telemetry/services.ts';
import { Chart } from '../../ui/chart/chart.tsx';
import { summarize } from '../../ui/chart/series.ts';
import { seriesColour } from '../../ui/colours.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { formatDuration, formatNumber, formatPercent, rateFormat } from '../../ui/format/index.ts';
import { AppLink } from '../../ui/link.tsx';
import { useComputedColorScheme } from '../../ui/mantine.ts';
import { Page, Panel } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/states.tsx';
import { resolveRange } from '../../ui/time/time-range.ts';
import { ENTRY_SPANS } from './service-health.ts';
import classes from './services.module.css';

/** One service: rate, errors and latency over time, and its operations. */
export function ServicePage() {
  const scope = useScope();
  const { service: name } = useParams({ from: '/w/$ws/$project/services/$service' });
  const service = useQuery(serviceQuery(scope.ws, name));
  return (
    <Page
      title={service.data?.display_name ?? name}
      crumbs={
        <AppLink to="/w/$ws/$project/services" params={scope}>
          Services
        </AppLink>
      }
      actions={<TelemetryControls />}
    >
      {service.isError ? (
        <ErrorState error={service.error} onRetry={() => void service.refetch()} />
      ) : (
        <>
          <div className={classes.links}>
            <ServiceName name={name} />
            {service.data?.team && <span className="dim">{service.data.team}</span>}
            <AppLink to="/w/$ws/$project/traces" params={scope} search={{ service: name }}>
              Traces
            </AppLink>
            <AppLink to="/w/$ws/$project/logs" params={scope} search={{ service: name }}>
              Logs
            </AppLink>
            {service.data?.runbook_url && (
              <a href={service.data.runbook_url} rel="noreferrer noopener" target="_blank">
                Runbook
              </a>
            )}
            {service.data?.repository_url && (
              <a href={service.data.repository_url} rel="noreferrer noopener" target="_blank">
                Repository
              </a>
            )}
          </div>
          <HealthCharts service={name} />
          <Operations service={name} />
        </>
      )}
    </Page>
  );
}

/** How the values of a chart are written. */
function formatOf(chart: ResultChart): (value: number) => string {
  if (chart.measure === 'errors') return formatPercent;
  return chart.measure === 'rate' ? rateFormat(chart.series.flatMap(({ values }) => values)) : formatNumber;
}

const TITLES: Record<string, string> = { rate: 'Requests', errors: 'Errors', p50: 'p50', p99: 'p99' };

function HealthCharts({ service }: { service: string }) {
  const { range, zoomTo } = useTimeRange();
  const scheme = useComputedColorScheme();
  const window = resolveRange(range, Date.now());
  const bucket = bucketWidth((window?.to ?? 1) - (window?.from ?? 0));
  const answer = useOql(
    `spans | where service.name == ${quote(service)} and ${ENTRY_SPANS} | stats rate=count()/window, errors=ratio(status == error), p50=p50(duration), p99=p99(duration) by bucket(${bucket.text})`,
    { keep: true },
  );
  const charts = useMemo(() => {
    if (!answer.data) return [];
    const to = answer.data.window?.to ?? Number.POSITIVE_INFINITY;
    return resultCharts(answer.data.result, scheme, 1, { width: bucket.milliseconds, to });
  }, [answer.data, scheme, bucket.milliseconds]);
  if (answer.isPending) return <Loading />;
  if (answer.isError) return <ErrorState compact error={answer.error} onRetry={() => void answer.refetch()} />;
  if (charts.every((chart) => chart.times.length === 0)) {
    return (
      <EmptyState compact title="No requests in this window">
        The service answered none, or sends no server spans. Widen the time range.
      </EmptyState>
    );
  }
  const latency = charts.filter((chart) => chart.type === 'duration');
  return (
    <div className={classes.charts}>
      {charts
        .filter((chart) => chart.type !== 'duration')
        .map((chart) => (
          <Panel
            key={chart.measure}
            title={TITLES[chart.measure] ?? chart.measure}
            actions={<Now values={chart.series[0]?.values ?? []} format={formatOf(chart)} />}
          >
            <Chart
              label={`${TITLES[chart.measure] ?? chart.measure} of ${service}`}
              times={chart.times}
              series={chart.series}
              window={answer.data.window}
              format={formatOf(chart)}
              height={170}
              legend={false}
              onZoom={zoomTo}
              syncKey="service"
            />
          </Panel>
        ))}
      {latency[0] && (
        <Panel
          title="Latency (p99)"
          actions={<Now values={latency.at(-1)?.series[0]?.values ?? []} format={formatDuration} />}
        >
          <Chart
            label={`Latency of ${service}`}
            times={latency[0].times}
            series={latency
              .flatMap((chart) => chart.series)
              .map((series, index) => ({ ...series, colour: seriesColour(index, scheme) }))}
            window={answer.data.window}
            format={formatDuration}
            height={170}
            onZoom={zoomTo}
            syncKey="service"
          />
        </Panel>
      )}
    </div>
  );
}

/** The newest complete value of a chart, legible from afar. */
function Now({ values, format }: { values: readonly (number | null)[]; format: (value: number) => string }) {
  const { last } = summarize(values);
  return last === null ? null : <span className={classes.now}>{format(last)}</span>;
}

function Operations({ service }: { service: string }) {
  const scope = useScope();
  const navigate = useNavigate();
  const answer = useOql(
    `spans | where service.name == ${quote(service)} and ${ENTRY_SPANS} | stats rate=count()/window, errors=ratio(status == error), p50=p50(duration), p99=p99(duration) by name | sort -rate | limit 100`,
    { keep: true },
  );
  if (!answer.data || answer.data.result.rows.length === 0) return null;
  const rows = asRecords(answer.data.result);
  const rate = rateFormat(rows.map((row) => Number(row.rate)));
  const number = (key: string) => (row: Record<string, unknown>) => Number(row[key] ?? 0);
  return (
    <Panel title="Operations" tight>
      <DataTable
        label="Operations"
        rows={rows}
        rowKey={(row) => String(row.name)}
        onRowClick={(row) =>
          void navigate({
            to: '/w/$ws/$project/traces',
            params: scope,
            search: { service, q: `name == ${quote(String(row.name))}` },
          })
        }
        columns={[
          { id: 'name', header: 'Operation', sortBy: (row) => String(row.name), cell: (row) => String(row.name) },
          {
            id: 'rate',
            header: 'Rate',
            numeric: true,
            width: 120,
            sortBy: number('rate'),
            cell: (row) => rate(Number(row.rate)),
          },
          {
            id: 'errors',
            header: 'Errors',
            numeric: true,
            width: 110,
            sortBy: number('errors'),
            cell: (row) => formatPercent(Number(row.errors)),
          },
          {
            id: 'p50',
            header: 'p50',
            numeric: true,
            width: 110,
            sortBy: number('p50'),
            cell: (row) => formatDuration(Number(row.p50)),
          },
          {
            id: 'p99',
            header: 'p99',
            numeric: true,
            width: 110,
            sortBy: number('p99'),
            cell: (row) => formatDuration(Number(row.p99)),
          },
        ]}
      />
    </Panel>
  );
}
