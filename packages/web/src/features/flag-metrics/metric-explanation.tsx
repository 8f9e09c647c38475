import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useCan, useScope } from '../../app/session.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { formatNumber } from '../../ui/format/index.ts';
import { AppLink } from '../../ui/link.tsx';
import { Select, Stack, useDebouncedValue } from '../../ui/mantine.ts';
import { Meter } from '../../ui/meter.tsx';
import { Panel } from '../../ui/page.tsx';
import { ErrorNotice, Loading, Notice } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { DiagnosticNotices } from '../explore/diagnostic-notices.tsx';
import { diagnosticsOf } from '../explore/diagnostics.ts';
import { flagsQuery } from '../flags/queries.ts';
import classes from './flag-metrics.module.css';
import { bodyOf, emptyDraft, explainable, type MetricDraft } from './metric-draft.ts';
import { joinedText } from './metric-words.ts';
import { draftExplanationQuery, type Explanation, explanationQuery, type Metric } from './queries.ts';

/** How long typing rests before the explanation is asked for; milliseconds. */
const restMs = 600;

/** What a metric in a form measures on recent telemetry. */
export function DraftExplanation({ draft }: { draft: MetricDraft }) {
  const scope = useScope();
  const canQuery = useCan('telemetry:query');
  const [settled] = useDebouncedValue(draft, restMs);
  const [flag, setFlag] = useState<string | null>(null);
  const body = useMemo(() => explainable(settled), [settled]);
  const query = useQuery({
    ...draftExplanationQuery(scope, body ?? bodyOf(emptyDraft), flag),
    enabled: body !== undefined && canQuery,
    placeholderData: keepPreviousData,
    retry: false,
  });
  return (
    <Explained
      query={query}
      metric={settled}
      flag={flag}
      onFlag={setFlag}
      hint={
        !canQuery
          ? 'Sample rows are shown to people with the permission telemetry:query.'
          : body === undefined
            ? 'Fill in the form to see which rows count.'
            : undefined
      }
    />
  );
}

/** What a saved metric measures. */
export function MetricExplanation({ metric }: { metric: Metric }) {
  const scope = useScope();
  const canQuery = useCan('telemetry:query');
  const [flag, setFlag] = useState<string | null>(null);
  const query = useQuery({
    ...explanationQuery(scope, metric.id, flag),
    enabled: canQuery,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const hint = canQuery ? undefined : 'Sample rows are shown to people with the permission telemetry:query.';
  return <Explained query={query} metric={metric} flag={flag} onFlag={setFlag} hint={hint} />;
}

function Explained({
  query: { data, error },
  metric,
  flag,
  onFlag,
  hint,
}: {
  query: UseQueryResult<Explanation>;
  metric: Pick<Metric, 'unit'>;
  flag: string | null;
  onFlag: (flag: string | null) => void;
  /** Instead of an explanation. */
  hint: string | undefined;
}) {
  const { ws, project } = useScope();
  const { data: flags = [] } = useQuery(flagsQuery(ws, project, false));
  return (
    <Panel
      title="Which rows count"
      actions={
        <Select
          allowDeselect
          aria-label="Only units that saw this flag"
          placeholder="Any flag"
          size="xs"
          w={180}
          clearable
          searchable
          value={flag}
          data={flags.map(({ key }) => key)}
          onChange={onFlag}
        />
      }
    >
      {hint !== undefined ? (
        <span className="dim">{hint}</span>
      ) : error ? (
        <Stack gap="xs">
          {diagnosticsOf(error).length === 0 && <ErrorNotice error={error} />}
          <DiagnosticNotices error={error} />
        </Stack>
      ) : data === undefined ? (
        <Loading label="Reading sample rows" />
      ) : (
        <Found explanation={data} metric={metric} flag={flag} />
      )}
    </Panel>
  );
}

type Row = Explanation['sample'][number];

function Found({
  explanation,
  metric,
  flag,
}: {
  explanation: Explanation;
  metric: Pick<Metric, 'unit'>;
  flag: string | null;
}) {
  const { sample: rows, plan, warnings, sql, oql, from, to, units } = explanation;
  const { share } = units;
  const columns = useMemo(() => columnsOf(rows, metric.unit), [rows, metric.unit]);
  return (
    <Stack gap="sm">
      <p role="status" aria-label="Rows that count">
        {joinedText(explanation, metric, flag)}{' '}
        <span className="dim">
          From <Timestamp value={from} /> to <Timestamp value={to} />.
        </span>
      </p>
      {share !== null && (
        <div className={classes.meter}>
          <Meter label="Share of the rows that join to a unit" share={share} progress />
        </div>
      )}
      {warnings.map((warning) => (
        <Notice key={warning} kind="warning">
          {warning}
        </Notice>
      ))}
      {rows.length > 0 && <DataTable label="Sample rows" columns={columns} rows={rows} rowKey={(_, i) => String(i)} />}
      <details>
        <summary>What happens with the rows</summary>
        <ol className={classes.plan}>
          {plan.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      </details>
      <details>
        <summary>The statement</summary>
        <Stack gap="xs">
          <CodeBlock title="OQL" code={oql} wrap />
          <CodeBlock title="SQL" code={sql} wrap />
        </Stack>
      </details>
    </Stack>
  );
}

function columnsOf(rows: readonly Row[], unit: string): Column<Row>[] {
  const has = (key: 'value' | 'denominator') => rows.some((row) => row[key] !== 1);
  return [
    { id: 'time', header: 'Time', width: 150, cell: ({ time }) => <Timestamp value={time} /> },
    { id: 'unit', header: unit, cell: ({ unit: id }) => <Unit id={id} isTrace={unit === 'trace_id'} /> },
    ...(has('value')
      ? [{ id: 'value', header: 'Value', width: 90, numeric: true, cell: ({ value }: Row) => formatNumber(value) }]
      : []),
    ...(has('denominator')
      ? [{ id: 'per', header: 'Per', width: 90, numeric: true, cell: (row: Row) => formatNumber(row.denominator) }]
      : []),
    {
      id: 'joined',
      header: 'Counts',
      width: 80,
      cell: ({ joined }) => (joined ? 'yes' : <span className="dim">no</span>),
    },
  ];
}

function Unit({ id, isTrace }: { id: string | null; isTrace: boolean }) {
  const scope = useScope();
  if (id === null) return <span className="dim">none</span>;
  if (!isTrace) return <span className="mono">{id}</span>;
  return (
    <AppLink className="mono" title={id} to="/w/$ws/$project/traces/$traceId" params={{ ...scope, traceId: id }}>
      {id.slice(0, 12)}…
    </AppLink>
  );
}
