import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useScope } from '../../app/session.ts';
import { Button, Modal } from '../../ui/mantine.ts';
import { versionOf } from '../flags/history.ts';
import { previousQuery } from '../flags/queries.ts';
import { RestoreReview } from '../flags/restore-review.tsx';
import type { Environment, Flag } from '../flags/types.ts';

/** Restores the version before the current one, after its review. */
export function RollBack({
  flag,
  environment,
  version,
}: {
  flag: Flag;
  environment: Environment;
  /** Of the targeting: its first one has none before it. */
  version: number;
}) {
  const { ws, project } = useScope();
  const { data } = useQuery({ ...previousQuery(ws, project, environment.key, flag.key), enabled: version > 1 });
  const [isOpen, setOpen] = useState(false);
  if (data == null) return null;
  return (
    <>
      <Button size="xs" variant="default" c="var(--f-error)" onClick={() => setOpen(true)}>
        Roll back
      </Button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={`Roll back ${flag.key} in ${environment.name} to version ${versionOf(data)}`}
        size={640}
        centered
      >
        {isOpen && (
          <RestoreReview
            flag={flag}
            environment={environment}
            version={data}
            action="Roll back"
            onClose={() => setOpen(false)}
          />
        )}
      </Modal>
    </>
  );
}
