import { abortRamp, pauseRamp, resumeRamp } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { formatMilliseconds } from '../../ui/format/index.ts';
import { Button, Group } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { toastError } from '../../ui/toast.ts';
import { useNow } from '../../ui/use-now.ts';
import type { Targeting } from './draft.ts';
import { rampQuery, refreshFlags } from './queries.ts';
import classes from './ramp.module.css';
import { RampDialog } from './ramp-dialog.tsx';
import { holdText, leftMs, type Ramp } from './ramp-plan.ts';
import type { Environment, Flag } from './types.ts';
import { percentText } from './weights.ts';

/** The ramp of a flag in an environment: its progress, the time left, and the available actions. */
export function RampPanel({
  flag,
  environment,
  targeting,
  disabled,
  dirty,
  onMoved,
}: {
  flag: Flag;
  environment: Environment;
  /** The saved targeting. */
  targeting: Targeting;
  disabled: boolean;
  dirty: boolean;
  /** Called when the ramp has changed what is served. */
  onMoved: () => void;
}) {
  const { ws, project } = useScope();
  const ramp = useQuery(rampQuery(ws, project, environment.key, flag.key));
  const [starting, setStarting] = useState(false);
  const state = ramp.data ? `${ramp.data.id} ${ramp.data.status} ${ramp.data.step}` : '';
  const [seen, setSeen] = useState<string | null>(null);
  const moved = useEffectEvent(() => {
    if (seen !== null && seen !== state) {
      onMoved();
      void refreshFlags();
    }
    setSeen(state);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs when the state has changed, not when it is read
  useEffect(() => {
    if (ramp.isSuccess) moved();
  }, [state, ramp.isSuccess]);
  const active = ramp.data?.status === 'running' || ramp.data?.status === 'paused' ? ramp.data : null;
  const why = !targeting.enabled
    ? 'Turn the flag on first'
    : dirty
      ? 'Save or discard the changes first'
      : 'Serve a variant to more and more units, step by step';
  return (
    <Panel
      title="Ramp"
      actions={
        !disabled &&
        active === null && (
          <Button
            variant="default"
            size="xs"
            disabled={dirty || !targeting.enabled}
            title={why}
            onClick={() => setStarting(true)}
          >
            Start a ramp
          </Button>
        )
      }
    >
      {ramp.isError ? (
        <ErrorState compact error={ramp.error} onRetry={() => void ramp.refetch()} />
      ) : active !== null ? (
        <ActiveRamp ramp={active} disabled={disabled} onChanged={() => void ramp.refetch()} />
      ) : (
        <p className="dim">
          {ramp.data ? (
            <>
              No active ramp. The last one {ramp.data.status === 'completed' ? 'served' : 'was aborted; it had served'}{' '}
              {ramp.data.variant} {percentText(ramp.data.weight)}% and ended{' '}
              <Timestamp value={ramp.data.ended_at} ago />.
            </>
          ) : (
            'No active ramp. A ramp serves a variant to more and more units automatically. You can pause or abort it.'
          )}
        </p>
      )}
      <RampDialog
        opened={starting}
        flag={flag}
        environment={environment}
        targeting={targeting}
        onStarted={() => void ramp.refetch()}
        onClose={() => setStarting(false)}
      />
    </Panel>
  );
}

const MOVES = { pause: pauseRamp, resume: resumeRamp, abort: abortRamp } as const;

function ActiveRamp({ ramp, disabled, onChanged }: { ramp: Ramp; disabled: boolean; onChanged: () => void }) {
  const { ws, project } = useScope();
  const confirm = useConfirm();
  const now = useNow(1000, ramp.status === 'running');
  const left = leftMs(ramp, now);
  const [moving, setMoving] = useState<keyof typeof MOVES | null>(null);
  const move = async (name: keyof typeof MOVES) => {
    if (
      name === 'abort' &&
      !(await confirm({
        title: 'Abort the ramp?',
        body: `Everybody immediately gets what was served before the ramp. Currently ${percentText(ramp.weight)}% get ${ramp.variant}.`,
        action: 'Abort ramp',
        danger: true,
      }))
    )
      return;
    setMoving(name);
    try {
      await call(MOVES[name], { params: { ws, p: project, e: ramp.environment, key: ramp.flag } });
    } catch (error) {
      toastError(error);
    } finally {
      setMoving(null);
      onChanged();
    }
  };
  return (
    <div className={classes.ramp}>
      <div className={classes.head}>
        <span className={classes.share}>
          {percentText(ramp.weight)}% {ramp.variant}
        </span>
        <span className="dim" role="status" aria-label="Progress of the ramp">
          {ramp.status === 'paused'
            ? `paused at step ${ramp.step + 1} of ${ramp.steps.length}`
            : left &&
              `step ${ramp.step + 1} of ${ramp.steps.length}, ${formatMilliseconds(Math.round(left.step / 1000) * 1000)} left; done in ${formatMilliseconds(Math.round(left.all / 1000) * 1000)}`}
        </span>
        {!disabled && (
          <Group gap="xs" style={{ marginLeft: 'auto' }}>
            {ramp.status === 'running' ? (
              <Button variant="default" size="xs" loading={moving === 'pause'} onClick={() => void move('pause')}>
                Pause
              </Button>
            ) : (
              <Button variant="default" size="xs" loading={moving === 'resume'} onClick={() => void move('resume')}>
                Resume
              </Button>
            )}
            <Button
              variant="default"
              size="xs"
              c="var(--f-error)"
              loading={moving === 'abort'}
              onClick={() => void move('abort')}
            >
              Abort
            </Button>
          </Group>
        )}
      </div>
      <ol className={classes.steps} aria-label="Steps of the ramp">
        {ramp.steps.map((step, index) => {
          const place = index < ramp.step ? 'done' : index === ramp.step ? 'now' : 'ahead';
          return (
            <li key={step.weight} data-place={place} {...(place === 'now' && { 'aria-current': 'step' })}>
              <div className={classes.bar} aria-hidden>
                <div style={{ width: `${place === 'done' ? 100 : place === 'now' ? (left?.share ?? 0) * 100 : 0}%` }} />
              </div>
              <span>
                {percentText(step.weight)}% <span className="dim">{holdText(step.hold)}</span>
              </span>
            </li>
          );
        })}
      </ol>
      <p className="dim">
        Started <Timestamp value={ramp.started_at} ago />
        {ramp.started_by && ` by ${ramp.started_by}`}
        {ramp.bucket_by !== null && `, by ${ramp.bucket_by}`}. Targets and rules take precedence.
      </p>
    </div>
  );
}
