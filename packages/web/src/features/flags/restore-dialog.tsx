import { restoreFlag } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { countOf } from '../../ui/format/index.ts';
import { Modal, Textarea } from '../../ui/mantine.ts';
import { Unloaded } from '../../ui/resource/loaded.tsx';
import { toastDone } from '../../ui/toast.ts';
import { ChangeTable } from './change-table.tsx';
import { describeDifferences } from './difference-words.ts';
import { type HistoryEntry, versionOf } from './history.ts';
import { refreshFlags, refreshTargeting, versionQuery } from './queries.ts';
import { RestoreReview } from './restore-review.tsx';
import type { Environment, Flag } from './types.ts';

interface Props {
  flag: Flag;
  environments: readonly Environment[];
  /** The later changes that the restore reverts, newest first. */
  undone: readonly HistoryEntry[];
  ruleNames: ReadonlyMap<string, string>;
  onClose: () => void;
}

/** Reviews the restoring of an earlier version before it happens. Null keeps it closed. */
export function RestoreDialog({ entry, ...props }: Props & { entry: HistoryEntry | null }) {
  return (
    <Modal
      opened={entry !== null}
      onClose={props.onClose}
      title={entry === null ? 'Restore' : `Restore version ${versionOf(entry)}`}
      size={640}
    >
      {entry &&
        (entry.environment === null ? (
          <RestoreForm entry={entry} {...props} />
        ) : (
          <OfTargeting entry={entry} {...props} />
        ))}
    </Modal>
  );
}

function OfTargeting({ flag, environments, entry, onClose }: Props & { entry: HistoryEntry }) {
  const { ws, project } = useScope();
  const query = useQuery(versionQuery(ws, project, flag.key, entry.id));
  const environment = environments.find(({ key }) => key === entry.environment);
  if (query.data === undefined || environment === undefined)
    return <Unloaded query={query} label="Loading the version" compact />;
  return (
    <RestoreReview flag={flag} environment={environment} version={query.data} action="Restore" onClose={onClose} />
  );
}

function RestoreForm({ flag, entry, undone, ruleNames, onClose }: Props & { entry: HistoryEntry }) {
  const { ws, project } = useScope();
  const form = useForm({
    initial: { comment: '' },
    submit: async ({ comment }) => {
      const { status } = await call(restoreFlag, {
        params: { ws, p: project, key: flag.key, id: entry.id },
        body: {
          // The version that was previewed: a change in between is a conflict, so that it is not reverted unseen.
          version: flag.version,
          comment: comment.trim() || `restored version ${versionOf(entry)}`,
        },
      });
      await Promise.all([refreshFlags(), refreshTargeting()]);
      toastDone(status === 202 ? 'The change waits for approval' : `Version ${versionOf(entry)} is restored`);
      onClose();
    },
  });
  return (
    <DialogForm form={form} action="Restore" onCancel={onClose}>
      <p>
        Restores the state after version {versionOf(entry)}, as a new change. {countOf(undone.length, 'later change')}{' '}
        {undone.length === 1 ? 'is' : 'are'} reverted:
      </p>
      {undone.map((newer) => (
        <div key={newer.id}>
          <h3>Version {versionOf(newer)}</h3>
          <ChangeTable
            label={`Reverted: version ${versionOf(newer)}`}
            changes={describeDifferences(newer.diff, ruleNames).map(({ what, before, after }) => ({
              what,
              before: after,
              after: before,
            }))}
          />
        </div>
      ))}
      <Textarea label="Comment" placeholder="Reason, shown in the history" data-autofocus {...form.field('comment')} />
    </DialogForm>
  );
}
