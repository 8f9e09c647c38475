import { restoreFlag } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';
import { Unloaded } from '../../ui/resource/loaded.tsx';
import { saveOver } from '../../ui/stale.ts';
import { Notice } from '../../ui/states.tsx';
import { toastDone } from '../../ui/toast.ts';
import { affectedBy } from './affected.ts';
import { diffDrafts } from './diff.ts';
import { toBody, toDraft } from './draft.ts';
import { type HistoryVersion, versionOf } from './history.ts';
import { refreshFlags, refreshTargeting, targetingQuery } from './queries.ts';
import { Review } from './review-dialog.tsx';
import type { Environment, Flag } from './types.ts';

/** The review of an earlier targeting: what changes against now, and who is affected. */
export function RestoreReview({
  flag,
  environment,
  version,
  action,
  onClose,
}: {
  flag: Flag;
  environment: Environment;
  version: HistoryVersion;
  /** The verb on the button. */
  action: string;
  onClose: () => void;
}) {
  const { ws, project } = useScope();
  const query = useQuery(targetingQuery(ws, project, environment.key, flag.key));
  const now = query.data;
  if (now === undefined) return <Unloaded query={query} label="Loading the targeting" compact />;
  if (version.targeting === null) return <Notice kind="warning">This version cannot be restored.</Notice>;
  const [before, after] = [toDraft(now), toDraft(version.targeting)];
  return (
    <Review
      flag={flag.key}
      action={action}
      isImmediate
      note={
        <>
          <p>
            Serves what version {versionOf(version)} served, as a new version. Now it is version {now.flag_version}.
          </p>
          {now.holder?.kind === 'guarded_release' && (
            <Notice kind="warning">A guarded release serves everybody else. Restoring ends it.</Notice>
          )}
        </>
      }
      environment={environment}
      changes={diffDrafts(before, after)}
      affected={affectedBy(before, after)}
      proposed={toBody(after, now.version)}
      onSave={async ({ comment, bypass }) => {
        const restored = call(restoreFlag, {
          params: { ws, p: project, key: flag.key, id: version.id },
          body: {
            // The version that was reviewed: a change in between is a conflict, so that it is not reverted unseen.
            version: now.version,
            bypass_approval: bypass,
            ...(comment.trim() !== '' && { comment: comment.trim() }),
          },
        });
        const { status } = await saveOver(now, restored);
        await Promise.all([refreshFlags(), refreshTargeting()]);
        toastDone(status === 202 ? 'The change waits for approval' : `Version ${versionOf(version)} is restored`);
        onClose();
      }}
      onClose={onClose}
    />
  );
}
