import { useQuery } from '@tanstack/react-query';
import { useScope } from '../../app/session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { AppLink } from '../../ui/link.tsx';
import { Panel } from '../../ui/page.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { snapshotsQuery } from './queries.ts';

/** The snapshots of the workspace; nothing while there are none. */
export function SnapshotsList() {
  const scope = useScope();
  const { data = [] } = useQuery(snapshotsQuery(scope.ws));
  if (data.length === 0) return null;
  return (
    <Panel title="Snapshots" tight>
      <DataTable
        label="Snapshots"
        rows={data}
        rowKey={({ id }) => id}
        columns={[
          {
            id: 'name',
            header: 'Snapshot',
            cell: ({ id, name }) => (
              <AppLink to="/w/$ws/$project/dashboards/snapshots/$id" params={{ ...scope, id }}>
                {name}
              </AppLink>
            ),
          },
          { id: 'to', header: 'Data until', width: 170, cell: ({ to }) => <Timestamp value={to} /> },
          { id: 'by', header: 'By', width: 150, cell: ({ created_by }) => created_by },
          {
            id: 'expires',
            header: 'Deleted on',
            width: 170,
            cell: ({ expires_at }) => <Timestamp value={expires_at} />,
          },
        ]}
      />
    </Panel>
  );
}
