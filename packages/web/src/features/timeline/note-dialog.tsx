import { createAnnotation } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';
import { useEnvironment } from '../../app/time-range.ts';
import { servicesQuery } from '../../telemetry/services.ts';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { parseWallClock, zoneName } from '../../ui/format/zone.ts';
import { Group, Modal, Select, Textarea } from '../../ui/mantine.ts';
import { MomentInput } from '../../ui/moment-input.tsx';
import { toastDone } from '../../ui/toast.ts';
import { refreshHappenings } from './queries.ts';

/** Writes an annotation for the project and environment of the page. */
export function NoteDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Add annotation">
      <NoteForm onClose={onClose} />
    </Modal>
  );
}

const LONGEST = 4_096;
const momentOf = (text: string) => new Date(parseWallClock(text) ?? Date.parse(text)).toISOString();

function NoteForm({ onClose }: { onClose: () => void }) {
  const { ws, project } = useScope();
  const environment = useEnvironment();
  const services = useQuery(servicesQuery(ws, project, environment));
  const form = useForm({
    initial: { text: '', time: '', end: '', service: '' },
    submit: async ({ text, time, end, service }) => {
      await call(createAnnotation, {
        params: { ws },
        body: {
          text,
          time: time === '' ? 'now' : momentOf(time),
          project,
          ...(end !== '' && { end: momentOf(end) }),
          ...(environment !== undefined && { environment }),
          ...(service !== '' && { service }),
        },
      });
      await refreshHappenings();
      onClose();
      toastDone('The annotation is added');
    },
  });
  const { text, service } = form.values;
  return (
    <DialogForm form={form} action="Add annotation" disabled={text.trim() === ''} onCancel={onClose}>
      <Textarea
        label="Text"
        placeholder="Load test of the checkout"
        maxLength={LONGEST}
        data-autofocus
        {...form.field('text')}
      />
      <Group gap="sm" grow align="flex-start">
        <MomentInput label="Begins" description={`${zoneName()}; empty: now`} {...form.field('time')} />
        <MomentInput label="Ends" description="Leave empty for a single moment" {...form.field('end')} />
      </Group>
      <Select
        allowDeselect
        label="Service"
        description={environment === undefined ? 'In all environments' : `In the environment ${environment}`}
        placeholder="All services"
        clearable
        searchable
        value={service === '' ? null : service}
        data={(services.data ?? []).map(({ name }) => name)}
        error={form.errorOf('service')}
        onChange={(next) => form.set('service', next ?? '')}
      />
    </DialogForm>
  );
}
