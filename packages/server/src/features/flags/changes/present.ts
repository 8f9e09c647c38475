import type { Difference, FlagChange } from '@fanion/contract';
import type { ChangeRow } from './store.ts';

export function presentChange(row: ChangeRow): FlagChange {
  return {
    id: row.id,
    kind: row.kind,
    flag: row.flag,
    segment: row.segment,
    environment: row.environment,
    status: row.status,
    diff: row.diff as Difference[],
    base_version: row.base_version,
    comment: row.comment,
    apply_at: row.apply_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    created_by: row.created_by_name,
    created_by_id: row.created_by,
    reviewed_at: row.reviewed_at?.toISOString() ?? null,
    reviewed_by: row.reviewed_by_name,
    review_comment: row.review_comment,
    applied_at: row.applied_at?.toISOString() ?? null,
    failure: row.failure,
  };
}
