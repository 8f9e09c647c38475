import {
  ApiError,
  createDashboard,
  type Dashboard,
  type DashboardModel,
  previewDashboard,
  replaceDashboard,
  type VariableValues,
} from '@fanion/contract';
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconCopy,
  IconDots,
  IconDownload,
  IconHistory,
  IconPencil,
  IconPlus,
  IconVariable,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useBlocker, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { call } from '../../api/client.ts';
import { queryClient } from '../../app/query-client.ts';
import { useCan, useScope } from '../../app/session.ts';
import { TelemetryControls } from '../../app/telemetry-controls.tsx';
import { useEnvironment, useTimeRange } from '../../app/time-range.ts';
import { AppLink } from '../../ui/link.tsx';
import { ActionIcon, Button, Group, Menu, Select, TextInput, Tooltip, useHotkeys } from '../../ui/mantine.ts';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Loading, Notice } from '../../ui/states.tsx';
import { toastDone, toastError } from '../../ui/toast.ts';
import { DashboardGrid, FileNotice } from './dashboard-grid.tsx';
import classes from './dashboards.module.css';
import {
  canRedo,
  canUndo,
  changed,
  currentOf,
  freeId,
  historyOf,
  modelOf,
  redone,
  undone,
  withBox,
  withDuplicate,
  withoutPanel,
  withPanel,
  withPanelChanged,
} from './draft.ts';
import { Marks, useMarks } from './marks.ts';
import { usePanelData } from './panel-data.ts';
import { PanelEditor } from './panel-editor.tsx';
import { dashboardQuery, keepDashboard, refreshDashboards } from './queries.ts';
import { VariableEditor } from './variable-editor.tsx';
import { parseValues, printValues } from './variable-search.ts';
import { VariablesBar } from './variables-bar.tsx';
import { VersionsDrawer } from './versions-drawer.tsx';

/** One dashboard: to look at, or to edit. */
export function DashboardPage() {
  const { ws } = useScope();
  const { id } = useParams({ from: '/w/$ws/$project/dashboards/$id' });
  const { data, error, refetch } = useQuery(dashboardQuery(ws, id));
  if (data) return <Opened key={`${data.id} ${data.version}`} dashboard={data} />;
  return (
    <Page title="Dashboard">
      {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Loading label="Loading the dashboard" />}
    </Page>
  );
}

const REFRESH = ['off', '10s', '30s', '1m', '5m', '15m'];
const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 };

function secondsOf(refresh: string): number | undefined {
  const [, count, unit] = /^(\d+)([smh])$/.exec(refresh) ?? [];
  return count === undefined || unit === undefined ? undefined : Number(count) * (unitSeconds[unit] ?? 1);
}

function Opened({ dashboard }: { dashboard: Dashboard }) {
  const scope = useScope();
  const search = useSearch({ from: '/w/$ws/$project/dashboards/$id' });
  const navigate = useNavigate();
  const environment = useEnvironment();
  const canWrite = useCan('dashboards:write') && dashboard.source === null;
  const isEditing = canWrite && search.edit === 'yes';
  const [history, setHistory] = useState(() => historyOf(modelOf(dashboard)));
  const [opened, setOpened] = useState<'versions' | 'variables' | null>(null);
  const [edited, setEdited] = useState<string | null>(null);
  const [conflict, setConflict] = useState<ApiError | null>(null);
  const [saving, setSaving] = useState(false);
  const model = currentOf(history);
  const isDirty = canUndo(history);
  const { panels, variables, time } = model;
  const [folded, setFolded] = useState<ReadonlySet<string>>(
    () => new Set(panels.flatMap(({ id, collapsed }) => (collapsed ? [id] : []))),
  );
  const { range, setRange } = useTimeRange();
  // The dashboard's own window counts until somebody picks another one.
  const own = useRef(search.from === undefined && time.from !== 'now-1h' ? { from: time.from, to: time.to } : null);
  useEffect(() => {
    if (own.current) setRange(own.current);
    own.current = null;
  }, [setRange]);
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
  const states = usePanelData({
    place,
    panels,
    definitions: variables,
    values,
    range,
    round,
    maxAge: seconds ?? (round === 0 ? undefined : 0),
  });

  const marks = useMarks(place, range);

  const set = (change: { v?: string | undefined; refresh?: string | undefined; edit?: string | undefined }) =>
    void navigate({ to: '.', search: (old) => ({ ...old, ...change }), replace: true });
  const edit = (change: (model: DashboardModel) => DashboardModel) =>
    setHistory((old) => changed(old, change(currentOf(old))));
  useHotkeys(
    isEditing
      ? [
          ['mod+Z', () => setHistory(undone)],
          ['mod+shift+Z', () => setHistory(redone)],
        ]
      : [],
  );
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isDirty &&
      !saving &&
      current.pathname !== next.pathname &&
      !window.confirm('Leave without saving the dashboard?'),
    enableBeforeUnload: () => isDirty,
  });

  const save = async () => {
    setSaving(true);
    try {
      const { data } = await call(replaceDashboard, {
        params: { ws: scope.ws, id: dashboard.id },
        body: { ...model, version: dashboard.version },
      });
      toastDone(data.version === dashboard.version ? 'Nothing changed' : `Saved as version ${data.version}`);
      await keepDashboard(scope.ws, data);
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) setConflict(error);
      else toastError(error);
    }
    setSaving(false);
  };
  const copy = async () => {
    try {
      const body = {
        ...model,
        name: `${model.name} (copy)`,
        ...(dashboard.project !== null && { project: dashboard.project }),
      };
      const { data } = await call(createDashboard, { params: { ws: scope.ws }, body });
      await refreshDashboards();
      await navigate({
        to: '/w/$ws/$project/dashboards/$id',
        params: { ...scope, id: data.id },
        search: { edit: 'yes' },
      });
    } catch (error) {
      toastError(error);
    }
  };
  const add = (type: 'time_series' | 'text' | 'row') => {
    const id = freeId(panels);
    const fresh = { id, title: '', description: '', x: 0, y: 0 };
    edit((old) =>
      withPanel(
        old,
        type === 'row'
          ? { ...fresh, type, title: 'Row', w: 24, h: 1 }
          : type === 'text'
            ? { ...fresh, type, text: '', w: 12, h: 4 }
            : { ...fresh, type, query: '', w: 12, h: 8 },
      ),
    );
    if (type !== 'row') setEdited(id);
  };
  const fold = (id: string) =>
    setFolded((old) => {
      const next = new Set(old);
      if (!next.delete(id)) next.add(id);
      return next;
    });

  return (
    <Page
      title={model.name}
      crumbs={
        <AppLink to="/w/$ws/$project/dashboards" params={scope}>
          Dashboards
        </AppLink>
      }
      subtitle={model.description}
      actions={
        <>
          <TelemetryControls />
          <Select
            aria-label="Refresh every"
            w={126}
            allowDeselect={false}
            value={refresh}
            data={[...new Set([...REFRESH, refresh])].map((value) => ({
              value,
              label: value === 'off' ? 'No refresh' : `Every ${value}`,
            }))}
            onChange={(next) => set({ refresh: next === time.refresh || next === null ? undefined : next })}
          />
          {canWrite && !isEditing && (
            <Button
              variant="default"
              leftSection={<IconPencil size={15} stroke={1.6} />}
              onClick={() => set({ edit: 'yes' })}
            >
              Edit
            </Button>
          )}
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon variant="default" aria-label="More actions">
                <IconDots size={16} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item leftSection={<IconHistory size={14} />} onClick={() => setOpened('versions')}>
                Versions
              </Menu.Item>
              <Menu.Item leftSection={<IconDownload size={14} />} onClick={() => download(model)}>
                Export JSON
              </Menu.Item>
              <Menu.Item leftSection={<IconCopy size={14} />} onClick={() => void copy()}>
                Copy
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </>
      }
    >
      {dashboard.source !== null && <FileNotice source={dashboard.source} />}
      {isEditing && (
        <div className={classes.toolbar} role="toolbar" aria-label="Edit the dashboard">
          <TextInput
            aria-label="Name of the dashboard"
            value={model.name}
            w={260}
            maxLength={200}
            onChange={(event) => {
              const { value } = event.currentTarget;
              edit((old) => ({ ...old, name: value }));
            }}
          />
          <Button variant="default" leftSection={<IconPlus size={14} />} onClick={() => add('time_series')}>
            Panel
          </Button>
          <Button variant="default" onClick={() => add('text')}>
            Text
          </Button>
          <Button variant="default" onClick={() => add('row')}>
            Row
          </Button>
          <Button variant="default" leftSection={<IconVariable size={14} />} onClick={() => setOpened('variables')}>
            Variables
          </Button>
          <Tooltip label="Undo (Ctrl+Z)">
            <ActionIcon
              variant="default"
              aria-label="Undo"
              disabled={!canUndo(history)}
              onClick={() => setHistory(undone)}
            >
              <IconArrowBackUp size={15} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label="Redo (Ctrl+Shift+Z)">
            <ActionIcon
              variant="default"
              aria-label="Redo"
              disabled={!canRedo(history)}
              onClick={() => setHistory(redone)}
            >
              <IconArrowForwardUp size={15} />
            </ActionIcon>
          </Tooltip>
          <span style={{ flex: 1 }} />
          <Button
            variant="default"
            onClick={() => {
              setHistory(historyOf(modelOf(dashboard)));
              set({ edit: undefined });
            }}
          >
            {isDirty ? 'Discard' : 'Done'}
          </Button>
          <Button disabled={!isDirty || model.name.trim() === ''} loading={saving} onClick={() => void save()}>
            Save
          </Button>
        </div>
      )}
      {conflict && (
        <Conflict error={conflict} onReload={() => void reload(scope.ws, dashboard.id, () => setConflict(null))} />
      )}
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
        <Marks value={marks}>
          <DashboardGrid
            panels={panels}
            states={states}
            place={place}
            definitions={variables}
            values={values}
            folded={folded}
            onFold={fold}
            onExplore={(query) =>
              void navigate({
                to: '/w/$ws/$project/explore',
                params: scope,
                search: (old) => ({ env: old.env, from: range.from, to: range.to, q: query }),
              })
            }
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
        </Marks>
      )}
      {model.links.length > 0 && (
        <Group gap="md">
          {model.links.map(({ title, url }) => (
            <a key={`${title} ${url}`} href={url} rel="noreferrer noopener">
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

/** Another number asks the panels again: after so many seconds while somebody looks, and when “Refresh” is pressed. */
function useRound(id: string, seconds: number | undefined): number {
  const { data } = useQuery({
    queryKey: [previewDashboard.id, id],
    queryFn: () => Date.now(),
    initialData: 0,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchInterval: seconds === undefined ? false : seconds * 1_000,
  });
  return data;
}

function Conflict({ error, onReload }: { error: ApiError; onReload: () => void }) {
  const changes = (error.details ?? []).filter(({ path }) => path !== 'version');
  return (
    <Notice kind="error">
      {error.message}
      {changes.length > 0 && (
        <ul className={classes.changeList}>
          {changes.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <span className="mono">{path}</span> {message}
            </li>
          ))}
        </ul>
      )}
      <Group mt="xs">
        <Button size="xs" variant="default" onClick={onReload}>
          Drop my changes and load the current version
        </Button>
      </Group>
    </Notice>
  );
}

async function reload(ws: string, id: string, done: () => void): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: dashboardQuery(ws, id).queryKey });
  done();
}

function download(model: DashboardModel): void {
  const url = URL.createObjectURL(new Blob([`${JSON.stringify(model, null, 2)}\n`], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${model.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-') || 'dashboard'}.json`;
  link.click();
  URL.revokeObjectURL(url);
}
