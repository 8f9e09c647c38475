import { createErasure, listRemovals } from '@fanion/contract';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { invalidate } from '../../app/query-client.ts';
import { useScope } from '../../app/session.ts';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { Button, Modal, Select, TextInput } from '../../ui/mantine.ts';

interface Project {
  readonly key: string;
  readonly name: string;
}

/** Opens the form that erases a person's telemetry from a project. */
export function EraseTelemetry({ projects }: { projects: readonly Project[] }) {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  return (
    <>
      <Button variant="default" onClick={() => setIsOpen(true)}>
        Erase a person’s telemetry
      </Button>
      <Modal opened={isOpen} onClose={close} title="Erase a person’s telemetry">
        {isOpen && <ErasureForm projects={projects} onClose={close} />}
      </Modal>
    </>
  );
}

function ErasureForm({ projects, onClose }: { projects: readonly Project[]; onClose: () => void }) {
  const { ws, project } = useScope();
  const form = useForm({
    initial: { project: project ?? projects[0]?.key ?? '', attribute: 'user.id', value: '', again: '' },
    check: ({ value, again }) => (value === again ? {} : { again: 'This is not the same value.' }),
    submit: async ({ project: p, attribute, value }) => {
      await call(createErasure, { params: { ws, p }, body: { attribute, value } });
      await invalidate(listRemovals);
      onClose();
    },
  });
  return (
    <DialogForm form={form} action="Erase telemetry" onCancel={onClose}>
      <p>
        Deletes all spans, log records, metric series, exemplars and profile samples that have this attribute with this
        value, in all environments of the project. It takes up to a day and cannot be undone. The text of log records,
        dashboard snapshots and backups are not searched.
      </p>
      <Select
        label="Project"
        data={projects.map(({ key, name }) => ({ value: key, label: name }))}
        {...form.choice('project')}
      />
      <TextInput label="Attribute" description="Its whole name." required {...form.field('attribute')} />
      <TextInput label="Value" description="Its whole value." required data-autofocus {...form.field('value')} />
      <TextInput label="Value again" required {...form.field('again')} />
    </DialogForm>
  );
}
