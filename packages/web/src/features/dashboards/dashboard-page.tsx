import type { Dashboard, DashboardModel, VariableValues } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { DraftOf } from '../../app/draft-of.tsx';
import { ScopeLink } from '../../app/scope-links.tsx';
import { useCan, useScope } from '../../app/session.ts';
import { useEnvironment, useTimeRange } from '../../app/time-range.ts';
import { Annotations } from '../../telemetry/annotations.tsx';
import { Button, Group } from '../../ui/mantine.ts';
import { Page } from '../../ui/page.tsx';
import { Unloaded } from '../../ui/resource/loaded.tsx';
import { EmptyState, Warnings } from '../../ui/states.tsx';
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
import { PanelEditor } from './panel-editor.tsx';
import { dashboardQuery } from './queries.ts';
import { SettingsDialog } from './settings-dialog.tsx';
import { SnapshotDialog } from './snapshot-dialog.tsx';
import { parseSplits, printSplits, splitBy, withSplitOf } from './splits.ts';
import { useDashboardZone } from './use-dashboard-zone.ts';
import { useDraft } from './use-draft.ts';
import { usePanels } from './use-panels.ts';
import { VariableEditor } from './variable-editor.tsx';
import { printValues, urlWithValues } from './variable-search.ts';
import { VariablesBar } from './variables-bar.tsx';
import { VersionsDrawer } from './versions-drawer.tsx';

/** One dashboard: to look at, or to edit. */
export function DashboardPage() {
  const { ws } = useScope();
  const { id } = useParams({ from: '/w/$ws/$project/dashboards/$id' });
  const query = useQuery(dashboardQuery(ws, id));
  if (query.data) return <DraftOf document={query.data}>{(base) => <Opened dashboard={base} />}</DraftOf>;
  return (
    <Page title="Dashboard">
      <Unloaded query={query} label="Loading the dashboard" />
    </Page>
  );
}

/** Applies the dashboard's own window, which counts until somebody picks another one. */
function useOwnWindow({ from, to }: Dashboard['time']) {
  const search = useSearch({ from: '/w/$ws/$project/dashboards/$id' });
  const { setRange } = useTimeRange();
  const own = useRef(search.from === undefined && from !== 'now-1h' ? { from, to } : null);
  useEffect(() => {
    if (own.current) setRange(own.current);
    own.current = null;
  }, [setRange]);
}

/** A dashboard that is open: its draft, its panels with their data, and what can be done with them. */
function useOpened(dashboard: Dashboard) {
  const { ws } = useScope();
  const search = useSearch({ from: '/w/$ws/$project/dashboards/$id' });
  const navigate = useNavigate();
  const mayWrite = useCan('dashboards:write');
  const canWrite = mayWrite && dashboard.source === null;
  const canSnapshot = useCan('telemetry:query') && mayWrite;
  const isEditing = canWrite && search.edit === 'yes';
  const draft = useDraft(ws, dashboard, isEditing);
  const { model, edit } = draft;
  const [dialog, setDialog] = useState<'versions' | 'variables' | 'settings' | 'snapshot' | null>(null);
  const [edited, setEdited] = useState<string | null>(null);
  useOwnWindow(model.time);
  useDashboardZone(model.time.time_zone);
  const panels = usePanels(dashboard, model, isEditing);

  const set = (change: Partial<Record<'v' | 'refresh' | 'edit' | 'split', string | undefined>>) =>
    void navigate({ to: '.', search: (old) => ({ ...old, ...change }), replace: true });
  const split = (id: string, flag: string | undefined) => {
    const panel = model.panels.find((one) => one.id === id);
    if (panel === undefined) return;
    if (isEditing) edit((old) => withPanelChanged(old, splitBy(panel, flag)));
    else set({ split: printSplits(withSplitOf(parseSplits(search.split), panel, flag)) });
  };
  const add = (type: FreshPanel) => {
    const id = freeId(panels.panels);
    edit((old) => withPanel(old, freshPanel(type, id)));
    if (type !== 'row') setEdited(id);
  };
  return {
    dashboard,
    draft,
    canWrite,
    canSnapshot,
    isEditing,
    dialog,
    setDialog,
    edited,
    setEdited,
    set,
    split,
    add,
    ...panels,
  };
}

type Open = ReturnType<typeof useOpened>;

function Opened({ dashboard }: { dashboard: Dashboard }) {
  const open = useOpened(dashboard);
  const { draft, canWrite, canSnapshot, isEditing, panels, values, range, place, set, setDialog } = open;
  const { model } = draft;
  return (
    <Page
      title={model.name}
      crumbs={<ScopeLink to="/w/$ws/$project/dashboards">Dashboards</ScopeLink>}
      subtitle={model.description}
      actions={
        <PageActions
          dashboard={dashboard}
          model={model}
          refresh={open.refresh}
          onRefresh={(next) => set({ refresh: next })}
          onEdit={canWrite && !isEditing ? () => set({ edit: 'yes' }) : undefined}
          onVersions={() => setDialog('versions')}
          onSnapshot={canSnapshot ? () => setDialog('snapshot') : undefined}
        />
      }
    >
      {dashboard.source !== null && <FileNotice source={dashboard.source} />}
      {isEditing && (
        <EditToolbar
          draft={draft}
          onAdd={open.add}
          onVariables={() => setDialog('variables')}
          onSettings={() => setDialog('settings')}
          onLeave={() => {
            draft.discard();
            set({ edit: undefined });
          }}
        />
      )}
      {draft.conflict && <Conflict error={draft.conflict} onReload={() => void draft.reload()} />}
      <Warnings of={draft.warnings} />
      <VariablesBar
        definitions={model.variables}
        values={values}
        range={range}
        place={place}
        onChange={(next: VariableValues) => set({ v: printValues(next) })}
      />
      {panels.length === 0 ? <NoPanels open={open} /> : <Panels open={open} />}
      {model.links.length > 0 && <Links model={model} values={values} />}
      <EditedPanel open={open} />
      <Dialogs open={open} />
    </Page>
  );
}

function NoPanels({ open: { canWrite, isEditing, add, set } }: { open: Open }) {
  return (
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
  );
}

function Panels({ open }: { open: Open }) {
  const { dashboard, draft, isEditing, shown, place, setEdited } = open;
  const { model, edit } = draft;
  return (
    <Annotations project={dashboard.project} environment={place.environment}>
      <DashboardPanels
        model={{ panels: [...shown], variables: model.variables }}
        onSplit={open.split}
        states={open.states}
        place={place}
        values={open.values}
        range={open.range}
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
  );
}

function Links({ model: { links, variables }, values }: { model: DashboardModel; values: VariableValues }) {
  return (
    <Group gap="md">
      {links.map(({ title, url }) => (
        <a key={`${title} ${url}`} href={urlWithValues(url, variables, values)} rel="noreferrer noopener">
          {title}
        </a>
      ))}
    </Group>
  );
}

/** The drawer of the panel that is being edited. */
function EditedPanel({ open: { draft, panels, values, range, place, edited, setEdited } }: { open: Open }) {
  return (
    <PanelEditor
      panel={panels.find(({ id }) => id === edited) ?? null}
      definitions={draft.model.variables}
      values={values}
      range={range}
      place={place}
      onClose={() => setEdited(null)}
      onSave={(panel) => {
        draft.edit((old) => withPanelChanged(old, panel));
        setEdited(null);
      }}
    />
  );
}

/** The dialogs and drawers about the whole dashboard, of which one at most is open. */
function Dialogs({ open: { dashboard, draft, canWrite, values, range, dialog, setDialog } }: { open: Open }) {
  const { ws } = useScope();
  const environment = useEnvironment();
  const close = () => setDialog(null);
  const apply = (change: Partial<DashboardModel>) => {
    draft.edit((old) => ({ ...old, ...change }));
    close();
  };
  return (
    <>
      <VariableEditor
        opened={dialog === 'variables'}
        variables={draft.model.variables}
        onClose={close}
        onSave={(variables) => apply({ variables })}
      />
      <SettingsDialog opened={dialog === 'settings'} model={draft.model} onClose={close} onSave={apply} />
      <SnapshotDialog
        opened={dialog === 'snapshot'}
        onClose={close}
        dashboard={dashboard}
        values={values}
        range={range}
        environment={environment}
      />
      <VersionsDrawer
        ws={ws}
        dashboard={dashboard}
        canWrite={canWrite}
        opened={dialog === 'versions'}
        onClose={close}
      />
    </>
  );
}
