import { createDashboard, type Dashboard, getDashboard, type QueryLanguage, replaceDashboard } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { Modal, Select, TextInput } from '../../ui/mantine.ts';
import { toastDone } from '../../ui/toast.ts';
import { freeId, modelOf, withPanel } from './draft.ts';
import { dashboardsQuery, keepDashboard } from './queries.ts';

const NEW = 'new';

/** Adds a query as a panel to a dashboard that exists or is new. Null keeps it closed. */
export function AddToDashboard({
  query,
  language,
  kind,
  onClose,
}: {
  query: string | null;
  language: QueryLanguage;
  /** The kind of the answer, if it is known. */
  kind: string | undefined;
  onClose: () => void;
}) {
  return (
    <Modal opened={query !== null} onClose={onClose} title="Add to dashboard">
      {query !== null && <AddForm query={query} language={language} kind={kind} onClose={onClose} />}
    </Modal>
  );
}

const panelTypes: Readonly<Record<string, 'time_series' | 'stat' | 'flame_graph'>> = {
  timeseries: 'time_series',
  scalar: 'stat',
  flamegraph: 'flame_graph',
};

/** What an answer is that nobody has seen: an expression in PromQL has a value at each step. */
const unseen = { oql: 'table', promql: 'timeseries' } as const;

type NewPanel = Omit<Dashboard['panels'][number], 'id'>;

function panelOf(query: string, language: QueryLanguage, kind: string | undefined, title: string): NewPanel {
  return {
    title,
    description: '',
    query,
    ...(language === 'promql' && { query_language: language }),
    x: 0,
    y: 0,
    w: 12,
    h: 8,
    type: panelTypes[kind ?? unseen[language]] ?? 'table',
  };
}

async function createWith(ws: string, project: string, name: string, panel: NewPanel): Promise<Dashboard> {
  const body = { name, project, panels: [{ ...panel, id: 'panel-1' }] };
  return (await call(createDashboard, { params: { ws }, body })).data;
}

async function addTo(ws: string, id: string, panel: NewPanel): Promise<Dashboard> {
  const { data: current } = await call(getDashboard, { params: { ws, id } });
  const model = withPanel(modelOf(current), { ...panel, id: freeId(current.panels) });
  return (await call(replaceDashboard, { params: { ws, id }, body: { ...model, version: current.version } })).data;
}

function AddForm({
  query,
  language,
  kind,
  onClose,
}: {
  query: string;
  language: QueryLanguage;
  kind: string | undefined;
  onClose: () => void;
}) {
  const scope = useScope();
  const { ws, project } = scope;
  const navigate = useNavigate();
  const { data = [] } = useQuery(dashboardsQuery(ws));
  const form = useForm({
    initial: { dashboard: NEW, name: '', title: '' },
    submit: async ({ dashboard, name, title }) => {
      const panel = panelOf(query, language, kind, title);
      const saved = await (dashboard === NEW ? createWith(ws, project, name, panel) : addTo(ws, dashboard, panel));
      await keepDashboard(ws, saved);
      toastDone(`“${title}” is on ${saved.name}`);
      onClose();
      await navigate({ to: '/w/$ws/$project/dashboards/$id', params: { ...scope, id: saved.id } });
    },
  });
  const { dashboard, name, title } = form.values;
  return (
    <DialogForm
      form={form}
      action="Add to dashboard"
      disabled={title.trim() === '' || (dashboard === NEW && name.trim() === '')}
      onCancel={onClose}
    >
      <CodeBlock code={query} label="query" wrap />
      <TextInput label="Title of the panel" data-autofocus {...form.field('title')} />
      <Select
        label="Dashboard"
        searchable
        value={dashboard}
        data={[
          { value: NEW, label: 'A new dashboard' },
          ...data.filter(({ source }) => source === null).map((one) => ({ value: one.id, label: one.name })),
        ]}
        onChange={(next) => next !== null && form.set('dashboard', next)}
      />
      {dashboard === NEW && <TextInput label="Name of the dashboard" {...form.field('name')} />}
    </DialogForm>
  );
}
