import { getUsage, type RouteResponse } from '@fanion/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { routeQuery } from '../../api/queries.ts';
import { useScope } from '../../app/session.ts';
import { TelemetryControls } from '../../app/telemetry-controls.tsx';
import { useEnvironment, useTimeRange } from '../../app/time-range.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { countOf, formatBytes, formatNumber } from '../../ui/format/index.ts';
import { Page, Panel } from '../../ui/page.tsx';
import { Loaded } from '../../ui/resource/loaded.tsx';
import { EmptyState, Notice } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import classes from './usage.module.css';
import { UsageHistory } from './usage-history.tsx';

type Usage = RouteResponse<typeof getUsage>;
type ProjectUsage = Usage['projects'][number];
type SignalUsage = ProjectUsage['signals'][number];

/** What the project sends, what is stored, what was rejected and why, and what makes it expensive. */
export function UsagePage() {
  const { ws, project } = useScope();
  const environment = useEnvironment();
  const { range } = useTimeRange();
  const usage = useQuery({
    ...routeQuery(getUsage, {
      params: { ws },
      query: { project, ...(environment !== undefined && { environment }), ...range },
    }),
    placeholderData: keepPreviousData,
  });
  return (
    <Page
      title="Usage"
      actions={<TelemetryControls />}
      subtitle={
        usage.data && (
          <>
            <Timestamp value={usage.data.window.from} /> – <Timestamp value={usage.data.window.to} />, in whole hours
          </>
        )
      }
    >
      <Loaded query={usage}>
        {(data) =>
          data.projects.length === 0 ? (
            <EmptyState title="No telemetry in this window">Widen the time range.</EmptyState>
          ) : (
            data.projects.map((one) => (
              <ProjectPart key={one.project.id} usage={one} window={data.window} step={data.step_seconds} />
            ))
          )
        }
      </Loaded>
    </Page>
  );
}

/** Ordered by severity. */
const KINDS = {
  quarantined: { label: 'quarantined', unit: 'item' },
  rejected: { label: 'rejected', unit: 'item' },
  dropped: { label: 'over a limit', unit: 'item' },
  refused: { label: 'request rejected', unit: 'request' },
} as const;

function ProjectPart({ usage, window, step }: { usage: ProjectUsage; window: Usage['window']; step: number }) {
  const { signals, history } = usage;
  const reasons = signals.flatMap(({ signal, reasons: why }) => why.map((reason) => ({ signal, ...reason })));
  return (
    <>
      <Totals usage={usage} />
      <Losses signals={signals} />
      {history.length > 0 && <UsageHistory history={history} window={window} stepSeconds={step} />}
      <SignalTable signals={signals} />
      {reasons.length > 0 && <ReasonTable reasons={reasons} />}
      <MostExpensive usage={usage} />
    </>
  );
}

function Totals({ usage: { signals, evaluations, series, attributes } }: { usage: ProjectUsage }) {
  return (
    <dl className={classes.totals}>
      <Total name="Items accepted" value={formatNumber(sum(signals, 'items'))} />
      <Total name="Received" value={formatBytes(sum(signals, 'bytes'))} />
      <Total name="On disk" value={formatBytes(sum(signals, 'bytes_stored'))} />
      {evaluations.answered + evaluations.reported > 0 && (
        <Total name="Flag evaluations" value={formatNumber(evaluations.answered + evaluations.reported)} />
      )}
      <Total name="Metric series" value={formatNumber(series.count)} />
      <Total name="Attribute names" value={formatNumber(attributes.names)} />
    </dl>
  );
}

/** What was not accepted, and what arrived twice. */
function Losses({ signals }: Pick<ProjectUsage, 'signals'>) {
  const lost = (['rejected', 'quarantined', 'dropped'] as const).reduce((all, kind) => all + sum(signals, kind), 0);
  const refused = sum(signals, 'refused_requests');
  const repeats = signals.reduce((all, { repeated }) => all + repeated.requests, 0);
  const of = signals.filter((one) => one.rejected + one.quarantined + one.dropped + one.refused_requests > 0);
  return (
    <>
      {of.length > 0 && (
        <Notice kind="warning">
          {[
            ...(lost > 0 ? [countOf(lost, 'item')] : []),
            ...(refused > 0 ? [countOf(refused, 'entire request')] : []),
          ].join(' and ')}{' '}
          of {of.map(({ signal }) => signal).join(', ')} were not accepted. The reasons are below.
        </Notice>
      )}
      {repeats > 0 && (
        <Notice kind="info">
          {countOf(repeats, 'request')} arrived again within 15 minutes, as clients do that lost the answer. Their items
          are stored once.
        </Notice>
      )}
    </>
  );
}

function SignalTable({ signals }: Pick<ProjectUsage, 'signals'>) {
  return (
    <Panel title="By signal" tight>
      <DataTable
        label="Usage by signal"
        rows={signals}
        rowKey={(row) => row.signal}
        columns={[
          { id: 'signal', header: 'Signal', cell: (row) => row.signal },
          number('items', 'Items', formatNumber),
          number('bytes', 'Received', formatBytes),
          number('bytes_stored', 'On disk', formatBytes),
          { id: 'repeated', header: 'Repeated', width: 120, number: (row) => row.repeated.items },
          number('rejected', 'Rejected', formatNumber),
          number('quarantined', 'Quarantined', formatNumber),
          number('dropped', 'Over limits', formatNumber),
          number('refused_requests', 'Requests rejected', formatNumber),
          number('retention_days', 'Kept for', (days) => countOf(days, 'day')),
          { id: 'last', header: 'Last', width: 130, ago: (row) => row.last_at },
        ]}
      />
    </Panel>
  );
}

type Reason = ProjectUsage['signals'][number]['reasons'][number] & { signal: string };

function ReasonTable({ reasons }: { reasons: readonly Reason[] }) {
  return (
    <Panel title="Not accepted, by reason" tight>
      <DataTable
        label="Reasons"
        rows={reasons}
        rowKey={(row) => `${row.signal} ${row.kind} ${row.reason}`}
        columns={[
          { id: 'signal', header: 'Signal', width: 120, cell: (row) => row.signal },
          { id: 'kind', header: 'What happened', width: 160, cell: (row) => KINDS[row.kind].label },
          { id: 'reason', header: 'Reason', cell: (row) => row.reason },
          {
            id: 'items',
            header: 'Count',
            numeric: true,
            width: 130,
            sortBy: (row) => row.items,
            cell: (row) => countOf(row.items, KINDS[row.kind].unit),
          },
        ]}
      />
    </Panel>
  );
}

function MostExpensive({ usage: { series, attributes } }: { usage: ProjectUsage }) {
  return (
    <div className={classes.worst}>
      <Panel title="Metrics with the most series" tight>
        {series.worst.length === 0 ? (
          <EmptyState title="No metrics in this window" compact>
            Widen the time range, or send metrics.
          </EmptyState>
        ) : (
          <DataTable
            label="Metrics with the most series"
            rows={series.worst}
            rowKey={(row) => row.metric}
            columns={[
              { id: 'metric', header: 'Metric', cell: (row) => row.metric },
              { id: 'series', header: 'Series', width: 110, number: (row) => row.series },
            ]}
          />
        )}
      </Panel>
      <Panel title="Attributes with the most values" tight>
        <DataTable
          label="Attributes with the most values"
          rows={attributes.worst}
          rowKey={(row) => `${row.source} ${row.scope} ${row.name}`}
          columns={[
            { id: 'name', header: 'Attribute', cell: (row) => row.name },
            { id: 'source', header: 'Of', width: 150, cell: (row) => `${row.source}, ${row.scope}` },
            { id: 'cardinality', header: 'Values', width: 110, number: (row) => row.cardinality },
          ]}
        />
      </Panel>
    </div>
  );
}

function Total({ name, value }: { name: string; value: string }) {
  return (
    <div className={classes.total}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

type Figure =
  | 'items'
  | 'bytes'
  | 'bytes_stored'
  | 'rejected'
  | 'quarantined'
  | 'dropped'
  | 'refused_requests'
  | 'retention_days';

function sum(signals: readonly SignalUsage[], figure: Figure): number {
  return signals.reduce((all, signal) => all + signal[figure], 0);
}

function number(id: Figure, header: string, format: (value: number) => string) {
  return {
    id,
    header,
    numeric: true,
    width: 120,
    sortBy: (row: SignalUsage) => row[id],
    cell: (row: SignalUsage) => format(row[id]),
  };
}
