import { IconSearch } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { NO_PROJECT, useScope } from '../../app/session.ts';
import { TelemetryControls } from '../../app/telemetry-controls.tsx';
import { useEnvironment, useTimeRange } from '../../app/time-range.ts';
import { ServicePicker } from '../../telemetry/service-picker.tsx';
import { Sparkline } from '../../telemetry/sparkline.tsx';
import { WidenRange } from '../../telemetry/widen-range.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Docked } from '../../ui/docked-panel.tsx';
import { countOf, formatNumber } from '../../ui/format/index.ts';
import { Group, SegmentedControl, Select, TextInput, useDebouncedCallback } from '../../ui/mantine.ts';
import { Page, Panel } from '../../ui/page.tsx';
import { More } from '../../ui/resource/more.tsx';
import { TableSkeleton } from '../../ui/skeleton.tsx';
import { EmptyState, ErrorState, Warnings } from '../../ui/states.tsx';
import { StateLabel } from '../alerts/alert-state.tsx';
import { ErrorPanel } from './error-panel.tsx';
import { nameOf, stateText } from './error-words.ts';
import classes from './errors.module.css';
import { type ErrorGroup, errorsQuery } from './queries.ts';

const STATES = [
  { value: 'open', label: 'Open' },
  { value: 'resolved', label: 'Resolved' },
  { value: 'ignored', label: 'Ignored' },
  { value: 'all', label: 'All' },
] as const;
const SORTS = [
  { value: 'count', label: 'Most frequent' },
  { value: 'last_seen', label: 'Last seen' },
  { value: 'first_seen', label: 'First seen' },
] as const;

type State = (typeof STATES)[number]['value'];
type Order = (typeof SORTS)[number]['value'];
type ErrorSearch = Partial<Record<'q' | 'service' | 'state' | 'sort' | 'error', string | undefined>>;

function useErrors({ q, service }: ErrorSearch, chosen: State, order: Order) {
  const scope = useScope();
  const environment = useEnvironment();
  const { range } = useTimeRange();
  return useInfiniteQuery({
    ...errorsQuery(scope, range, {
      environment,
      service,
      search: q,
      state: chosen === 'all' ? undefined : chosen,
      sort: order,
    }),
    enabled: scope.project !== NO_PROJECT,
  });
}

/** What programs threw, grouped by type and stack: how often, since when, and what people decided about it. */
export function ErrorsPage() {
  const search = useSearch({ from: '/w/$ws/$project/errors' });
  const { state, sort, error: opened } = search;
  const navigate = useNavigate();
  const set = (next: ErrorSearch) => void navigate({ to: '.', search: (old) => ({ ...old, ...next }), replace: true });
  const chosen = STATES.find(({ value }) => value === state)?.value ?? 'open';
  const order = SORTS.find(({ value }) => value === sort)?.value ?? 'count';
  const errors = useErrors(search, chosen, order);
  const rows = errors.data?.pages.flatMap(({ data }) => data) ?? [];
  const meta = errors.data?.pages[0]?.meta;
  const at = rows.findIndex(({ id }) => id === opened);
  const move = (by: 1 | -1) => {
    const next = rows[at + by];
    if (next !== undefined) set({ error: next.id });
  };
  return (
    <Page title="Errors" actions={<TelemetryControls />}>
      <Filters search={search} chosen={chosen} order={order} set={set} />
      <Warnings of={meta?.warnings} />
      <Docked
        panel={
          opened !== undefined && (
            <ErrorPanel key={opened} id={opened} onClose={() => set({ error: undefined })} onMove={move} />
          )
        }
      >
        {errors.isError ? (
          <ErrorState error={errors.error} onRetry={() => void errors.refetch()} />
        ) : errors.isPending ? (
          <Panel title="Errors" tight>
            <TableSkeleton rows={11} label="Loading errors" />
          </Panel>
        ) : rows.length === 0 ? (
          <NoErrors isOpenOnly={chosen === 'open'} />
        ) : (
          <Panel title={`${countOf(Number(meta?.total ?? 0), 'occurrence')} in this window`} tight>
            <DataTable
              label="Errors"
              rows={rows}
              rowKey={({ id }) => id}
              selectedKey={opened}
              onRowClick={({ id }) => set({ error: id === opened ? undefined : id })}
              columns={COLUMNS}
            />
          </Panel>
        )}
        <More of={errors}>Show more errors</More>
      </Docked>
    </Page>
  );
}

function Filters({
  search: { q, service },
  chosen,
  order,
  set,
}: {
  search: ErrorSearch;
  chosen: State;
  order: Order;
  set: (next: ErrorSearch) => void;
}) {
  return (
    <Group gap="sm">
      <SegmentedControl
        aria-label="Which errors"
        value={chosen}
        onChange={(value) => set({ state: value === 'open' ? undefined : value })}
        data={STATES.map(({ value, label }) => ({ value, label }))}
      />
      <Search value={q ?? ''} onChange={(value) => set({ q: value === '' ? undefined : value })} />
      <ServicePicker value={service} onChange={(name) => set({ service: name })} />
      <Select
        aria-label="Order"
        size="xs"
        w={150}
        value={order}
        data={SORTS.map(({ value, label }) => ({ value, label }))}
        onChange={(value) => set({ sort: value === null || value === 'count' ? undefined : value })}
      />
    </Group>
  );
}

function NoErrors({ isOpenOnly }: { isOpenOnly: boolean }) {
  return (
    <EmptyState
      title={isOpenOnly ? 'No open errors in this window' : 'No such errors in this window'}
      action={<WidenRange />}
    >
      Errors come from <code>exception</code> events of spans and from log records with <code>exception.type</code>, as
      OpenTelemetry SDKs send them.
    </EmptyState>
  );
}

/** Milliseconds without typing before the list is asked for. */
const PAUSE = 250;

function Search({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [text, setText] = useState(value);
  const search = useDebouncedCallback(onChange, PAUSE);
  return (
    <TextInput
      data-focus-search
      size="xs"
      w={240}
      aria-label="Search errors"
      placeholder="Type or message"
      leftSection={<IconSearch size={14} />}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        search(currentTarget.value);
      }}
    />
  );
}

const COLUMNS = [
  {
    id: 'state',
    header: 'State',
    width: 110,
    cell: (error: ErrorGroup) => (
      <StateLabel
        {...stateText(error)}
        title={error.new_since === null ? undefined : `new since ${error.new_since.service} ${error.new_since.version}`}
      />
    ),
  },
  {
    id: 'error',
    header: 'Error',
    cell: (error: ErrorGroup) => (
      <span className={classes.error}>
        <span className={classes.line}>
          <b>{nameOf(error)}</b>
          {error.type !== '' && <span className={classes.message}>{error.message}</span>}
        </span>
        {error.frame !== '' && <span className={`${classes.frame} truncate`}>{error.frame}</span>}
      </span>
    ),
  },
  { id: 'count', header: 'Count', numeric: true, width: 80, cell: ({ count }: ErrorGroup) => formatNumber(count) },
  {
    id: 'trend',
    header: 'Over time',
    width: 140,
    cell: (error: ErrorGroup) => (
      <Sparkline label={`Occurrences of ${nameOf(error)} over time`} values={error.trend} colour="var(--f-error)" />
    ),
  },
  {
    id: 'services',
    header: 'Services',
    width: 150,
    cell: ({ services }: ErrorGroup) =>
      `${services.slice(0, 2).join(', ')}${services.length > 2 ? ` and ${services.length - 2} more` : ''}`,
  },
  { id: 'first', header: 'First seen', width: 100, ago: ({ first_seen }: ErrorGroup) => first_seen },
  { id: 'last', header: 'Last seen', width: 100, ago: ({ last_seen }: ErrorGroup) => last_seen },
];
