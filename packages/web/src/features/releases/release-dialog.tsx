import { useState } from 'react';
import { queryClient } from '../../app/query-client.ts';
import { useScope } from '../../app/session.ts';
import { Modal, SegmentedControl, Stack } from '../../ui/mantine.ts';
import { saveOver } from '../../ui/stale.ts';
import { Notice } from '../../ui/states.tsx';
import { toastDone } from '../../ui/toast.ts';
import { affectedBy } from '../flags/affected.ts';
import { diffDrafts } from '../flags/diff.ts';
import { type Targeting, toBody, toDraft } from '../flags/draft.ts';
import { refreshFlags, targetingQuery } from '../flags/queries.ts';
import { RampForm } from '../flags/ramp-form.tsx';
import { Review } from '../flags/review-dialog.tsx';
import { saveTargeting } from '../flags/save-targeting.ts';
import type { Environment, Flag } from '../flags/types.ts';
import { TOTAL } from '../flags/weights.ts';
import { GuardedForm } from '../judging/guarded-dialog.tsx';
import type { GuardedRelease } from '../judging/queries.ts';
import { shareOf, stopText, withShare } from './release-rules.ts';

type How = 'now' | 'ramp' | 'guard';

interface Props {
  flag: Flag;
  environment: Environment;
  targeting: Targeting;
  guarded: GuardedRelease | null;
  variant: string;
  /** Gets the version that gave the variant to more. */
  onRaised: (version: number) => void;
  onClose: () => void;
}

/** How a share is reached: set now, ramped to, or guarded. Null keeps it closed. */
export function ReleaseDialog({ weight, ...props }: Props & { weight: number | null }) {
  const { flag, environment, variant, onClose } = props;
  const what = weight === null || weight === 0 ? 'off' : `${variant} to ${stopText(weight)}`;
  return (
    <Modal
      opened={weight !== null}
      onClose={onClose}
      title={`Set ${flag.key} ${what} in ${environment.name}`}
      size={720}
    >
      {weight !== null && <Choice {...props} weight={weight} />}
    </Modal>
  );
}

function Choice({
  flag,
  environment,
  targeting,
  guarded,
  variant,
  weight,
  onRaised,
  onClose,
}: Props & { weight: number }) {
  const [how, setHow] = useState<How>('now');
  const share = targeting.enabled ? shareOf(toDraft(targeting).fallthrough, variant) : 0;
  // Both grow from what is served now.
  const canGrow = weight > share;
  const shared = { flag, environment, onClose };
  return (
    <Stack gap="md">
      {canGrow && (
        <SegmentedControl
          size="sm"
          aria-label="How"
          value={how}
          onChange={(next) => setHow(next === 'ramp' || next === 'guard' ? next : 'now')}
          data={[
            { value: 'now', label: 'Set it now' },
            { value: 'ramp', label: 'Ramp to it' },
            { value: 'guard', label: 'Guard it' },
          ]}
        />
      )}
      {how === 'now' ? (
        <SetNow
          {...shared}
          targeting={targeting}
          variant={variant}
          weight={weight}
          onWritten={(version) => canGrow && onRaised(version)}
        />
      ) : how === 'ramp' && !targeting.enabled ? (
        <Notice kind="warning">The flag is off in {environment.name}. Turn it on first, for example at 1%.</Notice>
      ) : how === 'ramp' ? (
        <RampForm {...shared} targeting={targeting} variant={variant} until={weight} />
      ) : (
        <GuardedForm {...shared} release={guarded} from={{ variant, weight }} />
      )}
    </Stack>
  );
}

function SetNow({
  flag,
  environment,
  targeting,
  variant,
  weight,
  onWritten,
  onClose,
}: Omit<Props, 'guarded' | 'onRaised'> & { weight: number; onWritten: (version: number) => void }) {
  const { ws, project } = useScope();
  const [before] = useState(() => toDraft(targeting));
  const after = withShare(flag, before, variant, weight);
  if (after === undefined)
    return <Notice kind="warning">The flag has one variant only, so nothing is left for everybody else.</Notice>;
  const action =
    weight === 0 ? 'Turn off' : weight === TOTAL ? `Serve ${variant} to all` : `Set to ${stopText(weight)}`;
  return (
    <Review
      flag={flag.key}
      action={action}
      environment={environment}
      changes={diffDrafts(before, after)}
      affected={affectedBy(before, after)}
      proposed={toBody(after, targeting.version)}
      onSave={async (submission) => {
        const params = { ws, p: project, e: environment.key, key: flag.key };
        const body = toBody(after, targeting.version, submission.comment);
        const written = await saveOver(targeting, saveTargeting(params, body, submission));
        if (written === null) {
          const isProposed = environment.requires_approval || submission.askForReview;
          toastDone(isProposed ? 'The change waits for approval' : 'The change is scheduled');
        } else {
          queryClient.setQueryData(targetingQuery(ws, project, environment.key, flag.key).queryKey, written);
          onWritten(written.version);
          toastDone(weight === 0 ? `${flag.key} is off` : `${stopText(weight)} of ${flag.key} gets ${variant}`);
        }
        onClose();
        await refreshFlags();
      }}
      onClose={onClose}
    />
  );
}
