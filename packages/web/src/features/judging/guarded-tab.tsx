import { removeGuardedRelease } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useCan, useScope } from '../../app/session.ts';
import { useActing } from '../../app/use-acting.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { Button, Group, Stack } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { Unloaded } from '../../ui/resource/loaded.tsx';
import { EmptyState, Notice } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { refreshFlags } from '../flags/queries.ts';
import { holdText } from '../flags/ramp-plan.ts';
import type { Environment, Flag } from '../flags/types.ts';
import { percentText } from '../flags/weights.ts';
import { BacktestPanel } from './backtest-panel.tsx';
import { GuardNumbers } from './guard-numbers.tsx';
import { GuardedDialog } from './guarded-dialog.tsx';
import { GuardedEvents } from './guarded-events.tsx';
import classes from './judging.module.css';
import { controlText, stateText } from './judging-words.ts';
import { type FlagPlace, type GuardedRelease, guardedQuery, isActive, refreshGuarded } from './queries.ts';

/** The guarded release of a flag: its steps, the measurements of its guards, and its decisions. */
export function GuardedTab({ flag, environment }: { flag: Flag; environment: Environment }) {
  const { ws, project } = useScope();
  const place = { ws, p: project, e: environment.key, key: flag.key };
  const query = useQuery(guardedQuery(place));
  const { data } = query;
  const canWrite = useCan('flags:write') && !flag.archived;
  const [editing, setEditing] = useState(false);
  if (data === undefined) return <Unloaded query={query} label="Loading the guarded release" />;
  return (
    <div className={classes.tab}>
      {data === null ? (
        <EmptyState
          title="No guarded release"
          action={canWrite && <Button onClick={() => setEditing(true)}>Plan a guarded release</Button>}
        >
          A guarded release gives a variant to more and more units. It looks at error rate, latency or your own metrics
          every ten seconds (every 80 once a step has lasted a day), and rolls back by itself when the variant does
          harm.
        </EmptyState>
      ) : (
        <ReleaseView place={place} release={data} canWrite={canWrite} onEdit={() => setEditing(true)} />
      )}
      <GuardedDialog
        opened={editing}
        flag={flag}
        environment={environment}
        release={data}
        onClose={() => setEditing(false)}
      />
    </div>
  );
}

function ReleaseView({
  place,
  release,
  canWrite,
  onEdit,
}: {
  place: FlagPlace;
  release: GuardedRelease;
  canWrite: boolean;
  onEdit: () => void;
}) {
  const { state, paused_reason, unsure_since, ended_at, ended_reason, last_look } = release;
  const isClear = state === 'completed' && last_look?.guards.every(({ verdict }) => verdict === 'no_harm');
  return (
    <>
      <Panel title="Guarded release" actions={canWrite && <Actions place={place} release={release} onEdit={onEdit} />}>
        <Stack gap="sm">
          <Now release={release} />
          {state === 'rolled_back' && (
            <Notice kind="error">
              Rolled back <Timestamp value={ended_at} />: {ended_reason}
            </Notice>
          )}
          {(state === 'completed' || state === 'disarmed') && (
            <Notice kind={isClear ? 'ok' : 'info'}>
              Ended <Timestamp value={ended_at} />: {ended_reason}
            </Notice>
          )}
          {paused_reason !== null && <Notice kind="warning">Paused: {paused_reason}</Notice>}
          {unsure_since !== null && (
            <Notice kind="warning">
              Held since <Timestamp value={unsure_since} />: not every guard is sure yet that the variant does no harm.
              The decisions below say what is missing.
            </Notice>
          )}
          {last_look !== null && !last_look.sample_ratio.ok && (
            <Notice kind="error">
              The units are not divided as the weights say, so the release holds until they are.
            </Notice>
          )}
          <Steps release={release} />
        </Stack>
      </Panel>
      <GuardNumbers place={place} release={release} />
      <BacktestPanel place={place} release={release} />
      <GuardedEvents place={place} release={release} />
    </>
  );
}

/** How far the release is, and what comes next. */
function Now({ release }: { release: GuardedRelease }) {
  const { state, variant, weight, control, steps, next_step_at, watching_until } = release;
  return (
    <p role="status" aria-label="State of the guarded release">
      <strong>{stateText(release)}</strong>:{' '}
      {state === 'draft' ? `nothing changes until it is started` : `${variant} gets ${percentText(weight)}%`}
      {control !== null &&
        isActive(release) &&
        watching_until === null &&
        `, measured against ${controlText(steps)} with ${control}`}
      .
      {watching_until !== null && (
        <>
          {' '}
          Watching until <Timestamp value={watching_until} />, compared with {control} before 100%.
        </>
      )}
      {next_step_at !== null && (
        <>
          {' '}
          Next step at the earliest <Timestamp value={next_step_at} ago />.
        </>
      )}
    </p>
  );
}

function Steps({ release }: { release: GuardedRelease }) {
  const { steps, step, state, watching_until, watch } = release;
  const placeOf = (i: number) => {
    if (state === 'completed' || (isActive(release) && (i < step || watching_until !== null))) return 'done';
    return isActive(release) && i === step ? 'now' : 'later';
  };
  return (
    <ol aria-label="Steps">
      {steps.map(({ weight, hold, min_units }, i) => (
        <li key={weight} aria-current={placeOf(i) === 'now' ? 'step' : undefined}>
          {percentText(weight)}% for {holdText(hold)}, at least {min_units} units in each group
          {placeOf(i) === 'done' ? ' (done)' : placeOf(i) === 'now' ? ' (now)' : ''}
        </li>
      ))}
      <li aria-current={watching_until === null ? undefined : 'step'}>
        everybody{watch !== '0s' && `, watched for ${holdText(watch)}`}
        {state === 'completed' ? ' (done)' : watching_until !== null && ' (now)'}
      </li>
    </ol>
  );
}

function Actions({ place, release, onEdit }: { place: FlagPlace; release: GuardedRelease; onEdit: () => void }) {
  const confirm = useConfirm();
  const { busy, act } = useActing(() => Promise.all([refreshGuarded(), refreshFlags()]));
  const remove = async () => {
    const sure = await confirm({
      title: 'Delete the guarded release?',
      body: 'Its events are deleted too. What the flag serves stays as it is.',
      action: 'Delete',
      danger: true,
    });
    if (sure) await act('remove', () => call(removeGuardedRelease, { params: place }));
  };
  // What is running is moved above, where every tab shows it.
  if (isActive(release)) return null;
  return (
    <Group gap="xs">
      <Button size="xs" variant="default" onClick={onEdit}>
        {release.state === 'draft' ? 'Edit' : 'Plan again'}
      </Button>
      <Button size="xs" variant="default" loading={busy !== null} onClick={() => void remove()}>
        Delete
      </Button>
    </Group>
  );
}
