import { createDashboard, type DashboardModel } from '@fanion/contract';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { Modal, Textarea } from '../../ui/mantine.ts';
import { refreshDashboards } from './queries.ts';

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
    <Modal opened={opened} onClose={onClose} title="Import a dashboard" size="lg">
      <ImportForm onCancel={onClose} onImported={onImported} />
    </Modal>
  );
}

function ImportForm({ onCancel, onImported }: { onCancel: () => void; onImported: (id: string) => void }) {
  const { ws, project } = useScope();
  const [problem, setProblem] = useState<string | null>(null);
  const form = useForm({
    initial: { json: '' },
    submit: async ({ json }) => {
      setProblem(null);
      const model = readModel(json);
      if (model === undefined) return setProblem('This is not the JSON of a dashboard.');
      const { data } = await call(createDashboard, {
        params: { ws },
        body: { ...model, project, comment: 'Imported' },
      });
      await refreshDashboards();
      return onImported(data.id);
    },
  });
  return (
    <DialogForm form={form} action="Import" disabled={form.values.json.trim() === ''} onCancel={onCancel}>
      <Textarea
        label="JSON"
        description="As the page of a dashboard exports it"
        autosize
        minRows={10}
        maxRows={20}
        data-autofocus
        styles={{ input: { fontFamily: 'var(--f-mono)' } }}
        {...form.field('json')}
        error={problem ?? form.field('json').error}
      />
    </DialogForm>
  );
}

/** What the text says; the server checks it. Undefined: it is not a JSON object. */
function readModel(text: string): DashboardModel | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as DashboardModel) : undefined;
  } catch {
    return undefined;
  }
}
