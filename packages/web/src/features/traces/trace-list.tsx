import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useScope } from '../../app/session.ts';
import { useOql } from '../../telemetry/oql.ts';
import { asRecords } from '../../telemetry/results.ts';
import { ServiceName } from '../../telemetry/service-name.tsx';
import { Value, type ValueActions, ValueArea } from '../../telemetry/value-actions.tsx';
import { serviceColour } from '../../ui/colours.ts';
import { type Column, DataTable, listHeight } from '../../ui/data-table.tsx';
import { countOf, formatDuration, formatPercent } from '../../ui/format/index.ts';
import { AppLink } from '../../ui/link.tsx';
import { useComputedColorScheme } from '../../ui/mantine.ts';
import { ErrorNotice } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import classes from './trace-list.module.css';
import { logShare, rangeAround, type TraceRow, traceRows, type WholeTrace } from './trace-rows.ts';
import { MOST_TRACES, wholeTracesQuery, workQuery } from './trace-search.ts';

/** Rows of the answer about services: a trace rarely has more than these. */
const SERVICES_PER_TRACE = 40;

const COLUMNS: readonly Column<TraceRow>[] = [
  {
    id: 'time',
    header: 'Started',
    width: 150,
    sortBy: ({ time }) => time,
    cell: ({ time }) => <Timestamp value={time} milliseconds recent />,
  },
  {
    id: 'service',
    header: 'Service',
    width: 140,
    sortBy: ({ service }) => service,
    cell: ({ service }) => (
      <Value picked={{ field: 'service.name', value: service }}>
        <ServiceName name={service} />
      </Value>
    ),
  },
  { id: 'name', header: 'Operation', cell: (row) => <Operation {...row} /> },
  {
    id: 'work',
    header: 'Work by service',
    width: 130,
    cell: ({ whole }) => whole && <Work work={whole.work} />,
  },
  {
    id: 'spans',
    header: 'Spans',
    numeric: true,
    width: 70,
    sortBy: ({ whole }) => whole?.spans ?? 0,
    cell: ({ whole }) => whole?.spans ?? '',
  },
  {
    id: 'errors',
    header: 'Errors',
    width: 210,
    sortBy: ({ whole }) => whole?.errors ?? 0,
    cell: ({ whole }) => whole && <Errors whole={whole} />,
  },
  {
    id: 'duration',
    header: 'Duration',
    width: 90,
    number: ({ duration }) => duration,
    format: formatDuration,
  },
];

/** One row for each trace: its root, who worked how long in it, and what failed. */
export function TraceList({
  traceIds,
  matches,
  actions,
}: {
  traceIds: readonly string[];
  /** The spans that match the search, the newest first. */
  matches: readonly Readonly<Record<string, unknown>>[];
  actions: ValueActions;
}) {
  const scope = useScope();
  const navigate = useNavigate();
  const range = useMemo(() => rangeAround(matches), [matches]);
  const wholes = useOql(wholeTracesQuery(traceIds), { limit: MOST_TRACES, range });
  const works = useOql(workQuery(traceIds), { limit: MOST_TRACES * SERVICES_PER_TRACE, range });
  const rows = useMemo(
    // Shares of a part of the services would be wrong.
    () => traceRows(traceIds, matches, recordsOf(wholes.data), works.data?.truncated ? [] : recordsOf(works.data)),
    [traceIds, matches, wholes.data, works.data],
  );
  const durations = rows.map(({ duration }) => duration);
  const [shortest, longest] = [Math.min(...durations), Math.max(...durations)];
  const open = ({ traceId }: TraceRow) =>
    void navigate({ to: '/w/$ws/$project/traces/$traceId', params: { ...scope, traceId } });
  return (
    <>
      <ErrorNotice error={wholes.error ?? works.error} />
      <ValueArea actions={actions}>
        <DataTable
          label="Traces"
          rows={rows}
          rowKey={({ traceId }) => traceId}
          onRowClick={open}
          height={listHeight(rows.length, 440)}
          keepsPosition
          columns={[
            ...COLUMNS,
            {
              id: 'bar',
              header: <span className="visually-hidden">Duration on a logarithmic scale</span>,
              width: 90,
              cell: ({ duration, whole }) => (
                <span
                  aria-hidden
                  className={classes.bar}
                  data-failed={(whole?.errors ?? 0) > 0 || undefined}
                  style={{ width: `${logShare(duration, shortest, longest) * 100}%` }}
                />
              ),
            },
          ]}
        />
      </ValueArea>
    </>
  );
}

function Operation({ traceId, name, matched }: TraceRow) {
  const scope = useScope();
  return (
    <Value picked={{ field: 'name', value: name }}>
      <AppLink
        to="/w/$ws/$project/traces/$traceId"
        params={{ ...scope, traceId }}
        title={matched ? `${name}, matching ${matched}` : name}
      >
        {name}
        {matched !== undefined && <span className="dim"> › {matched}</span>}
      </AppLink>
    </Value>
  );
}

function recordsOf(answer: ReturnType<typeof useOql>['data']) {
  return answer ? asRecords(answer.result) : [];
}

/** A strip of the services that worked in a trace, as wide as their self times. */
function Work({ work }: Pick<WholeTrace, 'work'>) {
  const scheme = useComputedColorScheme();
  const all = work.reduce((sum, { self }) => sum + self, 0);
  if (all === 0) return null;
  const share = (self: number) => `${(self / all) * 100}%`;
  const label = work.map(({ service, self }) => `${service} ${formatPercent(self / all)}`).join(', ');
  return (
    <span className={classes.work} role="img" aria-label={label} title={label}>
      {work.map(({ service, self }) => (
        <span key={service} style={{ width: share(self), background: serviceColour(service, scheme) }} />
      ))}
    </span>
  );
}

function Errors({ whole: { errors, message } }: { whole: WholeTrace }) {
  if (errors === 0) return null;
  return (
    <span className={`${classes.errors} truncate`} title={message}>
      {message === '' ? countOf(errors, 'error') : errors === 1 ? message : `${errors}: ${message}`}
    </span>
  );
}
