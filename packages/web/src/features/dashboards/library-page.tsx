import type { LibraryDashboard } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { ScopeLink } from '../../app/scope-links.tsx';
import { useCan, useScope } from '../../app/session.ts';
import { TelemetryControls } from '../../app/telemetry-controls.tsx';
import { useEnvironment, useTimeRange } from '../../app/time-range.ts';
import { Button } from '../../ui/mantine.ts';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Loading, Notice } from '../../ui/states.tsx';
import { DashboardPanels } from './dashboard-panels.tsx';
import { Needs } from './library-list.tsx';
import { usePanelData } from './panel-data.ts';
import { libraryQuery } from './queries.ts';
import { useAddModel } from './use-add-model.ts';
import { parseValues, printValues } from './variable-search.ts';
import { VariablesBar } from './variables-bar.tsx';

/** A ready dashboard with the project's data, before it is added. */
export function LibraryPage() {
  const { ws, project } = useScope();
  const { key } = useParams({ from: '/w/$ws/$project/dashboards/library/$key' });
  const { data, error, refetch } = useQuery(libraryQuery(ws, project));
  const found = data?.find((one) => one.key === key);
  if (found) return <Preview ready={found} />;
  return (
    <Page title="Ready dashboard">
      {error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <EmptyState title={`No ready dashboard has the key ${key}`}>Go back to the list of dashboards.</EmptyState>
      ) : (
        <Loading label="Loading the dashboard" />
      )}
    </Page>
  );
}

function Preview({ ready }: { ready: LibraryDashboard }) {
  const { model } = ready;
  const scope = useScope();
  const search = useSearch({ from: '/w/$ws/$project/dashboards/library/$key' });
  const navigate = useNavigate();
  const canWrite = useCan('dashboards:write');
  const environment = useEnvironment();
  const { range } = useTimeRange();
  const values = useMemo(() => parseValues(search.v), [search.v]);
  const place = useMemo(
    () => ({ ws: scope.ws, project: scope.project, environment }),
    [scope.ws, scope.project, environment],
  );
  const { panels, variables } = model;
  const asked = { place, panels, definitions: variables, values, range, round: 0, maxAge: undefined };
  const states = usePanelData(asked);
  const { add, adding } = useAddModel();
  return (
    <Page
      title={ready.name}
      crumbs={<ScopeLink to="/w/$ws/$project/dashboards">Dashboards</ScopeLink>}
      subtitle={ready.description}
      actions={
        <>
          <TelemetryControls />
          {canWrite && (
            <Button loading={adding} onClick={() => void add(model)}>
              Add dashboard
            </Button>
          )}
        </>
      }
    >
      {!ready.available && (
        <Notice kind="info">
          This dashboard has no data yet: it <Needs of={ready} />.
        </Notice>
      )}
      <VariablesBar
        definitions={variables}
        values={values}
        range={range}
        place={place}
        onChange={(next) =>
          void navigate({ to: '.', search: (old) => ({ ...old, v: printValues(next) }), replace: true })
        }
      />
      <DashboardPanels model={model} states={states} place={place} values={values} range={range} />
    </Page>
  );
}
