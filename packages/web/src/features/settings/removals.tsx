import { listRemovals, type RouteResponse } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { listQuery } from '../../api/queries.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { Panel } from '../../ui/page.tsx';

type Removal = RouteResponse<typeof listRemovals>[number];

const isRunning = ({ state }: Removal) => state === 'removing';

/** The progress of deleting the telemetry of removed projects and environments. Renders nothing without any. */
export function Removals({ ws }: { ws: string }) {
  const removals = useQuery({
    ...listQuery(listRemovals, { params: { ws } }),
    refetchInterval: ({ state }) => (state.data?.some(isRunning) ? 5_000 : false),
  });
  const rows = removals.data ?? [];
  if (rows.length === 0) return null;
  return (
    <Panel title="Telemetry being deleted" tight>
      <DataTable
        label="Telemetry being deleted"
        rows={rows}
        rowKey={({ id }) => id}
        columns={[
          { id: 'name', header: 'Removed', cell: ({ resource }) => `${resource.name} (${resource.type})` },
          { id: 'progress', header: 'Progress', cell: progressOf },
          { id: 'when', header: 'When', width: 120, ago: ({ removed_at }) => removed_at },
        ]}
      />
    </Panel>
  );
}

function progressOf({ state, tables, current, error }: Removal): string {
  if (state === 'removed') return 'Removed from all tables';
  const parts = current === null ? '' : `; ${current.parts_left} parts of ${current.table} left`;
  const failure = error === null ? '' : `. The last step failed and will be retried: ${error}`;
  return `Removed from ${tables.removed} of ${tables.total} tables${parts}${failure}`;
}
