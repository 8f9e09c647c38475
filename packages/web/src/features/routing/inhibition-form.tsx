import { createInhibitionRule, updateInhibitionRule } from '@fanion/contract';
import { useState } from 'react';
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
  const [tried, setTried] = useState(false);
  const form = useForm({
    initial: {
      name: rule?.name ?? '',
      source: rule?.source.map(newMatcher) ?? [newMatcher()],
      target: rule?.target.map(newMatcher) ?? [newMatcher()],
      equal: rule?.equal ?? [],
    },
    submit: async ({ name, source, target, equal }) => {
      setTried(true);
      const body = { name: name.trim(), source: namedMatchers(source), target: namedMatchers(target), equal };
      if (body.name === '' || body.source.length === 0 || body.target.length === 0) return;
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
  const { name, source, target, equal } = form.values;
  const missing = (matchers: readonly MatcherDraft[]) =>
    tried && namedMatchers(matchers).length === 0 ? 'Name at least one label' : undefined;
  return (
    <DialogForm form={form} action={rule === null ? 'Create rule' : 'Save rule'} onCancel={onClose}>
      <TextInput
        label="Name"
        placeholder="Critical before warning"
        data-autofocus
        {...form.field('name')}
        error={tried && name.trim() === '' ? 'Name the rule' : form.errorOf('name')}
      />
      <MatcherEditor
        legend="While an alert fires with"
        value={source}
        known={known}
        error={missing(source) ?? form.errorOf('source')}
        onChange={(matchers) => form.set('source', [...matchers])}
      />
      <MatcherEditor
        legend="hold back alerts with"
        value={target}
        known={known}
        error={missing(target) ?? form.errorOf('target')}
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
