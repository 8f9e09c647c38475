import type { JobKind } from '../../../platform/jobs/index.ts';
import type { AnyChangeKind } from '../../change-kind.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { lockProject } from '../flags/index.ts';
import { type Applied, applyChange, changeJobKind } from './apply.ts';
import * as store from './store.ts';

/** Applies a deferred change at its time, once: in one transaction with the end of the run, or not at all. */
export function changeJob({
  changeKinds,
  announce,
}: {
  changeKinds: readonly AnyChangeKind[];
  announce: (environmentIds: readonly string[]) => Promise<void>;
}): JobKind {
  return {
    kind: changeJobKind,
    async run(run) {
      const { change: id } = run.payload as { change: string };
      let applied: Applied | undefined;
      await run.finish(async (trx) => {
        const projectId = await store.findProjectOf(trx, id);
        const workspaceId = projectId === undefined ? undefined : await store.findWorkspaceOf(trx, projectId);
        if (projectId === undefined || workspaceId === undefined) return;
        await lockProject(trx, projectId);
        const change = await store.findChange(trx, projectId, id);
        if (change?.status !== 'scheduled') return;
        const now = new Date(run.now());
        applied = await applyChange(trx, changeKinds, change, workspaceId, now);
        await recordAudit(
          trx,
          { actor: { type: 'system', id: null, name: 'deferred changes' }, ip: null, requestId: null },
          {
            workspaceId,
            action: 'flag_changes.apply',
            resource: { type: 'flag_change', id, name: change.flag ?? change.segment },
            projectId,
            ...(change.environment_id !== null && { environmentId: change.environment_id }),
            before: { status: 'scheduled' },
            after: { status: applied.status, failure: applied.failure, diff: change.diff },
          },
          now,
        );
      });
      await announce(applied?.rulesets ?? []);
    },
  };
}
