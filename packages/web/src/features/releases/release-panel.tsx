import { armGuardedRelease } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { call } from '../../api/client.ts';
import { useCan, useScope } from '../../app/session.ts';
import { useActing } from '../../app/use-acting.ts';
import { AppLink } from '../../ui/link.tsx';
import { Button, Group, Select, useComputedColorScheme } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ErrorState, Notice } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { toastDone } from '../../ui/toast.ts';
import { useNow } from '../../ui/use-now.ts';
import { StateLabel } from '../alerts/alert-state.tsx';
import { type Targeting, toDraft } from '../flags/draft.ts';
import { flagColours } from '../flags/flag-colours.ts';
import { rampQuery, refreshFlags, refreshTargeting, targetingQuery } from '../flags/queries.ts';
import type { Environment, Flag } from '../flags/types.ts';
import { type GuardedRelease, guardedQuery, isActive, refreshGuarded } from '../judging/queries.ts';
import { LiveStrip } from './live-strip.tsx';
import classes from './release.module.css';
import { ReleaseActions } from './release-actions.tsx';
import { ReleaseDialog } from './release-dialog.tsx';
import { ReleaseLine } from './release-line.tsx';
import { releasedVariant, servedNowText, shareOf, stopText } from './release-rules.ts';
import { RollBack, UndoChange } from './roll-back.tsx';
import { nextText, ofRamp, ofRelease, progressText, type Rollout } from './rollouts.ts';
import { Steps } from './steps.tsx';
import { isRecent } from './verdicts.ts';

/** In pixels, as in the style sheet: what is below must not move while the panel loads. */
const HEIGHT = 110;

/** How far a flag is released in an environment, whoever decides that, and the next move. */
export function ReleasePanel({ flag, environment }: { flag: Flag; environment: Environment }) {
  const { ws, project } = useScope();
  const targeting = useQuery(targetingQuery(ws, project, environment.key, flag.key));
  const ramp = useQuery(rampQuery(ws, project, environment.key, flag.key));
  const guarded = useQuery(guardedQuery({ ws, p: project, e: environment.key, key: flag.key }));
  const error = targeting.error ?? ramp.error ?? guarded.error;
  const [isRamp, isGuarded] = [
    ramp.data?.status === 'running' || ramp.data?.status === 'paused',
    guarded.data != null && isActive(guarded.data),
  ];
  useFollow(
    `${ramp.data?.id} ${ramp.data?.status} ${ramp.data?.step} ${guarded.data?.id} ${guarded.data?.state} ${guarded.data?.step} ${guarded.data?.watching_until}`,
    ramp.isSuccess && guarded.isSuccess,
  );
  const rollout =
    isRamp && ramp.data ? ofRamp(ramp.data) : isGuarded && guarded.data ? ofRelease(guarded.data) : undefined;
  return (
    <div className={classes.place}>
      {targeting.data === undefined || ramp.data === undefined || guarded.data === undefined ? (
        <Panel title="Release">
          {error ? (
            <ErrorState
              compact
              error={error}
              onRetry={() => void Promise.all([targeting.refetch(), ramp.refetch(), guarded.refetch()])}
            />
          ) : (
            <Skeleton height={HEIGHT} label="Loading the release" />
          )}
        </Panel>
      ) : (
        <Release
          flag={flag}
          environment={environment}
          targeting={targeting.data}
          rollout={rollout}
          guarded={guarded.data}
        />
      )}
    </div>
  );
}

/** Reloads what the page shows when a ramp or a guarded release has moved. */
function useFollow(state: string, isLoaded: boolean) {
  const [seen, setSeen] = useState<string | null>(null);
  const follow = useEffectEvent(() => {
    if (seen !== null && seen !== state) void Promise.all([refreshFlags(), refreshTargeting()]);
    setSeen(state);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs when the state has changed, not when it is read
  useEffect(() => {
    if (isLoaded) follow();
  }, [state, isLoaded]);
}

function Release({
  flag,
  environment,
  targeting,
  rollout,
  guarded,
}: {
  flag: Flag;
  environment: Environment;
  targeting: Targeting;
  /** What moves the share by itself now. */
  rollout: Rollout | undefined;
  guarded: GuardedRelease | null;
}) {
  const canWrite = useCan('flags:write') && !flag.archived;
  const colours = flagColours(flag, useComputedColorScheme());
  const draft = toDraft(targeting);
  const [chosen, setChosen] = useState<string | null>(null);
  const [target, setTarget] = useState<number | null>(null);
  /** The version by which this person gave the variant to more, on this visit. Giving it to fewer needs no quick way back. */
  const [raised, setRaised] = useState<number | null>(null);
  const Back = raised === targeting.version && !environment.requires_approval ? UndoChange : RollBack;
  const variant = rollout?.variant ?? chosen ?? releasedVariant(flag, draft.fallthrough);
  const isHeld = rollout !== undefined || targeting.holder !== null;
  const isFree = canWrite && !isHeld;
  const place = { flag, environment };
  return (
    <Panel
      title="Release"
      actions={
        <Group gap="xs">
          {rollout && <ReleaseActions rollout={rollout} />}
          {isFree && <Back {...place} version={targeting.version} />}
        </Group>
      }
    >
      <div className={classes.release}>
        <div className={classes.moves}>
          <div className={classes.now}>
            <Standing targeting={targeting} rollout={rollout} />
            {isFree && flag.variants.length > 1 && (
              <Select
                aria-label="Variant to release"
                size="xs"
                w={160}
                value={variant}
                data={flag.variants.map(({ key }) => key)}
                onChange={setChosen}
              />
            )}
          </div>
          <ReleaseLine
            variant={variant}
            colour={colours.get(variant)}
            weight={weightNow(targeting, rollout, variant)}
            isOn={targeting.enabled}
            disabled={!isFree}
            onChoose={setTarget}
          />
          {canWrite && isHeld && (
            <p className="dim">Another share can be set by hand once the {holderText(targeting, rollout)} has ended.</p>
          )}
          {guarded?.state === 'draft' && isFree && <Planned {...place} release={guarded} />}
          {guarded !== null && rollout === undefined && <LastRollback release={guarded} />}
        </div>
        <LiveStrip {...place} release={guarded} isOn={targeting.enabled} />
      </div>
      <ReleaseDialog
        {...place}
        targeting={targeting}
        guarded={guarded}
        variant={variant}
        weight={target}
        onRaised={setRaised}
        onClose={() => setTarget(null)}
      />
    </Panel>
  );
}

/** The share that a variant has now; null: it is not one share. */
function weightNow(targeting: Targeting, rollout: Rollout | undefined, variant: string): number | null {
  if (targeting.holder?.kind === 'experiment') return null;
  return targeting.enabled ? (rollout?.weight ?? shareOf(toDraft(targeting).fallthrough, variant)) : 0;
}

function holderText({ holder }: Targeting, rollout: Rollout | undefined): string {
  return rollout?.kind ?? (holder?.kind === 'experiment' ? 'experiment' : 'guarded release');
}

/** What is served now, and by whom. */
function Standing({ targeting, rollout }: { targeting: Targeting; rollout: Rollout | undefined }) {
  const scope = useScope();
  const now = useNow(1_000, rollout?.nextAt != null);
  const { holder } = targeting;
  if (rollout === undefined)
    return (
      <p role="status" aria-label="Release now">
        {holder?.kind === 'experiment' ? (
          <>
            An experiment serves everybody else.{' '}
            <AppLink
              style={{ textDecoration: 'underline' }}
              to="/w/$ws/$project/experiments/$id"
              params={{ ...scope, id: holder.id }}
            >
              Open the experiment
            </AppLink>
          </>
        ) : (
          servedNowText(toDraft(targeting))
        )}
      </p>
    );
  return (
    <>
      <StateLabel {...rollout.state} title={rollout.reason ?? undefined} />
      <span role="status" aria-label="Release now">
        {progressText(rollout)}, by a {rollout.kind}
        {rollout.nextAt !== null && `; ${nextText(rollout, now)}`}
        {!targeting.enabled && '; the flag is off'}
      </span>
      <Steps rollout={rollout} now={now} />
      {rollout.reason !== null && <Notice kind="warning">{rollout.reason}</Notice>}
    </>
  );
}

/** Why the last guarded release rolled back; nothing else says it where people look first. */
function LastRollback({ release }: { release: GuardedRelease }) {
  if (release.state !== 'rolled_back' || !isRecent(release.ended_at, Date.now())) return null;
  return (
    <Notice kind="error">
      The guarded release of {release.variant} rolled back <Timestamp value={release.ended_at} ago />:{' '}
      {release.ended_reason}
    </Notice>
  );
}

/** A guarded release that waits for its start. */
function Planned({ flag, environment, release }: { flag: Flag; environment: Environment; release: GuardedRelease }) {
  const scope = useScope();
  const { busy, act } = useActing(() => Promise.all([refreshGuarded(), refreshFlags(), refreshTargeting()]));
  const start = async () => {
    const params = { ws: scope.ws, p: scope.project, e: environment.key, key: flag.key };
    const { status } = await call(armGuardedRelease, { params });
    toastDone(status === 202 ? 'The start waits for approval' : 'The guarded release is started');
  };
  const steps = [...release.steps.map(({ weight }) => stopText(weight)), 'all'].join(', ');
  return (
    <div className={classes.planned}>
      <span>
        A guarded release of {release.variant} is planned: {steps}.{' '}
        <AppLink
          style={{ textDecoration: 'underline' }}
          to="/w/$ws/$project/flags/$key"
          params={{ ...scope, key: flag.key }}
          search={{ env: environment.key, tab: 'guarded' }}
        >
          See what its guards can decide
        </AppLink>
      </span>
      <Button size="xs" loading={busy !== null} onClick={() => void act('start', start)}>
        {environment.requires_approval ? 'Propose the start' : 'Start'}
      </Button>
    </div>
  );
}
