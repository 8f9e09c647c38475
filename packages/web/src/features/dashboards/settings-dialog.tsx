import type { DashboardModel } from '@fanion/contract';
import { useState } from 'react';
import { DialogEnd } from '../../ui/dialog-end.tsx';
import { Group, Modal, Select, Stack, TagsInput, Textarea, TextInput } from '../../ui/mantine.ts';
import { REFRESH } from './refresh.ts';

export type DashboardSettings = Pick<DashboardModel, 'description' | 'tags' | 'time'>;

/** Description and tags of a dashboard, and the times with which it opens. */
export function SettingsDialog({
  opened,
  model,
  onClose,
  onSave,
}: {
  opened: boolean;
  model: DashboardModel;
  onClose: () => void;
  onSave: (settings: DashboardSettings) => void;
}) {
  return (
    <Modal opened={opened} onClose={onClose} title="Settings of the dashboard" size="lg" centered={false}>
      {opened && <Fields model={model} onClose={onClose} onSave={onSave} />}
    </Modal>
  );
}

function Fields({
  model,
  onClose,
  onSave,
}: {
  model: DashboardModel;
  onClose: () => void;
  onSave: (settings: DashboardSettings) => void;
}) {
  const [description, setDescription] = useState(model.description);
  const [tags, setTags] = useState<string[]>(model.tags);
  const [time, setTime] = useState(model.time);
  const isValid = time.from.trim() !== '' && time.to.trim() !== '';
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isValid) onSave({ description, tags, time });
      }}
    >
      <Stack gap="md">
        <Textarea
          label="Description"
          maxLength={10_000}
          data-autofocus
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        <TagsInput label="Tags" maxTags={20} value={tags} onChange={setTags} />
        <TimeFields time={time} set={(change) => setTime((old) => ({ ...old, ...change }))} />
        <DialogEnd action="Apply" onCancel={onClose} disabled={!isValid} />
      </Stack>
    </form>
  );
}
/** The window, refresh and time zone with which a dashboard opens. */
function TimeFields({
  time,
  set,
}: {
  time: DashboardModel['time'];
  set: (change: Partial<DashboardModel['time']>) => void;
}) {
  return (
    <>
      <Group gap="sm" grow>
        <TextInput
          label="From"
          description="Such as now-6h, or a time"
          value={time.from}
          maxLength={64}
          onChange={(event) => set({ from: event.currentTarget.value })}
        />
        <TextInput
          label="To"
          description="Such as now, or a time"
          value={time.to}
          maxLength={64}
          onChange={(event) => set({ to: event.currentTarget.value })}
        />
      </Group>
      <Group gap="sm" grow>
        <Select
          label="Refresh"
          value={time.refresh}
          data={[...new Set([...REFRESH, time.refresh])]}
          onChange={(refresh) => refresh !== null && set({ refresh })}
        />
        <Select
          label="Time zone"
          searchable
          nothingFoundMessage="No such time zone"
          value={time.time_zone}
          data={[
            { value: 'browser', label: 'That of the reader' },
            ...[...new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), time.time_zone])]
              .filter((zone) => zone !== 'browser')
              .map((zone) => ({ value: zone, label: zone })),
          ]}
          onChange={(zone) => zone !== null && set({ time_zone: zone })}
        />
      </Group>
    </>
  );
}
