import { createRoutingPolicy, updateRoutingPolicy } from '@fanion/contract';
import { useKnownLabels } from '../../alerting/known-labels.ts';
import { MatcherEditor } from '../../alerting/matcher-editor.tsx';
import { namedMatchers } from '../../alerting/matchers.ts';
import { call } from '../../api/client.ts';
import { DraftOf } from '../../app/draft-of.tsx';
import { useScope } from '../../app/session.ts';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { Checkbox, Modal, Select, Switch, TagsInput, TextInput } from '../../ui/mantine.ts';
import { saveOver } from '../../ui/stale.ts';
import { toastDone } from '../../ui/toast.ts';
import type { Channel } from '../channels/queries.ts';
import { IntervalsEditor } from './intervals-editor.tsx';
import { type Grouping, missingPolicyParts, newPolicy, policyBody, policyDraftOf } from './policy-draft.ts';
import { possibleParents } from './policy-tree.ts';
import { type Policy, refreshRouting } from './queries.ts';
import classes from './routing.module.css';

/** A policy to change, or where a new one is to be. */
export type Editing = { readonly policy: Policy } | { readonly below: Policy };

interface Props {
  readonly policies: readonly Policy[];
  readonly channels: readonly Channel[];
  readonly onClose: () => void;
}

export function PolicyDialog({ editing, ...props }: Props & { editing: Editing | null }) {
  const title = editing === null ? '' : 'policy' in editing ? `Edit ${editing.policy.name}` : 'Create policy';
  const saved = editing !== null && 'policy' in editing && props.policies.find(({ id }) => id === editing.policy.id);
  return (
    <Modal opened={editing !== null} onClose={props.onClose} title={title} size={640}>
      {saved ? (
        <DraftOf document={saved}>{(policy) => <PolicyForm editing={{ policy }} {...props} />}</DraftOf>
      ) : (
        editing !== null && <PolicyForm editing={editing} {...props} />
      )}
    </Modal>
  );
}

const GROUPINGS: { value: Grouping; label: string }[] = [
  { value: 'parent', label: 'Same as the parent' },
  { value: 'labels', label: 'One message per set of label values' },
  { value: 'one', label: 'All alerts in one message' },
  { value: 'each', label: 'Each alert on its own' },
];

const WAITS = [
  { name: 'group_wait', label: 'Wait', description: 'Before the first message' },
  { name: 'group_interval', label: 'Interval', description: 'Between changes' },
  { name: 'repeat_interval', label: 'Repeat', description: 'While nothing changes' },
] as const;

function usePolicyForm(editing: Editing, onClose: () => void) {
  const { ws } = useScope();
  const old = 'policy' in editing ? editing.policy : undefined;
  const isRoot = old !== undefined && old.parent === null;
  return useForm({
    initial: 'policy' in editing ? policyDraftOf(editing.policy) : newPolicy(editing.below.id),
    check: (draft) => missingPolicyParts(draft, isRoot),
    submit: async (draft) => {
      const matchers = namedMatchers(draft.matchers);
      const below = isRoot ? {} : { matchers, parent: draft.parent };
      if (old === undefined)
        await call(createRoutingPolicy, {
          params: { ws },
          body: { ...policyBody(draft), matchers, parent: draft.parent },
        });
      else
        await saveOver(
          old,
          call(updateRoutingPolicy, {
            params: { ws, id: old.id },
            body: { ...policyBody(draft), ...below, version: old.version },
          }),
        );
      toastDone(`The policy ${draft.name.trim()} is saved`);
      await refreshRouting();
      onClose();
    },
  });
}

type Form = ReturnType<typeof usePolicyForm>;

function PolicyForm({ editing, policies, channels, onClose }: Props & { editing: Editing }) {
  const old = 'policy' in editing ? editing.policy : undefined;
  const isRoot = old !== undefined && old.parent === null;
  const form = usePolicyForm(editing, onClose);
  const draft = form.values;
  const inherited = policies.find(({ id }) => id === draft.parent)?.effective;
  const parents = old === undefined ? policies : possibleParents(policies, old.id);
  return (
    <DialogForm form={form} action={old === undefined ? 'Create policy' : 'Save policy'} onCancel={onClose}>
      <TextInput label="Name" placeholder="Checkout" data-autofocus {...form.field('name')} />
      {!isRoot && <BelowParent form={form} parents={parents} />}
      {(isRoot || draft.ownChannels) && (
        <ChannelChoice
          channels={channels}
          value={draft.channels}
          error={form.errorOf('channels')}
          onChange={(next) => form.set('channels', next)}
        />
      )}
      <Grouped form={form} isRoot={isRoot} />
      <div className={classes.waits}>
        {WAITS.map(({ name, label, description }) => (
          <TextInput
            key={name}
            label={label}
            description={description}
            placeholder={inherited?.[name] ?? old?.effective[name] ?? ''}
            {...form.field(name)}
          />
        ))}
      </div>
      {!isRoot && <Switch label="Continue with the next siblings" {...form.toggle('continue')} />}
      <IntervalsEditor
        legend="Mute"
        description="No notifications are sent during these times."
        value={draft.mute}
        error={form.errorOf('mute')}
        onChange={(intervals) => form.set('mute', intervals)}
      />
      <IntervalsEditor
        legend="Active"
        description="If set, notifications are sent only during these times."
        value={draft.active}
        error={form.errorOf('active')}
        onChange={(intervals) => form.set('active', intervals)}
      />
    </DialogForm>
  );
}

/** What all policies but the first have: a parent, matchers, and perhaps its channels. */
function BelowParent({ form, parents }: { form: Form; parents: Props['policies'] }) {
  const known = useKnownLabels();
  const draft = form.values;
  return (
    <>
      <Select
        label="Below"
        data={parents.map(({ id, name }) => ({ value: id, label: name }))}
        {...form.choice('parent')}
      />
      <MatcherEditor
        legend="Matchers"
        value={draft.matchers}
        known={known}
        error={form.errorOf('matchers')}
        onChange={(matchers) => form.set('matchers', matchers)}
      />
      <Select
        label="Channels"
        value={draft.ownChannels ? 'own' : 'parent'}
        data={[
          { value: 'own', label: 'Its own' },
          { value: 'parent', label: 'Same as the parent' },
        ]}
        onChange={(value) => form.set('ownChannels', value === 'own')}
      />
    </>
  );
}

function Grouped({ form, isRoot }: { form: Form; isRoot: boolean }) {
  const known = useKnownLabels();
  const draft = form.values;
  return (
    <>
      <Select
        label="Groups"
        value={draft.grouping}
        data={GROUPINGS.map((one) => (isRoot && one.value === 'parent' ? { ...one, label: 'By alertname' } : one))}
        onChange={(value) => form.set('grouping', GROUPINGS.find((one) => one.value === value)?.value ?? 'parent')}
      />
      {draft.grouping === 'labels' && (
        <TagsInput
          label="Group by"
          placeholder={draft.group_by.length === 0 ? 'service.name' : ''}
          data={[...known.keys()]}
          value={[...draft.group_by]}
          onChange={(labels) => form.set('group_by', labels)}
          error={form.errorOf('group_by')}
        />
      )}
    </>
  );
}

function ChannelChoice({
  channels,
  value,
  error,
  onChange,
}: {
  channels: readonly Channel[];
  value: readonly string[];
  error: string | undefined;
  onChange: (ids: readonly string[]) => void;
}) {
  return (
    <Checkbox.Group
      label="Notified channels"
      description={
        channels.length === 0
          ? 'There are no channels yet: create one on the Channels page.'
          : value.length === 0
            ? 'Nobody is notified.'
            : undefined
      }
      value={[...value]}
      error={error}
      onChange={onChange}
    >
      <div className={classes.channels}>
        {channels.map(({ id, name }) => (
          <Checkbox key={id} value={id} label={name} />
        ))}
      </div>
    </Checkbox.Group>
  );
}
