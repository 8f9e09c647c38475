import { listAnnotations } from '@fanion/contract';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { pagesQuery } from '../../api/queries.ts';
import { NO_PROJECT, useCan, useScope } from '../../app/session.ts';
import { TelemetryControls } from '../../app/telemetry-controls.tsx';
import { useEnvironment, useTimeRange } from '../../app/time-range.ts';
import { ServicePicker } from '../../telemetry/service-picker.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Button, Group, SegmentedControl, Select } from '../../ui/mantine.ts';
import { Page, Panel } from '../../ui/page.tsx';
import { More } from '../../ui/resource/more.tsx';
import { TableSkeleton } from '../../ui/skeleton.tsx';
import { EmptyState, ErrorState, Notice, Warnings } from '../../ui/states.tsx';
import { resolveRange } from '../../ui/time/time-range.ts';
import { Timestamp } from '../../ui/timestamp.tsx';
import { flagsQuery } from '../flags/queries.ts';
import { DeleteNote } from './delete-note.tsx';
import { HappeningLink } from './happening-link.tsx';
import { type Happening, type HappeningKind, kindText, LANES } from './happenings.ts';
import { Lanes } from './lanes.tsx';
import { NoteDialog } from './note-dialog.tsx';

const PAGE = 200;
const KINDS: readonly { value: HappeningKind | 'all'; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'alert', label: 'Alerts' },
  { value: 'deploy', label: 'Deploys' },
  { value: 'flag', label: 'Flags' },
  { value: 'ramp', label: 'Rollouts' },
  { value: 'rollback', label: 'Rollbacks' },
  { value: 'manual', label: 'Notes' },
];

function useFound(chosen: HappeningKind | 'all', service: string | undefined, flag: string | undefined) {
  const scope = useScope();
  const environment = useEnvironment();
  const { range } = useTimeRange();
  return useInfiniteQuery({
    ...pagesQuery(listAnnotations, {
      params: { ws: scope.ws },
      query: {
        ...range,
        project: scope.project,
        limit: PAGE,
        environment,
        kind: chosen === 'all' ? undefined : chosen,
        service,
        flag,
      },
    }),
    enabled: scope.project !== NO_PROJECT,
    placeholderData: keepPreviousData,
  });
}

/** What people and the service changed, and what fired, on one time line. */
export function TimelinePage() {
  const scope = useScope();
  const { kind, service, flag } = useSearch({ from: '/w/$ws/$project/timeline' });
  const { range, zoomTo } = useTimeRange();
  const chosen = KINDS.find(({ value }) => value === kind)?.value ?? 'all';
  const mayWrite = useCan('dashboards:write') && scope.project !== NO_PROJECT;
  const [isWriting, setWriting] = useState(false);
  const window = resolveRange(range, Date.now());
  const found = useFound(chosen, service, flag);
  const rows = found.data?.pages.flatMap((page) => page.data) ?? [];
  const warnings = found.data?.pages[0]?.meta.warnings;
  return (
    <Page
      title="Timeline"
      actions={
        <>
          <TelemetryControls />
          {mayWrite && (
            <Button size="xs" onClick={() => setWriting(true)}>
              Add annotation
            </Button>
          )}
        </>
      }
    >
      <NoteDialog opened={isWriting} onClose={() => setWriting(false)} />
      <Filters chosen={chosen} service={service} flag={flag} />
      <Warnings of={warnings} />
      {found.isError ? (
        <ErrorState error={found.error} onRetry={() => void found.refetch()} />
      ) : (
        <>
          <Panel title="Timeline" tight>
            <Lanes
              happenings={rows}
              lanes={chosen === 'all' ? LANES : LANES.filter((lane) => lane.kind === chosen)}
              window={window}
              onZoom={zoomTo}
            />
          </Panel>
          {found.hasNextPage && (
            <Notice kind="info">The timeline shows the latest {rows.length} changes of the window.</Notice>
          )}
          <Panel title="Latest first" tight>
            <ChangeList rows={rows} isPending={found.isPending} mayWrite={mayWrite} />
          </Panel>
        </>
      )}
      <More of={found}>Show older changes</More>
    </Page>
  );
}

function Filters({
  chosen,
  service,
  flag,
}: {
  chosen: HappeningKind | 'all';
  service: string | undefined;
  flag: string | undefined;
}) {
  const scope = useScope();
  const navigate = useNavigate();
  const flags = useQuery({ ...flagsQuery(scope.ws, scope.project, false), enabled: scope.project !== NO_PROJECT });
  const set = (next: { kind?: string | undefined; service?: string | undefined; flag?: string | undefined }) =>
    void navigate({ to: '.', search: (old) => ({ ...old, ...next }), replace: true });
  return (
    <Group gap="sm">
      <SegmentedControl
        aria-label="Which changes"
        value={chosen}
        onChange={(value) => set({ kind: value === 'all' ? undefined : value })}
        data={KINDS.map(({ value, label }) => ({ value, label }))}
      />
      <ServicePicker value={service} onChange={(name) => set({ service: name })} />
      <Select
        allowDeselect
        aria-label="Flag"
        placeholder="All flags"
        size="xs"
        w={200}
        clearable
        searchable
        value={flag ?? null}
        data={(flags.data ?? []).map(({ key }) => key)}
        onChange={(value) => set({ flag: value ?? undefined })}
      />
    </Group>
  );
}

function ChangeList({
  rows,
  isPending,
  mayWrite,
}: {
  rows: readonly Happening[];
  isPending: boolean;
  mayWrite: boolean;
}) {
  if (isPending) return <TableSkeleton rows={9} />;
  if (rows.length === 0)
    return (
      <EmptyState compact title="Nothing changed in this window">
        Changes of flags, ramps, guarded releases and experiments, alerts, deploys (a new service.version) and notes
        appear here. Choose a longer window, or remove a filter.
      </EmptyState>
    );
  return (
    <DataTable
      label="Changes, latest first"
      rows={rows}
      rowKey={({ id }) => id}
      columns={mayWrite ? [...COLUMNS, DELETE] : COLUMNS}
    />
  );
}

const COLUMNS = [
  { id: 'time', header: 'When', width: 160, cell: ({ time }: Happening) => <Timestamp value={time} recent /> },
  { id: 'kind', header: 'Kind', width: 90, cell: ({ kind }: Happening) => kindText(kind) },
  {
    id: 'what',
    header: 'Change',
    cell: (one: Happening) => <HappeningLink happening={one}>{one.text}</HappeningLink>,
  },
  {
    id: 'environment',
    header: 'Environment',
    width: 130,
    cell: ({ environment }: Happening) => environment ?? <span className="dim">all</span>,
  },
  {
    id: 'service',
    header: 'Service',
    width: 140,
    cell: ({ service }: Happening) => service ?? <span className="dim">–</span>,
  },
  {
    id: 'by',
    header: 'By',
    width: 130,
    cell: ({ author }: Happening) => author ?? <span className="dim">–</span>,
  },
];

const DELETE = {
  id: 'delete',
  header: <span className="visually-hidden">Actions</span>,
  width: 80,
  cell: (one: Happening) => one.kind === 'manual' && <DeleteNote note={one} />,
};
