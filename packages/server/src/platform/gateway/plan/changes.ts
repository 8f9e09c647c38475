import type { Compiled } from '@fanion/oql';
import { fail } from '../../fail.ts';
import type { Question, ReadChanges } from '../question.ts';

/** The changes that a query reads. */
export async function changesOf(plan: Compiled, question: Question, signal: AbortSignal): ReturnType<ReadChanges> {
  if (plan.changes === undefined) return { rows: [], warnings: [] };
  if (question.changes === undefined)
    throw fail('OQL_INVALID', {
      reason: '`changes` shows each person what they may read, so only people can query it',
    });
  return question.changes(plan.changes.reach, signal);
}
