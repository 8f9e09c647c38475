import { listFlagChanges } from '@fanion/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { pagesQuery } from '../../api/queries.ts';
import { NO_PROJECT, useScope } from '../../app/session.ts';
import { Button, Group, SegmentedControl } from '../../ui/mantine.ts';
import { Page } from '../../ui/page.tsx';
import { DockedTable } from '../../ui/resource/docked-table.tsx';
import { Loaded } from '../../ui/resource/loaded.tsx';
import { More } from '../../ui/resource/more.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { ChangeDetail } from './change-detail.tsx';
import { ChangeStatus, changeTitle } from './change-status.tsx';
import type { FlagChange } from './queries.ts';

const FILTERS = [
  { value: 'pending', label: 'To approve' },
  { value: 'scheduled', label: 'Scheduled' },
  { value: 'all', label: 'All' },
] as const;
type Filter = (typeof FILTERS)[number]['value'];
type Search = Partial<Record<'status' | 'flag' | 'change', string | undefined>>;

/** Flag and segment changes that wait for approval or a scheduled time, and the outcome of earlier ones. */
export function ChangesPage() {
  const { ws, project } = useScope();
  const { status, flag, change: opened } = useSearch({ from: '/w/$ws/$project/changes' });
  const navigate = useNavigate();
  const filter: Filter = FILTERS.find(({ value }) => value === status)?.value ?? 'pending';
  const changes = useInfiniteQuery({
    ...pagesQuery(listFlagChanges, {
      params: { ws, p: project },
      query: { status: filter === 'all' ? undefined : filter, flag },
    }),
    enabled: project !== NO_PROJECT,
  });
  const rows = changes.data?.pages.flatMap((page) => page.data) ?? [];
  const shown = rows.find((change) => change.id === opened);
  const set = (next: Search) => void navigate({ to: '.', search: (old) => ({ ...old, ...next }), replace: true });
  const close = () => set({ change: undefined });
  return (
    <Page title="Change requests">
      <Filters filter={filter} flag={flag} set={set} />
      <Loaded query={changes}>
        {() =>
          rows.length === 0 ? (
            <Nothing filter={filter} />
          ) : (
            <DockedTable
              label="Change requests"
              rows={rows}
              rowKey={(change) => change.id}
              onRowClick={(change) => set({ change: change.id })}
              selectedKey={opened}
              columns={COLUMNS}
              opened={
                shown && {
                  title: changeTitle(shown),
                  detail: <ChangeDetail key={shown.id} change={shown} onDone={close} />,
                }
              }
              onClose={close}
            >
              <More of={changes}>Show older change requests</More>
            </DockedTable>
          )
        }
      </Loaded>
    </Page>
  );
}

const COLUMNS = [
  { id: 'what', header: 'What', cell: (change: FlagChange) => changeTitle(change) },
  {
    id: 'environment',
    header: 'Environment',
    width: 150,
    cell: (change: FlagChange) => change.environment ?? <span className="dim">all</span>,
  },
  { id: 'status', header: 'Status', width: 190, cell: (change: FlagChange) => <ChangeStatus change={change} /> },
  { id: 'by', header: 'Proposed by', width: 160, cell: (change: FlagChange) => change.created_by ?? '–' },
  { id: 'at', header: 'When', width: 110, ago: (change: FlagChange) => change.created_at },
];

function Filters({ filter, flag, set }: { filter: Filter; flag: string | undefined; set: (next: Search) => void }) {
  return (
    <Group gap="sm">
      <SegmentedControl
        aria-label="Status"
        value={filter}
        onChange={(value) => set({ status: value === 'pending' ? undefined : value, change: undefined })}
        data={FILTERS.map(({ value, label }) => ({ value, label }))}
      />
      {flag !== undefined && (
        <>
          <span className="dim">
            of flag <code>{flag}</code>
          </span>
          <Button variant="subtle" size="xs" onClick={() => set({ flag: undefined })}>
            Show all flags
          </Button>
        </>
      )}
    </Group>
  );
}

function Nothing({ filter }: { filter: Filter }) {
  switch (filter) {
    case 'pending':
      return (
        <EmptyState title="No change requests waiting for approval">
          Changes to a protected environment appear here until someone else reviews them. You can protect environments
          in the settings.
        </EmptyState>
      );
    case 'scheduled':
      return (
        <EmptyState title="No scheduled changes">
          To schedule a flag change, choose a time when you review it.
        </EmptyState>
      );
    case 'all':
      return (
        <EmptyState title="No proposed or scheduled changes yet">
          Changes that are saved immediately appear in the flag’s history, not here.
        </EmptyState>
      );
  }
}
