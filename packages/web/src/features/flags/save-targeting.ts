import { deferChange, setTargeting } from '@fanion/contract';
import { call } from '../../api/client.ts';
import type { Targeting, TargetingBody } from './draft.ts';
import type { Submission } from './review-dialog.tsx';

/** Writes a reviewed targeting, or proposes it. Returns null if the change waits for approval or its time. */
export async function saveTargeting(
  params: { readonly ws: string; readonly p: string; readonly e: string; readonly key: string },
  body: TargetingBody,
  { applyAt, askForReview, bypass }: Submission,
): Promise<Targeting | null> {
  if (applyAt === null && !askForReview) {
    const { data, status } = await call(setTargeting, { params, body: { ...body, bypass_approval: bypass } });
    return status === 202 ? null : data;
  }
  const { version, comment: why, ...patch } = body;
  await call(deferChange, {
    params,
    body: {
      patch,
      version,
      ...(applyAt !== null && { apply_at: applyAt }),
      ...(why !== undefined && { comment: why }),
    },
  });
  return null;
}
