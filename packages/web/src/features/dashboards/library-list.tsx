import type { LibraryDashboard } from '@fanion/contract';
import { IconCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useCan, useScope } from '../../app/session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { AppLink } from '../../ui/link.tsx';
import { Button, Group } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import classes from './dashboards.module.css';
import { libraryQuery } from './queries.ts';
import { useAddModel } from './use-add-model.ts';

/** Ready dashboards: those that have data first, the others with what they need. */
export function LibraryList() {
  const scope = useScope();
  const canQuery = useCan('telemetry:query');
  const canWrite = useCan('dashboards:write');
  const { data = [] } = useQuery({ ...libraryQuery(scope.ws, scope.project), enabled: canQuery });
  const { add, adding } = useAddModel();
  if (data.length === 0) return null;
  return (
    <Panel title="Ready dashboards" tight>
      <DataTable
        label="Ready dashboards"
        rows={data.toSorted((a, b) => Number(b.available) - Number(a.available))}
        rowKey={({ key }) => key}
        columns={[
          {
            id: 'name',
            header: 'Dashboard',
            cell: ({ key, name, description }) => (
              <span className={classes.named}>
                <AppLink to="/w/$ws/$project/dashboards/library/$key" params={{ ...scope, key }}>
                  {name}
                </AppLink>
                <span className="dim truncate">{description}</span>
              </span>
            ),
          },
          { id: 'needs', header: 'Data', cell: (one) => <Needs of={one} /> },
          {
            id: 'add',
            header: <span className="visually-hidden">Actions</span>,
            width: 90,
            cell: ({ name, model, available }) =>
              canWrite && (
                <Button
                  size="compact-xs"
                  variant={available ? 'filled' : 'default'}
                  aria-label={`Add ${name}`}
                  disabled={adding}
                  onClick={() => void add(model)}
                >
                  Add
                </Button>
              ),
          },
        ]}
      />
    </Panel>
  );
}

/** What a ready dashboard needs, and whether it arrives. */
export function Needs({ of: { available, needs, sent_by } }: { of: LibraryDashboard }) {
  if (available)
    return (
      <Group gap={6} wrap="nowrap" className={classes.arrives}>
        <IconCheck size={14} stroke={2} />
        arrives
      </Group>
    );
  return (
    <span className="dim">
      needs <span className="mono">{needs.map(({ name }) => name).join(' or ')}</span>, from {sent_by}
    </span>
  );
}
