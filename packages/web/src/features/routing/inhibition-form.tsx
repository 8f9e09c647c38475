import { createInhibitionRule, updateInhibitionRule } from '@fanion/contract';
import { useKnownLabels } from '../../alerting/known-labels.ts';
import { MatcherEditor } from '../../alerting/matcher-editor.tsx';
import { type MatcherDraft, namedMatchers, newMatcher } from '../../alerting/matchers.ts';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { TagsInput, TextInput } from '../../ui/mantine.ts';
import { saveOver } from '../../ui/stale.ts';
import { toastDone } from '../../ui/toast.ts';
import { type InhibitionRule, refreshRouting } from './queries.ts';

/** Creates or changes an inhibition rule. */
export function InhibitionForm({ rule, onClose }: { rule: InhibitionRule | null; onClose: () => void }) {
  const { ws } = useScope();
  const known = useKnownLabels();
  const form = useForm({
    initial: {
      name: rule?.name ?? '',
      source: rule?.source.map(newMatcher) ?? [newMatcher()],
      target: rule?.target.map(newMatcher) ?? [newMatcher()],
      equal: rule?.equal ?? [],
    },
    check: missingParts,
    submit: async ({ name, source, target, equal }) => {
      const body = { name: name.trim(), source: namedMatchers(source), target: namedMatchers(target), equal };
      if (rule === null) await call(createInhibitionRule, { params: { ws }, body });
      else
        await saveOver(
          rule,
          call(updateInhibitionRule, { params: { ws, id: rule.id }, body: { ...body, version: rule.version } }),
        );
      toastDone(`The inhibition rule ${body.name} is saved`);
      await refreshRouting();
      onClose();
    },
  });
  const { source, target, equal } = form.values;
  return (
    <DialogForm form={form} action={rule === null ? 'Create rule' : 'Save rule'} onCancel={onClose}>
      <TextInput label="Name" placeholder="Critical before warning" data-autofocus {...form.field('name')} />
      <MatcherEditor
        legend="While an alert fires with"
        value={source}
        known={known}
        error={form.errorOf('source')}
        onChange={(matchers) => form.set('source', [...matchers])}
      />
      <MatcherEditor
        legend="hold back alerts with"
        value={target}
        known={known}
        error={form.errorOf('target')}
        onChange={(matchers) => form.set('target', [...matchers])}
      />
      <TagsInput
        label="if both have the same"
        description="Labels. A label that is missing from both counts as the same."
        placeholder={equal.length === 0 ? 'service.name' : ''}
        data={[...known.keys()]}
        value={equal}
        error={form.errorOf('equal')}
        onChange={(labels) => form.set('equal', labels)}
      />
    </DialogForm>
  );
}

function missingParts(draft: { name: string; source: readonly MatcherDraft[]; target: readonly MatcherDraft[] }) {
  const lacks = (matchers: readonly MatcherDraft[]) => namedMatchers(matchers).length === 0;
  return {
    ...(draft.name.trim() === '' && { name: 'Name the rule' }),
    ...(lacks(draft.source) && { source: 'Name at least one label' }),
    ...(lacks(draft.target) && { target: 'Name at least one label' }),
  };
}
