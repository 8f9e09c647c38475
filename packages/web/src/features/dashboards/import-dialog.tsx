import { convertDashboard, createDashboard, type DashboardModel, type ImportReport } from '@fanion/contract';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { countOf } from '../../ui/format/index.ts';
import { Modal } from '../../ui/mantine.ts';
import classes from './dashboards.module.css';
import { ImportSource } from './import-source.tsx';
import { refreshDashboards } from './queries.ts';

type Converted = { readonly model: DashboardModel; readonly report: ImportReport };

/** Creates a dashboard from the JSON that another one was exported to. */
export function ImportDialog({
  opened,
  onClose,
  onImported,
}: {
  opened: boolean;
  onClose: () => void;
  onImported: (id: string) => void;
}) {
  return (
    <Modal opened={opened} onClose={onClose} title="Import a dashboard" size="lg" centered={false}>
      <ImportForm onCancel={onClose} onImported={onImported} />
    </Modal>
  );
}

function ImportForm({ onCancel, onImported }: { onCancel: () => void; onImported: (id: string) => void }) {
  const { ws, project } = useScope();
  const [problem, setProblem] = useState<string | null>(null);
  const [converted, setConverted] = useState<Converted | null>(null);
  const convert = async (body: { grafana: Record<string, unknown> } | { url: string }): Promise<Converted> =>
    (await call(convertDashboard, { params: { ws }, body })).data;
  async function readSource(json: string, url: string): Promise<Converted | undefined> {
    if (url.trim() !== '') return convert({ url: url.trim() });
    const model = readJson(json);
    if (model === undefined) return undefined;
    return isOfGrafana(model) ? convert({ grafana: { ...model } }) : { model, report: [] };
  }
  const form = useForm({
    initial: { json: '', url: '' },
    submit: async ({ json, url }) => {
      setProblem(null);
      const read = converted ?? (await readSource(json, url));
      if (read === undefined) return setProblem('This is not the JSON of a dashboard.');
      if (converted === null && read.report.length > 0) return setConverted(read);
      const { data } = await call(createDashboard, {
        params: { ws },
        body: { ...read.model, project, comment: 'Imported' },
      });
      await refreshDashboards();
      return onImported(data.id);
    },
  });
  return (
    <DialogForm
      form={form}
      action={converted ? 'Create dashboard' : 'Import'}
      disabled={form.values.json.trim() === '' && form.values.url.trim() === ''}
      onCancel={onCancel}
    >
      {converted ? (
        <Report report={converted.report} />
      ) : (
        <ImportSource
          json={{ value: form.values.json, error: problem ?? form.errorOf('json') }}
          url={{ value: form.values.url, error: form.errorOf('url') }}
          onChange={({ json, url }) => {
            setProblem(null);
            form.set('json', json);
            form.set('url', url);
          }}
        />
      )}
    </DialogForm>
  );
}

/** What becomes of a dashboard of Grafana: what is lost comes first. */
function Report({ report }: { report: ImportReport }) {
  const panels = report.filter(({ what }) => what === 'panel');
  const kept = panels.filter((line) => line.kept);
  const worst = report.toSorted((a, b) => Number(a.kept) - Number(b.kept) || b.losses.length - a.losses.length);
  // Panels of one name can have the same losses.
  const lines = new Map(worst.map((line) => [`${line.what} ${line.name} ${line.kept} ${line.losses.join()}`, line]));
  return (
    <section aria-label="Report of the import">
      <p>
        {kept.length} of {countOf(panels.length, 'panel')} can be kept.
      </p>
      <ul className={classes.report}>
        {[...lines]
          .filter(([, { losses }]) => losses.length > 0)
          .map(([key, { what, name, kept, losses }]) => (
            <li key={key} data-kept={kept}>
              <strong>{kept ? 'Changed' : 'Lost'}</strong> {what} <span className="mono">{name}</span>:{' '}
              {losses.join('; ')}
            </li>
          ))}
      </ul>
    </section>
  );
}

/** What the text says; the server checks it. Undefined: it is not a JSON object. */
function readJson(text: string): DashboardModel | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as DashboardModel) : undefined;
  } catch {
    return undefined;
  }
}

/** Grafana's JSON has other fields than an exported dashboard. */
function isOfGrafana(json: object): boolean {
  return (
    !('schema_version' in json) &&
    ['schemaVersion', 'spec', 'dashboard', 'rows', 'templating', 'uid'].some((name) => name in json)
  );
}
