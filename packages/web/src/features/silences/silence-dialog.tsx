import { createSilence } from '@fanion/contract';
import { MatcherList } from '../../alerting/matcher-list.tsx';
import { matchersOf } from '../../alerting/matchers.ts';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { countOf } from '../../ui/format/index.ts';
import { Modal, Select, TextInput } from '../../ui/mantine.ts';
import { toastDone } from '../../ui/toast.ts';
import { refreshSilences } from './queries.ts';
import { DEFAULT_LENGTH, LENGTHS } from './silence-draft.ts';
import { useMatched } from './silence-matches.tsx';

/** Alerts to silence: those with these labels. */
export interface SilenceTarget {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Silences firing alerts from now on; Enter confirms. */
export function SilenceDialog({ target, onClose }: { target: SilenceTarget | null; onClose: () => void }) {
  return (
    <Modal opened={target !== null} onClose={onClose} title={`Silence ${target?.name ?? ''}`} size={520}>
      {target !== null && <QuickForm target={target} onClose={onClose} />}
    </Modal>
  );
}

function QuickForm({ target: { name, labels }, onClose }: { target: SilenceTarget; onClose: () => void }) {
  const { ws } = useScope();
  const matchers = matchersOf(labels);
  const { data } = useMatched(matchers);
  const form = useForm({
    initial: { length: DEFAULT_LENGTH, comment: 'Acknowledged' },
    submit: async ({ length, comment }) => {
      await call(createSilence, { params: { ws }, body: { matchers, ends_at: `now+${length}`, comment } });
      await refreshSilences();
      toastDone(`${name} is silenced for ${LENGTHS.find(({ value }) => value === length)?.label ?? length}`);
      onClose();
    },
  });
  return (
    <DialogForm form={form} action="Silence" onCancel={onClose}>
      <MatcherList matchers={matchers} />
      <span className="dim" role="status">
        {data === undefined ? 'Looking for alerts that match' : `Matches ${countOf(data.matched, 'firing alert')} now.`}
      </span>
      <Select label="Lasts" data={[...LENGTHS]} {...form.choice('length')} />
      <TextInput label="Comment" required data-autofocus {...form.field('comment')} />
    </DialogForm>
  );
}
