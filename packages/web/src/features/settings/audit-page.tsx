import { listAudit, type RouteResponse } from '@fanion/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { pagesQuery } from '../../api/queries.ts';
import { useScope } from '../../app/session.ts';
import { ConditionInput } from '../../telemetry/condition-input.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { Stack } from '../../ui/mantine.ts';
import { DockedTable } from '../../ui/resource/docked-table.tsx';
import { Loaded } from '../../ui/resource/loaded.tsx';
import { More } from '../../ui/resource/more.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { SectionHead } from './section.tsx';

type Entry = RouteResponse<typeof listAudit>[number];

const COLUMNS: readonly Column<Entry>[] = [
  { id: 'at', header: 'Time', width: 180, cell: (entry) => <Timestamp value={entry.at} /> },
  { id: 'actor', header: 'Who', width: 190, cell: (entry) => <Actor actor={entry.actor} /> },
  { id: 'action', header: 'Action', width: 200, cell: (entry) => <code>{entry.action}</code> },
  {
    id: 'resource',
    header: 'What',
    cell: (entry) => `${entry.resource.type} ${entry.resource.name ?? entry.resource.id}`,
  },
  {
    id: 'where',
    header: 'Where',
    width: 190,
    cell: (entry) =>
      [entry.project, entry.environment].filter(Boolean).join(' / ') || <span className="dim">workspace</span>,
  },
];

/** Who changed what, newest first, with the values before and after. */
export function AuditPage() {
  const { ws } = useScope();
  const { action, entry: opened } = useSearch({ from: '/w/$ws/$project/settings/audit' });
  const navigate = useNavigate();
  const audit = useInfiniteQuery(pagesQuery(listAudit, { query: { workspace: ws, action } }));
  const entries = audit.data?.pages.flatMap((page) => page.data) ?? [];
  const shown = entries.find((entry) => entry.id === opened);
  const set = (next: { action?: string | undefined; entry?: string | undefined }) =>
    void navigate({ to: '.', search: (old) => ({ ...old, ...next }), replace: true });
  return (
    <>
      <SectionHead
        action={
          <ConditionInput
            label="Action"
            placeholder="flags.create"
            width={220}
            value={action ?? ''}
            onChange={(value) => set({ action: value })}
          />
        }
      >
        Every change in this workspace, by people, tokens and the server itself.
      </SectionHead>
      <Loaded query={audit}>
        {() =>
          entries.length === 0 ? (
            <EmptyState title="No entries">
              {action ? 'No entries match this action.' : 'Changes appear here as they happen.'}
            </EmptyState>
          ) : (
            <DockedTable
              label="Audit log"
              rows={entries}
              rowKey={(entry) => entry.id}
              onRowClick={(entry) => set({ entry: entry.id })}
              selectedKey={opened}
              columns={COLUMNS}
              opened={shown && { title: 'Change', detail: <EntryDetail entry={shown} /> }}
              onClose={() => set({ entry: undefined })}
            >
              <More of={audit}>Show older entries</More>
            </DockedTable>
          )
        }
      </Loaded>
    </>
  );
}

function Actor({ actor }: { actor: Entry['actor'] }) {
  return (
    <>
      {actor.name} {actor.type !== 'user' && <span className="dim">({actor.type})</span>}
    </>
  );
}

function EntryDetail({ entry }: { entry: Entry }) {
  return (
    <Stack gap="md">
      <div>
        <Actor actor={entry.actor} /> · <code>{entry.action}</code> · <Timestamp value={entry.at} />
      </div>
      <div className="dim">
        {entry.ip && <>from {entry.ip}, </>}
        request <code>{entry.request_id ?? '–'}</code>
      </div>
      <CodeBlock title="Before" code={json(entry.before)} wrap />
      <CodeBlock title="After" code={json(entry.after)} wrap />
    </Stack>
  );
}

function json(value: unknown): string {
  return value === null || value === undefined ? '–' : JSON.stringify(value, null, 2);
}
