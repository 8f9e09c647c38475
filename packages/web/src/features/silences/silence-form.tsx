import { createSilence, removeSilence } from '@fanion/contract';
import { useKnownLabels } from '../../alerting/known-labels.ts';
import { MatcherEditor } from '../../alerting/matcher-editor.tsx';
import { namedMatchers } from '../../alerting/matchers.ts';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';
import { type Form, useForm } from '../../ui/form.ts';
import { zoneName } from '../../ui/format/zone.ts';
import { Select, Stack, Textarea } from '../../ui/mantine.ts';
import { MomentInput } from '../../ui/moment-input.tsx';
import { Panel } from '../../ui/page.tsx';
import { ColumnsForm, SaveDraft } from '../../ui/resource/draft-form.tsx';
import { Notice } from '../../ui/states.tsx';
import { refreshSilences, type Silence } from './queries.ts';
import { LENGTHS, missingSilenceParts, type SilenceDraft, silenceBody, UNTIL } from './silence-draft.ts';
import { SilenceMatches } from './silence-matches.tsx';
import classes from './silences.module.css';

/** The fields of a silence, with the alerts that it matches beside them. */
export function SilenceForm({
  initial,
  replaces,
  onSaved,
}: {
  initial: SilenceDraft;
  /** The silence that is edited, unless it is over: saving creates a new one and expires this one. */
  replaces: Silence | undefined;
  onSaved: () => void;
}) {
  const { ws } = useScope();
  const known = useKnownLabels();
  const form = useForm({
    initial: { ...initial, starts_at: null, ends_at: null },
    check: missingSilenceParts,
    submit: async (draft) => {
      await call(createSilence, { params: { ws }, body: silenceBody(draft) });
      // The new one holds by now, so nothing is notified in between.
      if (replaces !== undefined) await call(removeSilence, { params: { ws, id: replaces.id } });
      await refreshSilences();
      onSaved();
    },
  });
  const draft = form.values;
  return (
    <ColumnsForm form={form} beside="0.8fr">
      <Panel title="Silence">
        <Stack gap="md">
          {replaces !== undefined && <Notice kind="info">Saving expires this silence and creates a new one.</Notice>}
          <MatcherEditor
            legend="Matchers"
            value={draft.matchers}
            known={known}
            error={form.errorOf('matchers')}
            onChange={(matchers) => form.set('matchers', matchers)}
          />
          <span className="dim">An alert is silenced if all of them match. A label that it lacks is empty.</span>
          <Times form={form} />
          <Textarea label="Comment" placeholder="The payment provider is down" {...form.field('comment')} />
          <SaveDraft form={form} action={replaces === undefined ? 'Create silence' : 'Save silence'} />
        </Stack>
      </Panel>
      <SilenceMatches matchers={namedMatchers(draft.matchers)} />
    </ColumnsForm>
  );
}

/** When the silence starts, and how long it lasts. */
function Times({ form }: { form: Form<SilenceDraft & { starts_at: null; ends_at: null }> }) {
  const { length } = form.values;
  return (
    <div className={classes.times}>
      <MomentInput
        label="Starts"
        description={`${zoneName()}; empty: now`}
        {...form.field('starts')}
        error={form.errorOf('starts') ?? form.errorOf('starts_at')}
      />
      <Select
        label="Lasts"
        value={length}
        data={[...LENGTHS, { value: UNTIL, label: 'Until a time' }]}
        onChange={(next) => form.set('length', next ?? length)}
        error={length === UNTIL ? undefined : form.errorOf('ends_at')}
      />
      {length === UNTIL && (
        <MomentInput
          step={1}
          label="Ends"
          description={zoneName()}
          {...form.field('ends')}
          error={form.errorOf('ends') ?? form.errorOf('ends_at')}
        />
      )}
    </div>
  );
}
