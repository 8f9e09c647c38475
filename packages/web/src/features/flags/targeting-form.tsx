import { ApiError } from '@fanion/contract';
import { useBlocker } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import { FollowSaved } from '../../app/draft-of.tsx';
import { queryClient } from '../../app/query-client.ts';
import { useCan, useScope } from '../../app/session.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { countOf } from '../../ui/format/index.ts';
import { Button, Switch } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { Loading } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { toastDone } from '../../ui/toast.ts';
import { affectedBy } from './affected.ts';
import { ConflictDialog } from './conflict-dialog.tsx';
import { diffDrafts } from './diff.ts';
import { type Draft, sameDraft, type Targeting, toBody, toDraft } from './draft.ts';
import { OffVariant } from './flag-colours.ts';
import { FlagEffect } from './flag-effect.tsx';
import classes from './flags.module.css';
import { PromoteDialog } from './promote-dialog.tsx';
import { refreshFlags, targetingQuery } from './queries.ts';
import { ReviewDialog, type Submission } from './review-dialog.tsx';
import { saveTargeting } from './save-targeting.ts';
import { TargetingEditor } from './targeting-editor.tsx';
import { targetingIssues } from './targeting-issues.ts';
import type { Environment, Flag } from './types.ts';
import { WaitingNotice } from './waiting-notice.tsx';

// The tester imports the flag engine, which nothing else on the page needs.
const Tester = lazy(() => import('./tester.tsx').then((module) => ({ default: module.Tester })));

/** Edits one environment's targeting: switch, targets, rules, default. Saving shows the differences first. */
export function TargetingForm({
  flag,
  environment,
  targeting,
  side,
}: {
  flag: Flag;
  environment: Environment;
  targeting: Targeting;
  side: ReactNode;
}) {
  const { ws, project } = useScope();
  const confirm = useConfirm();
  const disabled = !useCan('flags:write') || flag.archived;
  const [base, setBase] = useState(targeting);
  const [draft, setDraft] = useState(() => toDraft(targeting));
  const [reviewing, setReviewing] = useState(false);
  const [promoting, setPromoting] = useState(false);
  // Errors are shown only after the first attempt to save, not while a new rule is still empty.
  const [attempted, setAttempted] = useState(false);
  const [conflict, setConflict] = useState<Targeting | null>(null);
  const baseDraft = useMemo(() => toDraft(base), [base]);
  const dirty = !sameDraft(draft, baseDraft);
  const changes = useMemo(() => diffDrafts(baseDraft, draft), [baseDraft, draft]);
  const affected = useMemo(() => affectedBy(baseDraft, draft), [baseDraft, draft]);
  const issues = useMemo(() => (dirty ? targetingIssues(flag, draft) : []), [dirty, flag, draft]);
  const unfinished = useMemo(() => [...new Set(issues.map(({ where }) => where))], [issues]);
  const variants = flag.variants.map((variant) => variant.key);
  const queryKey = targetingQuery(ws, project, environment.key, flag.key).queryKey;

  // A ramp or a guarded release moved, or the release was set above: what is not being edited follows.
  if (!dirty && targeting.flag_version > base.flag_version) {
    setBase(targeting);
    setDraft(toDraft(targeting));
  }

  useBlocker({
    shouldBlockFn: async () =>
      dirty &&
      !(await confirm({
        title: 'Leave without saving?',
        body: 'Your changes to the targeting will be lost.',
        action: 'Leave',
        danger: true,
      })),
    enableBeforeUnload: () => dirty,
  });

  const review = () => {
    setAttempted(true);
    if (issues.length === 0) setReviewing(true);
  };
  const discard = () => {
    setAttempted(false);
    setDraft(baseDraft);
  };
  const adopt = (next: Targeting) => {
    setAttempted(false);
    setBase(next);
    setDraft(toDraft(next));
    queryClient.setQueryData(queryKey, next);
  };
  const toggle = (enabled: boolean) => {
    setDraft({ ...draft, enabled });
    if (!dirty) setReviewing(true);
  };
  const cancelReview = () => {
    setReviewing(false);
    // If flipping the switch was the only change, cancelling flips it back.
    if (changes.length === 1 && changes[0]?.what === 'State') setDraft(baseDraft);
  };
  const params = { ws, p: project, e: environment.key, key: flag.key };
  const save = async (submission: Submission) => {
    try {
      const body = toBody(draft, base.version, submission.comment);
      const written = await saveTargeting(params, body, submission);
      setReviewing(false);
      if (written === null) {
        const waits = environment.requires_approval || submission.askForReview;
        toastDone(waits ? 'The change waits for approval' : 'The change is scheduled');
        setAttempted(false);
        setDraft(baseDraft);
      } else {
        adopt(written);
        toastDone(`${flag.key} is saved in ${environment.name}`);
      }
      await refreshFlags();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
      const current = await queryClient.fetchQuery({
        ...targetingQuery(ws, project, environment.key, flag.key),
        staleTime: 0,
      });
      // A 409 that is not about the version (an archived flag) has nothing to merge.
      if (current.version === base.version) throw error;
      setReviewing(false);
      setConflict(current);
    }
  };

  return (
    <>
      <FollowSaved
        base={base}
        saved={targeting}
        isEdited={dirty}
        versionOf={({ flag_version }) => flag_version}
        onTake={adopt}
      />
      <div className={classes.layout}>
        <div className={classes.column}>
          <WaitingNotice flag={flag.key} environment={environment} />
          <Panel>
            <div className={classes.switchRow}>
              <Switch
                size="md"
                checked={draft.enabled}
                disabled={disabled}
                onChange={(event) => toggle(event.currentTarget.checked)}
                label={draft.enabled ? `On in ${environment.name}` : `Off in ${environment.name}`}
                styles={{ label: { fontWeight: 600, fontSize: 14 } }}
              />
              <span className="dim">
                version {base.flag_version}, changed <Timestamp value={base.updated_at} ago />
                {base.updated_by && ` by ${base.updated_by}`}
                {environment.requires_approval && '; changes need approval'}
              </span>
              {!disabled && (
                <Button
                  variant="default"
                  size="xs"
                  style={{ marginLeft: 'auto' }}
                  disabled={dirty}
                  title={dirty ? 'Save or discard the changes first' : 'Copy this to another environment'}
                  onClick={() => setPromoting(true)}
                >
                  Promote
                </Button>
              )}
            </div>
          </Panel>
          <FlagEffect flag={flag} environment={environment} />
          <OffVariant value={draft.offVariant}>
            <TargetingEditor
              draft={draft}
              ramp={base.ramp}
              variants={variants}
              disabled={disabled}
              issues={attempted ? issues : []}
              onChange={setDraft}
            />
          </OffVariant>
        </div>
        <div className={classes.column}>
          {side}
          <Suspense fallback={<Loading />}>
            <Tester
              flag={flag}
              archived={flag.archived}
              environment={environment.key}
              version={base.flag_version}
              draft={draft}
              dirty={dirty}
              unfinished={unfinished}
            />
          </Suspense>
        </div>
      </div>
      {dirty && (
        <section className={classes.saveBar} aria-label="Unsaved changes">
          <span>
            {attempted && issues.length > 0 ? (
              <span className={classes.wrong} role="alert">
                {issues[0]?.where}: {issues[0]?.message}
                {issues.length > 1 && `, and ${countOf(issues.length - 1, 'more problem')}`}
              </span>
            ) : (
              countOf(changes.length, 'change')
            )}
          </span>
          <Button variant="default" onClick={discard}>
            Discard
          </Button>
          <Button disabled={attempted && issues.length > 0} onClick={review}>
            Review and save
          </Button>
        </section>
      )}
      <ReviewDialog
        opened={reviewing}
        flag={flag.key}
        environment={environment}
        changes={changes}
        affected={affected}
        proposed={toBody(draft, base.version)}
        onSave={save}
        onClose={cancelReview}
      />
      <PromoteDialog
        opened={promoting}
        flag={flag.key}
        from={environment}
        source={base}
        onClose={() => setPromoting(false)}
      />
      <ConflictDialog
        base={base}
        theirs={conflict}
        mine={draft}
        onTheirs={(theirs) => {
          adopt(theirs);
          setConflict(null);
        }}
        onMine={(theirs) => {
          setBase(theirs);
          queryClient.setQueryData(queryKey, theirs);
          setDraft(rebase(draft, theirs));
          setConflict(null);
          setReviewing(true);
        }}
        onClose={() => setConflict(null)}
      />
    </>
  );
}

/** Rebases the user's edit on the newer state; rules that were deleted in between become new rules. */
function rebase(mine: Draft, theirs: Targeting): Draft {
  const known = new Set(theirs.rules.map((rule) => rule.id));
  return {
    ...mine,
    rules: mine.rules.map((rule) => (rule.id !== undefined && !known.has(rule.id) ? { ...rule, id: undefined } : rule)),
  };
}
