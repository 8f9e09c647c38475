import {
  ApiError,
  type DashboardPanel,
  type DashboardSnapshot,
  type ErrorBody,
  getSnapshotData,
  queryPanelTypes,
  removeSnapshot,
  routePath,
} from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { call } from '../../api/client.ts';
import { DeleteAndLeave } from '../../app/resource-actions.tsx';
import { ScopeLink } from '../../app/scope-links.tsx';
import { useCan, useScope } from '../../app/session.ts';
import { AppLink } from '../../ui/link.tsx';
import { Group } from '../../ui/mantine.ts';
import { Page } from '../../ui/page.tsx';
import { Loaded } from '../../ui/resource/loaded.tsx';
import { ErrorState, Loading, Notice } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { DashboardPanels } from './dashboard-panels.tsx';
import { type PanelResult, type PanelState, stateOf } from './panel-data.ts';
import { refreshSnapshots, snapshotQuery } from './queries.ts';

/** A dashboard with the data that it had. */
export function SnapshotPage() {
  const { ws } = useScope();
  const { id } = useParams({ from: '/w/$ws/$project/dashboards/snapshots/$id' });
  const { data, error, refetch } = useQuery(snapshotQuery(ws, id));
  if (data) return <Opened snapshot={data} />;
  return (
    <Page title="Snapshot">
      {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Loading label="Loading the snapshot" />}
    </Page>
  );
}

const withQuery: ReadonlySet<string> = new Set(queryPanelTypes);
const LIVE = 'Not part of the snapshot: this panel shows the state of now. Open the dashboard to see it.';

/** Panels that read other things than queries would show what is true now. */
function frozenPanel(panel: DashboardPanel): DashboardPanel {
  const isKept = withQuery.has(panel.type) || panel.type === 'text' || panel.type === 'row';
  return isKept ? panel : { ...panel, type: 'text', text: LIVE };
}

function useFrozenStates(ws: string, id: string) {
  return useQuery({
    queryKey: [getSnapshotData.id, ws, id] as const,
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, PanelState>> => {
      const response = await fetch(routePath(getSnapshotData, { ws, id }), { signal });
      if (!response.ok) {
        const envelope = (await response.json().catch(() => null)) as { error?: ErrorBody } | null;
        const { status } = response;
        throw new ApiError(envelope?.error ?? { code: 'NET-0001', message: `the server answered ${status}`, status });
      }
      const lines = (await response.text()).split('\n').filter((line) => line !== '');
      return new Map(
        lines.map((text) => {
          const line = JSON.parse(text) as PanelResult | { panel: string; error: ErrorBody };
          return [line.panel, stateOf(line, undefined)];
        }),
      );
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

function Opened({ snapshot }: { snapshot: DashboardSnapshot }) {
  const { id, name, dashboard, from, to, created_by, created_at, expires_at, project, environment } = snapshot;
  const scope = useScope();
  const canWrite = useCan('dashboards:write');
  const states = useFrozenStates(scope.ws, id);
  const model = useMemo(() => ({ ...snapshot.model, panels: snapshot.model.panels.map(frozenPanel) }), [snapshot]);
  const place = useMemo(
    () => ({ ws: scope.ws, project: project ?? undefined, environment: environment ?? undefined }),
    [scope.ws, project, environment],
  );
  return (
    <Page
      title={name}
      crumbs={<ScopeLink to="/w/$ws/$project/dashboards">Dashboards</ScopeLink>}
      subtitle="Snapshot"
      actions={
        canWrite && (
          <DeleteAndLeave
            name={name}
            body="Deletes the snapshot with its data. Its link stops working."
            action="Delete snapshot"
            run={() => call(removeSnapshot, { params: { ws: scope.ws, id } })}
            list="/w/$ws/$project/dashboards"
            queryKey={snapshotQuery(scope.ws, id).queryKey}
            refresh={refreshSnapshots}
          />
        )
      }
    >
      <Notice kind="info">
        <Group gap={6}>
          <span>
            Data from <Timestamp value={from} /> to <Timestamp value={to} />, frozen by {created_by}{' '}
            <Timestamp value={created_at} ago />. It is deleted on <Timestamp value={expires_at} />.
          </span>
          {dashboard !== null && (
            <AppLink
              to="/w/$ws/$project/dashboards/$id"
              params={{ ...scope, id: dashboard }}
              search={{ from, to, env: environment ?? undefined }}
            >
              Open the dashboard
            </AppLink>
          )}
        </Group>
      </Notice>
      <Loaded query={states} label="Loading the data">
        {(data) => (
          <DashboardPanels model={model} states={data} place={place} values={snapshot.variables} range={{ from, to }} />
        )}
      </Loaded>
    </Page>
  );
}
