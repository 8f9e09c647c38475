import { ApiError } from '@fanion/contract';
import { useMemo, useState } from 'react';
import { queryClient } from '../../app/query-client.ts';
import { useScope } from '../../app/session.ts';
import { toastDone } from '../../ui/toast.ts';
import { diffDrafts } from './diff.ts';
import { type Draft, sameDraft, type Targeting, toBody, toDraft } from './draft.ts';
import { targetingQuery } from './queries.ts';
import type { Submission } from './review-dialog.tsx';
import { saveTargeting } from './save-targeting.ts';
import { targetingIssues } from './targeting-issues.ts';
import type { Environment, Flag } from './types.ts';

/** The targeting of a flag while somebody edits it: the version that the draft began with, the draft, and its problems. */
export function useTargetingDraft(flag: Flag, environment: Environment, targeting: Targeting) {
  const { ws, project } = useScope();
  const [base, setBase] = useState(targeting);
  const [draft, setDraft] = useState(() => toDraft(targeting));
  // Errors are shown only after the first attempt to save, not while a new rule is still empty.
  const [attempted, setAttempted] = useState(false);
  const [conflict, setConflict] = useState<Targeting | null>(null);
  const baseDraft = useMemo(() => toDraft(base), [base]);
  const dirty = !sameDraft(draft, baseDraft);
  const changes = useMemo(() => diffDrafts(baseDraft, draft), [baseDraft, draft]);
  const issues = useMemo(() => (dirty ? targetingIssues(flag, draft) : []), [dirty, flag, draft]);
  const query = targetingQuery(ws, project, environment.key, flag.key);

  // A ramp or a guarded release moved, or the release was set above: what is not being edited follows.
  if (!dirty && targeting.flag_version > base.flag_version) {
    setBase(targeting);
    setDraft(toDraft(targeting));
  }

  const discard = () => {
    setAttempted(false);
    setDraft(baseDraft);
  };
  const begin = (next: Targeting, mine: Draft) => {
    setBase(next);
    setDraft(mine);
    queryClient.setQueryData(query.queryKey, next);
  };
  const adopt = (next: Targeting) => {
    setAttempted(false);
    begin(next, toDraft(next));
  };
  /** Saves or proposes the draft. After somebody else saved, nothing is written, and `conflict` is what they saved. */
  const save = async (submission: Submission) => {
    try {
      const params = { ws, p: project, e: environment.key, key: flag.key };
      const written = await saveTargeting(params, toBody(draft, base.version, submission.comment), submission);
      if (written === null) {
        const waits = environment.requires_approval || submission.askForReview;
        toastDone(waits ? 'The change waits for approval' : 'The change is scheduled');
        discard();
      } else {
        adopt(written);
        toastDone(`${flag.key} is saved in ${environment.name}`);
      }
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
      const current = await queryClient.fetchQuery({ ...query, staleTime: 0 });
      // A 409 that is not about the version (an archived flag) has nothing to merge.
      if (current.version === base.version) throw error;
      setConflict(current);
    }
  };
  return {
    base,
    baseDraft,
    draft,
    setDraft,
    dirty,
    changes,
    issues,
    attempted,
    setAttempted,
    conflict,
    setConflict,
    discard,
    adopt,
    /** Keeps the edits, on top of what somebody else saved. */
    keepMine: (theirs: Targeting) => begin(theirs, rebase(draft, theirs)),
    save,
  };
}

export type TargetingEditing = ReturnType<typeof useTargetingDraft>;

/** Rebases the user's edit on the newer state; rules that were deleted in between become new rules. */
function rebase(mine: Draft, theirs: Targeting): Draft {
  const known = new Set(theirs.rules.map((rule) => rule.id));
  return {
    ...mine,
    rules: mine.rules.map((rule) => (rule.id !== undefined && !known.has(rule.id) ? { ...rule, id: undefined } : rule)),
  };
}
