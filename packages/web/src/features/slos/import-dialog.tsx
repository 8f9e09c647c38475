import { importSlo } from '@fanion/contract';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';
import { useEnvironment } from '../../app/time-range.ts';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { Modal, Switch, Textarea } from '../../ui/mantine.ts';
import { toastDone } from '../../ui/toast.ts';
import { refreshSlos } from './queries.ts';

/** Creates an SLO from a document of OpenSLO. */
export function ImportDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Import OpenSLO" size={640}>
      {opened && <ImportForm onClose={onClose} />}
    </Modal>
  );
}

function ImportForm({ onClose }: { onClose: () => void }) {
  const scope = useScope();
  const environment = useEnvironment();
  const navigate = useNavigate();
  const form = useForm({
    // Its name is not that of the API's field: an error names a place within the document, and shows as a whole.
    initial: { text: '', burn_alerts: true },
    submit: async ({ text, burn_alerts }) => {
      const { data } = await call(importSlo, {
        params: { ws: scope.ws },
        body: {
          project: scope.project,
          ...(environment !== undefined && { environment }),
          document: objectOf(text),
          burn_alerts,
        },
      });
      await refreshSlos();
      onClose();
      toastDone(`${data.name} is created`);
      await navigate({ to: '/w/$ws/$project/slos/$id', params: { ...scope, id: data.id } });
    },
  });
  return (
    <DialogForm form={form} action="Import" disabled={form.values.text.trim() === ''} onCancel={onClose}>
      <Textarea
        label="Document"
        description="One SLO of OpenSLO v1 as JSON; sources of metrics have the type fanion, with their query in spec.oql"
        placeholder={'{ "apiVersion": "openslo/v1", "kind": "SLO", … }'}
        minRows={8}
        maxRows={20}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--f-mono)' } }}
        data-autofocus
        {...form.field('text')}
      />
      <Switch
        label="Alert while the budget is spent too fast"
        checked={form.values.burn_alerts}
        onChange={(event) => form.set('burn_alerts', event.currentTarget.checked)}
      />
    </DialogForm>
  );
}

/** Throws for text that is not a JSON object. */
function objectOf(text: string): Record<string, unknown> {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw new Error('The document is not JSON. Convert YAML to JSON first.');
  }
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw new Error('The document is not a JSON object.');
  return { ...document };
}
