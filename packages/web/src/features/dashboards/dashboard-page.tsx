import type { Dashboard, VariableValues } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { DraftOf } from '../../app/draft-of.tsx';
import { ScopeLink } from '../../app/scope-links.tsx';
import { useCan, useScope } from '../../app/session.ts';
import { useEnvironment, useTimeRange } from '../../app/time-range.ts';
import { Annotations } from '../../telemetry/annotations.tsx';
import { Button, Group } from '../../ui/mantine.ts';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Loading, Warnings } from '../../ui/states.tsx';
import { Conflict } from './conflict.tsx';
import { FileNotice } from './dashboard-grid.tsx';
import { DashboardPanels } from './dashboard-panels.tsx';
import {
  type FreshPanel,
  freeId,
  freshPanel,
  withBox,
  withDuplicate,
  withoutPanel,
  withPanel,
  withPanelChanged,
} from './draft.ts';
import { EditToolbar } from './edit-toolbar.tsx';
import { PageActions } from './page-actions.tsx';
import { usePanelData } from './panel-data.ts';
import { PanelEditor } from './panel-editor.tsx';
import { dashboardQuery } from './queries.ts';
import { secondsOf, useRound } from './refresh.ts';
import { SettingsDialog } from './settings-dialog.tsx';
import { SnapshotDialog } from './snapshot-dialog.tsx';
import { parseSplits, printSplits, splitBy, withSplitOf, withSplits } from './splits.ts';
import { useDashboardZone } from './use-dashboard-zone.ts';
import { useDraft } from './use-draft.ts';
import { useRepeated } from './use-repeated.ts';
import { VariableEditor } from './variable-editor.tsx';
import { parseValues, printValues, urlWithValues } from './variable-search.ts';
import { VariablesBar } from './variables-bar.tsx';
import { VersionsDrawer } from './versions-drawer.tsx';

/** One dashboard: to look at, or to edit. */
export function DashboardPage() {
  const { ws } = useScope();
  const { id } = useParams({ from: '/w/$ws/$project/dashboards/$id' });
  const { data, error, refetch } = useQuery(dashboardQuery(ws, id));
  if (data) return <DraftOf document={data}>{(base) => <Opened dashboard={base} />}</DraftOf>;
  return (
    <Page title="Dashboard">
      {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Loading label="Loading the dashboard" />}
    </Page>
  );
}

function Opened({ dashboard }: { dashboard: Dashboard }) {
  const scope = useScope();
  const search = useSearch({ from: '/w/$ws/$project/dashboards/$id' });
  const navigate = useNavigate();
  const environment = useEnvironment();
  const mayWrite = useCan('dashboards:write');
  const canWrite = mayWrite && dashboard.source === null;
  const canSnapshot = useCan('telemetry:query') && mayWrite;
  const isEditing = canWrite && search.edit === 'yes';
  const draft = useDraft(scope.ws, dashboard, isEditing);
  const { model, edit } = draft;
  const { variables, time } = model;
  // What a reader splits is part of the address; in edit mode a split is part of the dashboard.
  const panels = useMemo(
    () => (isEditing ? model.panels : withSplits(model.panels, parseSplits(search.split))),
    [isEditing, model.panels, search.split],
  );
  const [opened, setOpened] = useState<'versions' | 'variables' | 'settings' | 'snapshot' | null>(null);
  const [edited, setEdited] = useState<string | null>(null);
  const { range, setRange } = useTimeRange();
  // The dashboard's own window counts until somebody picks another one.
  const own = useRef(search.from === undefined && time.from !== 'now-1h' ? { from: time.from, to: time.to } : null);
  useEffect(() => {
    if (own.current) setRange(own.current);
    own.current = null;
  }, [setRange]);
  useDashboardZone(time.time_zone);
  const values = useMemo(() => parseValues(search.v), [search.v]);
  const refresh = search.refresh ?? time.refresh;
  const seconds = secondsOf(refresh);
  const round = useRound(dashboard.id, seconds);
  const place = useMemo(
    () => ({
      ws: scope.ws,
      project: dashboard.project ?? undefined,
      environment: environment ?? dashboard.environment ?? undefined,
    }),
    [scope.ws, dashboard.project, dashboard.environment, environment],
  );
  const repeated = useRepeated(panels, variables, values, range, place);
  // In edit mode each panel is shown once.
  const shown = isEditing ? panels : repeated;
  const states = usePanelData({
    place,
    panels: shown,
    definitions: variables,
    values,
    range,
    round,
    maxAge: seconds ?? (round === 0 ? undefined : 0),
  });

  const set = (change: Partial<Record<'v' | 'refresh' | 'edit' | 'split', string | undefined>>) =>
    void navigate({ to: '.', search: (old) => ({ ...old, ...change }), replace: true });
  const split = (id: string, flag: string | undefined) => {
    const panel = model.panels.find((one) => one.id === id);
    if (panel === undefined) return;
    if (isEditing) edit((old) => withPanelChanged(old, splitBy(panel, flag)));
    else set({ split: printSplits(withSplitOf(parseSplits(search.split), panel, flag)) });
  };
  const add = (type: FreshPanel) => {
    const id = freeId(panels);
    edit((old) => withPanel(old, freshPanel(type, id)));
    if (type !== 'row') setEdited(id);
  };

  return (
    <Page
      title={model.name}
      crumbs={<ScopeLink to="/w/$ws/$project/dashboards">Dashboards</ScopeLink>}
      subtitle={model.description}
      actions={
        <PageActions
          dashboard={dashboard}
          model={model}
          refresh={refresh}
          onRefresh={(next) => set({ refresh: next })}
          onEdit={canWrite && !isEditing ? () => set({ edit: 'yes' }) : undefined}
          onVersions={() => setOpened('versions')}
          onSnapshot={canSnapshot ? () => setOpened('snapshot') : undefined}
        />
      }
    >
      {dashboard.source !== null && <FileNotice source={dashboard.source} />}
      {isEditing && (
        <EditToolbar
          draft={draft}
          onAdd={add}
          onVariables={() => setOpened('variables')}
          onSettings={() => setOpened('settings')}
          onLeave={() => {
            draft.discard();
            set({ edit: undefined });
          }}
        />
      )}
      {draft.conflict && <Conflict error={draft.conflict} onReload={() => void draft.reload()} />}
      <Warnings of={draft.warnings} />
      <VariablesBar
        definitions={variables}
        values={values}
        range={range}
        place={place}
        onChange={(next: VariableValues) => set({ v: printValues(next) })}
      />
      {panels.length === 0 ? (
        <EmptyState
          title="No panels yet"
          action={
            canWrite && (
              <Button onClick={() => (isEditing ? add('time_series') : set({ edit: 'yes' }))}>
                {isEditing ? 'Add a panel' : 'Edit'}
              </Button>
            )
          }
        >
          A panel shows the answer of a query. Add one here, or from Explore.
        </EmptyState>
      ) : (
        <Annotations project={dashboard.project} environment={place.environment}>
          <DashboardPanels
            model={{ panels: [...shown], variables }}
            onSplit={split}
            states={states}
            place={place}
            values={values}
            range={range}
            actions={
              isEditing
                ? {
                    onBox: (id, change) => edit((old) => withBox(old, id, change)),
                    onEdit: setEdited,
                    onDuplicate: (id) => edit((old) => withDuplicate(old, id)),
                    onRemove: (id) => edit((old) => withoutPanel(old, id)),
                  }
                : undefined
            }
          />
        </Annotations>
      )}
      {model.links.length > 0 && (
        <Group gap="md">
          {model.links.map(({ title, url }) => (
            <a key={`${title} ${url}`} href={urlWithValues(url, variables, values)} rel="noreferrer noopener">
              {title}
            </a>
          ))}
        </Group>
      )}
      <PanelEditor
        panel={panels.find(({ id }) => id === edited) ?? null}
        definitions={variables}
        values={values}
        range={range}
        place={place}
        onClose={() => setEdited(null)}
        onSave={(panel) => {
          edit((old) => withPanelChanged(old, panel));
          setEdited(null);
        }}
      />
      <VariableEditor
        opened={opened === 'variables'}
        variables={variables}
        onClose={() => setOpened(null)}
        onSave={(next) => {
          edit((old) => ({ ...old, variables: next }));
          setOpened(null);
        }}
      />
      <SettingsDialog
        opened={opened === 'settings'}
        model={model}
        onClose={() => setOpened(null)}
        onSave={(settings) => {
          edit((old) => ({ ...old, ...settings }));
          setOpened(null);
        }}
      />
      <SnapshotDialog
        opened={opened === 'snapshot'}
        onClose={() => setOpened(null)}
        dashboard={dashboard}
        values={values}
        range={range}
        environment={environment}
      />
      <VersionsDrawer
        ws={scope.ws}
        dashboard={dashboard}
        canWrite={canWrite}
        opened={opened === 'versions'}
        onClose={() => setOpened(null)}
      />
    </Page>
  );
}
