import { createSnapshot, type Dashboard, type VariableValues } from '@fanion/contract';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { Modal, Select, TextInput } from '../../ui/mantine.ts';
import type { TimeRange } from '../../ui/time/time-range.ts';
import { refreshSnapshots } from './queries.ts';

interface Asked {
  dashboard: Dashboard;
  values: VariableValues;
  range: TimeRange;
  environment: string | undefined;
}

/** Freezes the dashboard as it is shown: its window, its variables and their answers. */
export function SnapshotDialog({ opened, onClose, ...asked }: Asked & { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Take a snapshot">
      <SnapshotForm {...asked} onClose={onClose} />
    </Modal>
  );
}

const DAYS = ['1', '7', '30', '90'];

function SnapshotForm({ dashboard, values, range, environment, onClose }: Asked & { onClose: () => void }) {
  const scope = useScope();
  const navigate = useNavigate();
  const form = useForm({
    initial: { name: dashboard.name, days: '30' },
    submit: async ({ name, days }) => {
      const { data } = await call(createSnapshot, {
        params: { ws: scope.ws, id: dashboard.id },
        body: {
          name,
          ...range,
          variables: values,
          expires_in_days: Number(days),
          ...(environment !== undefined && { environment }),
        },
      });
      await refreshSnapshots();
      onClose();
      await navigate({ to: '/w/$ws/$project/dashboards/snapshots/$id', params: { ...scope, id: data.id } });
    },
  });
  const { name, days } = form.values;
  return (
    <DialogForm form={form} action="Take snapshot" disabled={name.trim() === ''} onCancel={onClose}>
      <p className="dim">
        Keeps the saved dashboard with the answers of its queries for the chosen time range. Everybody in this workspace
        who may read dashboards and query telemetry can open it by its link.
      </p>
      <TextInput label="Name" data-autofocus {...form.field('name')} />
      <Select
        label="Delete it after"
        value={days}
        data={DAYS.map((value) => ({ value, label: value === '1' ? '1 day' : `${value} days` }))}
        onChange={(next) => next !== null && form.set('days', next)}
      />
    </DialogForm>
  );
}
