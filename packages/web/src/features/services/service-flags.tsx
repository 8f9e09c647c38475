import { useScope } from '../../app/session.ts';
import { quote, useOql } from '../../telemetry/oql.ts';
import { asRecords, plainText } from '../../telemetry/results.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { formatDuration, formatNumber, formatPercent } from '../../ui/format/index.ts';
import { AppLink } from '../../ui/link.tsx';
import { Panel } from '../../ui/page.tsx';
import { TableSkeleton } from '../../ui/skeleton.tsx';
import { ErrorState } from '../../ui/states.tsx';
import classes from './services.module.css';

/** Maximum number of flags shown, most evaluated first. */
const FLAGS = 6;
/** The event that reports an evaluation, on a log record or on a span (semantic conventions of OpenTelemetry). */
const EVALUATION = 'feature_flag.evaluation';

/** The flags that a service reported evaluating, with the outcome of the requests for each variant. */
export function ServiceFlags({ service }: { service: string }) {
  const ofService = `service.name == ${quote(service)}`;
  const top = `stats n=count() by feature_flag.key | sort -n | limit ${FLAGS}`;
  const inLogs = useOql(`logs | where ${ofService} and event_name == ${quote(EVALUATION)} | ${top}`, { keep: true });
  const inSpans = useOql(`events | where ${ofService} and name == ${quote(EVALUATION)} | ${top}`, { keep: true });
  const answers = [inLogs, inSpans];
  const keys = answers
    .flatMap(({ data }) => data?.result.rows ?? [])
    .flatMap(([key]) => (typeof key === 'string' && key !== '' ? [key] : []));
  const failed = answers.find(({ isError }) => isError);
  return (
    <Panel title="Flags" tight>
      {failed ? (
        <ErrorState compact error={failed.error} onRetry={() => void failed.refetch()} />
      ) : answers.some(({ isPending }) => isPending) ? (
        <TableSkeleton rows={5} />
      ) : keys.length === 0 ? (
        <p className={classes.none}>The service reported no flag evaluations in this window.</p>
      ) : (
        [...new Set(keys)].slice(0, FLAGS).map((key) => <FlagVariants key={key} flag={key} service={service} />)
      )}
    </Panel>
  );
}

function FlagVariants({ flag, service }: { flag: string; service: string }) {
  const scope = useScope();
  const answer = useOql(
    `flags ${quote(flag)} | where service.name == ${quote(service)} | stats n=count(), errors=ratio(span.status == error), p95=p95(span.duration) by variant | sort -n | limit 10`,
    { keep: true },
  );
  if (answer.isError) return <ErrorState compact error={answer.error} onRetry={() => void answer.refetch()} />;
  if (answer.isPending) return <TableSkeleton rows={5} />;
  return (
    <DataTable
      label={`Variants of ${flag}`}
      rows={asRecords(answer.data.result)}
      rowKey={(row) => String(row.variant)}
      columns={[
        {
          id: 'variant',
          header: (
            <AppLink className="mono" to="/w/$ws/$project/flags/$key" params={{ ...scope, key: flag }}>
              {flag}
            </AppLink>
          ),
          cell: (row) => (row.variant === null ? <span className="dim">error</span> : plainText(row.variant)),
        },
        { id: 'n', header: 'Evaluations', numeric: true, width: 100, cell: (row) => formatNumber(Number(row.n)) },
        {
          id: 'errors',
          header: 'Errors',
          numeric: true,
          width: 80,
          cell: (row) => (row.errors === null ? '–' : formatPercent(Number(row.errors))),
        },
        {
          id: 'p95',
          header: 'p95',
          numeric: true,
          width: 90,
          cell: (row) => (row.p95 === null ? '–' : formatDuration(Number(row.p95))),
        },
      ]}
    />
  );
}
