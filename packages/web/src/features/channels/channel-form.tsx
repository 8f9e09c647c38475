import { type ChannelKind, createChannel, type RouteBodyInput, updateChannel } from '@fanion/contract';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { PasswordInput, Select, Switch, Textarea, TextInput } from '../../ui/mantine.ts';
import { saveOver } from '../../ui/stale.ts';
import { type ConfigField, configOf, FIELDS, isKind, KINDS, textsOf } from './channel-draft.ts';
import type { Channel } from './queries.ts';

interface Props {
  /** All channels of the workspace, for the fallback. */
  readonly channels: readonly Channel[];
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

const NONE = '';

/** Creates or changes a channel. */
export function ChannelForm({ channel, channels, onClose, onSaved }: Props & { channel: Channel | null }) {
  const { ws } = useScope();
  const [kind, setKind] = useState<ChannelKind>(channel?.kind ?? 'webhook');
  const [texts, setTexts] = useState(() => textsOf(kind, channel?.config ?? {}));
  const choices = channels.map(({ id, name }) => ({ value: id, label: name }));
  const form = useForm({
    initial: {
      name: channel?.name ?? '',
      send_resolved: channel?.send_resolved ?? true,
      fallback: channel?.fallback ?? NONE,
    },
    submit: async (values) => {
      const config = configOf(kind, texts);
      const common = { ...values, fallback: values.fallback === NONE ? null : values.fallback };
      if (channel === null) {
        // The form of the configuration depends on the kind; the server checks it.
        const body = { ...common, kind, config } as RouteBodyInput<typeof createChannel>;
        await call(createChannel, { params: { ws }, body });
      } else {
        const { id, version } = channel;
        await saveOver(channel, call(updateChannel, { params: { ws, id }, body: { ...common, config, version } }));
      }
      onSaved();
      onClose();
    },
  });
  return (
    <DialogForm form={form} action={channel === null ? 'Create channel' : 'Save channel'} onCancel={onClose}>
      <TextInput label="Name" placeholder="On call" required data-autofocus {...form.field('name')} />
      {channel === null && (
        <Select
          label="Kind"
          value={kind}
          data={Object.entries(KINDS).map(([value, label]) => ({ value, label }))}
          onChange={(value) => {
            if (!isKind(value)) return;
            setKind(value);
            setTexts(textsOf(value, {}));
          }}
        />
      )}
      {FIELDS[kind].map((field) => (
        <Field
          key={`${kind}.${field.name}`}
          field={field}
          isSet={channel?.secrets.includes(field.name) ?? false}
          value={texts[field.name] ?? ''}
          onChange={(value) => setTexts((old) => ({ ...old, [field.name]: value }))}
        />
      ))}
      <Select
        label="Fallback"
        description="Used when this channel fails"
        data={[{ value: NONE, label: 'None' }, ...choices.filter(({ value }) => value !== channel?.id)]}
        {...form.choice('fallback')}
      />
      <Switch label="Notify when alerts resolve" {...form.toggle('send_resolved')} />
    </DialogForm>
  );
}

function Field({
  field: { label, secret, optional, list, placeholder, description },
  isSet,
  value,
  onChange,
}: {
  field: ConfigField;
  /** A secret that the server has: an empty field keeps it. */
  isSet: boolean;
  value: string;
  onChange: (value: string) => void;
}) {
  const shared = {
    label,
    value,
    ...(description !== undefined && { description }),
    required: !optional && !isSet,
    placeholder: isSet ? 'Leave empty to keep the current one' : (placeholder ?? ''),
    autoComplete: 'off',
    spellCheck: false,
  };
  if (list) return <Textarea {...shared} onChange={(event) => onChange(event.currentTarget.value)} />;
  const Input = secret ? PasswordInput : TextInput;
  return <Input {...shared} onChange={(event) => onChange(event.currentTarget.value)} />;
}
