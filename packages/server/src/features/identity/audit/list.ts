import { auditRoutes } from '@fanion/contract';
import { implement, type MountedRoute, page } from '../../../http/context.ts';
import { cutPage, decodeCursor } from '../../../http/cursor.ts';
import { isId } from '../../../platform/ids.ts';
import { parseTime } from '../../../platform/time-window.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { idFloor } from './rules.ts';
import { type AuditRow, listEntries } from './store.ts';

export function auditHandlers({ db, clock }: FeatureDependencies): MountedRoute[] {
  const floor = (time: string | number | undefined, name: string) =>
    time === undefined ? undefined : idFloor(new Date(Number(parseTime(time, name, clock.now()) / 1_000_000n)));
  return implement(auditRoutes, {
    async listAudit({ workspace, query }) {
      const { limit, cursor } = query;
      const filter = {
        action: query.action,
        actor: query.actor,
        resourceType: query.resource_type,
        resourceId: query.resource_id,
        from: floor(query.from, 'from'),
        to: floor(query.to, 'to'),
      };
      const after = decodeCursor(cursor, isId);
      const rows = await listEntries(db, workspace.id, filter, { after, limit: limit + 1 });
      const { items, nextCursor } = cutPage(rows, limit, (row) => row.id);
      return page(items.map(present), nextCursor);
    },
  });
}

function present(row: AuditRow) {
  return {
    id: row.id,
    at: row.at.toISOString(),
    action: row.action,
    actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
    resource: { type: row.resource_type, id: row.resource_id, name: row.resource_name },
    project: row.project,
    environment: row.environment,
    before: row.before,
    after: row.after,
    ip: row.ip,
    request_id: row.request_id,
  };
}
