import { abortRamp, armGuardedRelease, disarmGuardedRelease, pauseRamp, resumeRamp } from '@fanion/contract';
import { call } from '../../api/client.ts';
import { useCan, useScope } from '../../app/session.ts';
import { useActing } from '../../app/use-acting.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { formatPercent } from '../../ui/format/index.ts';
import { Button, Group } from '../../ui/mantine.ts';
import { toastDone } from '../../ui/toast.ts';
import { refreshFlags, refreshTargeting } from '../flags/queries.ts';
import { refreshGuarded } from '../judging/queries.ts';
import { refreshReleases } from './queries.ts';
import type { Rollout } from './rollouts.ts';

/** Pause, resume and end a rollout without leaving the list. */
export function ReleaseActions({ rollout }: { rollout: Rollout }) {
  const { ws, project } = useScope();
  const canWrite = useCan('flags:write');
  const confirm = useConfirm();
  const { busy, act } = useActing(() =>
    Promise.all([refreshReleases(), refreshFlags(), refreshGuarded(), refreshTargeting()]),
  );
  const { kind, flag, environment, variant, weight, isActive, isPaused, isUnsure } = rollout;
  if (!canWrite || !isActive) return null;
  const params = { ws, p: project, e: environment, key: flag };
  const move = (name: string, done: string, work: () => Promise<unknown>) =>
    act(name, async () => {
      await work();
      toastDone(done);
    });
  const end = async () => {
    const sure = await confirm({
      title: `Roll back ${flag}?`,
      body: `In ${environment}, everybody immediately gets what was served before. Currently ${formatPercent(weight / 100_000)} get ${variant}.`,
      action: 'Roll back',
      danger: true,
    });
    if (!sure) return;
    if (kind === 'ramp') await move('end', 'The ramp is rolled back', () => call(abortRamp, { params }));
    else await move('end', 'The release is rolled back', () => call(disarmGuardedRelease, { params }));
  };
  const goOn = () => void move('arm', 'Release continued', () => call(armGuardedRelease, { params }));
  const button = (name: string, label: string, onClick: () => void, danger = false) => (
    <Button
      size="compact-xs"
      variant="default"
      {...(danger && { c: 'var(--f-error)' })}
      aria-label={`${label}: ${flag} in ${environment}`}
      loading={busy === name}
      disabled={busy !== null && busy !== name}
      onClick={(event) => {
        // A click on a button must not also open the row.
        event.stopPropagation();
        onClick();
      }}
    >
      {label}
    </Button>
  );
  return (
    <Group gap={6} wrap="nowrap">
      {kind === 'ramp' &&
        !isPaused &&
        button('pause', 'Pause', () => void move('pause', 'Ramp paused', () => call(pauseRamp, { params })))}
      {kind === 'ramp' &&
        isPaused &&
        button('resume', 'Resume', () => void move('resume', 'Ramp resumed', () => call(resumeRamp, { params })))}
      {kind === 'guarded release' &&
        (isPaused || isUnsure) &&
        button('arm', isPaused ? 'Continue' : 'Go on anyway', goOn)}
      {button('end', 'Roll back', () => void end(), true)}
    </Group>
  );
}
