import { getPreviousVersion, restoreFlag } from '@fanion/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';
import { Button, Modal } from '../../ui/mantine.ts';
import { toastDone, toastError } from '../../ui/toast.ts';
import { versionOf } from '../flags/history.ts';
import { previousQuery, refreshFlags, refreshTargeting } from '../flags/queries.ts';
import { RestoreReview } from '../flags/restore-review.tsx';
import type { Environment, Flag } from '../flags/types.ts';

interface Props {
  flag: Flag;
  environment: Environment;
  /** Of the targeting: its first one has none before it. */
  version: number;
}

/** Restores the version before the current one, after its review. */
export function RollBack({ flag, environment, version }: Props) {
  const { ws, project } = useScope();
  const { data } = useQuery({ ...previousQuery(ws, project, environment.key, flag.key), enabled: version > 1 });
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  if (data == null) return null;
  return (
    <>
      <Button size="xs" variant="default" c="var(--f-error)" onClick={() => setOpen(true)}>
        Roll back
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title={`Roll back ${flag.key} in ${environment.name} to version ${versionOf(data)}`}
        size={640}
      >
        {isOpen && (
          <RestoreReview flag={flag} environment={environment} version={data} action="Roll back" onClose={close} />
        )}
      </Modal>
    </>
  );
}

/**
 * Takes back a share that the same person has just reviewed and watches now, so without another review. A change of somebody else
 * in between is a conflict.
 */
export function UndoChange({ flag, environment, version }: Props) {
  const { ws, project } = useScope();
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      const place = { ws, p: project, e: environment.key, key: flag.key };
      const { data } = await call(getPreviousVersion, { params: place });
      await call(restoreFlag, { params: { ws, p: project, key: flag.key, id: data.id }, body: { version } });
      return versionOf(data);
    },
    onSuccess: (restored) => toastDone(`Version ${restored} is restored`),
    onError: (error) => toastError(error),
    onSettled: () => Promise.all([refreshFlags(), refreshTargeting()]),
  });
  return (
    <Button
      size="xs"
      variant="default"
      c="var(--f-error)"
      loading={isPending}
      title="Immediately serves what was served before your last change"
      onClick={() => mutate()}
    >
      Undo my change
    </Button>
  );
}
