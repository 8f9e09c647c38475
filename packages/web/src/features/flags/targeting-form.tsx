import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import { useConfirmLeave } from '../../app/confirm-leave.ts';
import { FollowSaved } from '../../app/draft-of.tsx';
import { useCan } from '../../app/session.ts';
import { countOf } from '../../ui/format/index.ts';
import { Button, Switch } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { SaveBar } from '../../ui/save-bar.tsx';
import { Loading } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { affectedBy } from './affected.ts';
import { ConflictDialog } from './conflict-dialog.tsx';
import { type Targeting, toBody } from './draft.ts';
import { OffVariant } from './flag-colours.ts';
import { FlagEffect } from './flag-effect.tsx';
import classes from './flags.module.css';
import { PromoteDialog } from './promote-dialog.tsx';
import { refreshFlags } from './queries.ts';
import { ReviewDialog, type Submission } from './review-dialog.tsx';
import { TargetingEditor } from './targeting-editor.tsx';
import type { TargetingIssue } from './targeting-issues.ts';
import type { Environment, Flag } from './types.ts';
import { type TargetingEditing, useTargetingDraft } from './use-targeting-draft.ts';
import { WaitingNotice } from './waiting-notice.tsx';

// The tester imports the flag engine, which nothing else on the page needs.
const Tester = lazy(() => import('./tester.tsx').then((module) => ({ default: module.Tester })));

interface Props {
  flag: Flag;
  environment: Environment;
  targeting: Targeting;
  side: ReactNode;
}

/** Edits one environment's targeting: switch, targets, rules, default. Saving shows the differences first. */
export function TargetingForm({ flag, environment, targeting, side }: Props) {
  const editor = useTargetingDraft(flag, environment, targeting);
  const { base, draft, setDraft, dirty, issues, adopt } = editor;
  const [reviewing, setReviewing] = useState(false);
  const disabled = !useCan('flags:write') || flag.archived;
  const wrong = editor.attempted ? issues : [];
  useConfirmLeave(dirty, 'the targeting');
  const review = () => {
    editor.setAttempted(true);
    if (issues.length === 0) setReviewing(true);
  };
  const toggle = (enabled: boolean) => {
    setDraft({ ...draft, enabled });
    if (!dirty) setReviewing(true);
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
          <SwitchPanel flag={flag} environment={environment} editor={editor} disabled={disabled} onToggle={toggle} />
          <FlagEffect flag={flag} environment={environment} />
          <OffVariant value={draft.offVariant}>
            <TargetingEditor
              draft={draft}
              ramp={base.ramp}
              variants={flag.variants.map(({ key }) => key)}
              disabled={disabled}
              issues={wrong}
              onChange={setDraft}
            />
          </OffVariant>
        </div>
        <div className={classes.column}>
          {side}
          <Suspense fallback={<Loading />}>
            <Tester flag={flag} environment={environment.key} editor={editor} />
          </Suspense>
        </div>
      </div>
      {dirty && (
        <SaveBar disabled={wrong.length > 0} onDiscard={editor.discard} onReview={review}>
          {wrong.length > 0 ? <Wrong issues={wrong} /> : countOf(editor.changes.length, 'change')}
        </SaveBar>
      )}
      <Saving flag={flag} environment={environment} editor={editor} reviewing={reviewing} onReview={setReviewing} />
    </>
  );
}

/** Whether the flag is on in the environment, and since when. */
function SwitchPanel({
  flag,
  environment,
  editor: { base, draft, dirty },
  disabled,
  onToggle,
}: Pick<Props, 'flag' | 'environment'> & {
  editor: TargetingEditing;
  disabled: boolean;
  onToggle: (enabled: boolean) => void;
}) {
  const { enabled } = draft;
  const [promoting, setPromoting] = useState(false);
  return (
    <Panel>
      <div className={classes.switchRow}>
        <Switch
          size="md"
          checked={enabled}
          disabled={disabled}
          onChange={(event) => onToggle(event.currentTarget.checked)}
          label={enabled ? `On in ${environment.name}` : `Off in ${environment.name}`}
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
      <PromoteDialog
        opened={promoting}
        flag={flag.key}
        from={environment}
        source={base}
        onClose={() => setPromoting(false)}
      />
    </Panel>
  );
}

/** The first problem of the draft, and how many more there are. */
function Wrong({ issues }: { issues: readonly TargetingIssue[] }) {
  return (
    <span className={classes.wrong} role="alert">
      {issues[0]?.where}: {issues[0]?.message}
      {issues.length > 1 && `, and ${countOf(issues.length - 1, 'more problem')}`}
    </span>
  );
}

/** The dialogs between a draft and its saved version: the review, and the conflict with what somebody else saved. */
function Saving({
  flag,
  environment,
  editor,
  reviewing,
  onReview,
}: Pick<Props, 'flag' | 'environment'> & {
  editor: TargetingEditing;
  reviewing: boolean;
  onReview: (reviewing: boolean) => void;
}) {
  const { base, baseDraft, draft, changes, conflict, setConflict } = editor;
  const affected = useMemo(() => affectedBy(baseDraft, draft), [baseDraft, draft]);
  const save = async (submission: Submission) => {
    await editor.save(submission);
    onReview(false);
    await refreshFlags();
  };
  const cancel = () => {
    onReview(false);
    // If flipping the switch was the only change, cancelling flips it back.
    if (changes.length === 1 && changes[0]?.what === 'State') editor.setDraft(baseDraft);
  };
  return (
    <>
      <ReviewDialog
        opened={reviewing}
        flag={flag.key}
        environment={environment}
        changes={changes}
        affected={affected}
        proposed={toBody(draft, base.version)}
        onSave={save}
        onClose={cancel}
      />
      <ConflictDialog
        base={base}
        theirs={conflict}
        mine={draft}
        onTheirs={(theirs) => {
          editor.adopt(theirs);
          setConflict(null);
        }}
        onMine={(theirs) => {
          editor.keepMine(theirs);
          setConflict(null);
          onReview(true);
        }}
        onClose={() => setConflict(null)}
      />
    </>
  );
}
