import { approveFlagChange, cancelFlagChange, getSegment, rejectFlagChange } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { call } from '../../api/client.ts';
import { routeQuery } from '../../api/queries.ts';
import { environmentsQuery, useCan, useMe, useScope } from '../../app/session.ts';
import { Fact, Facts } from '../../ui/facts.tsx';
import { AppLink } from '../../ui/link.tsx';
import { Button, Group, Stack, Textarea } from '../../ui/mantine.ts';
import { ErrorNotice, Notice } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { toastDone } from '../../ui/toast.ts';
import { ChangeTable } from '../flags/change-table.tsx';
import { describeDifferences, ruleNames } from '../flags/difference-words.ts';
import { targetingQuery } from '../flags/queries.ts';
import { UsedBy } from '../segments/used-by.tsx';
import { ChangeStatus } from './change-status.tsx';
import { type FlagChange, refreshChanges } from './queries.ts';

/** A proposed change: its differences, its author and reason, and the available actions. */
export function ChangeDetail({ change, onDone }: { change: FlagChange; onDone: () => void }) {
  const scope = useScope();
  const { data: environments = [] } = useQuery(environmentsQuery(scope.ws, scope.project));
  const environment = environments.find(({ key, id }) => key === change.environment || id === change.environment);
  const names = useRuleNames(change);
  const open = change.status === 'pending' || change.status === 'scheduled';
  return (
    <Stack gap="md">
      <Facts>
        <Fact name="Status">
          <ChangeStatus change={change} />
        </Fact>
        <Fact name="Environment">{environment?.name ?? change.environment ?? 'all affected environments'}</Fact>
        <Fact name="Proposed by">
          {change.created_by ?? 'a former member'}, <Timestamp value={change.created_at} />
        </Fact>
        {change.comment && (
          <Fact name="Comment" style={{ whiteSpace: 'pre-wrap' }}>
            {change.comment}
          </Fact>
        )}
        {change.apply_at && (
          <Fact name="Scheduled for">
            <Timestamp value={change.apply_at} />
          </Fact>
        )}
        {change.reviewed_at && (
          <Fact name={change.status === 'cancelled' ? 'Withdrawn by' : 'Reviewed by'}>
            {change.reviewed_by ?? 'a former member'}, <Timestamp value={change.reviewed_at} />
            {change.review_comment && <div style={{ whiteSpace: 'pre-wrap' }}>{change.review_comment}</div>}
          </Fact>
        )}
        {change.applied_at && (
          <Fact name="Applied">
            <Timestamp value={change.applied_at} />
          </Fact>
        )}
        {change.flag !== null && (
          <Fact name="Flag">
            <AppLink
              className="mono"
              to="/w/$ws/$project/flags/$key"
              params={{ ...scope, key: change.flag }}
              search={change.environment === null ? {} : { env: change.environment }}
            >
              {change.flag}
            </AppLink>
          </Fact>
        )}
      </Facts>
      {change.failure && <Notice kind="error">It could not be applied: {change.failure}</Notice>}
      <div>
        <h3>Differences</h3>
        <ChangeTable label="Differences" changes={describeDifferences(change.diff, names)} />
      </div>
      {change.segment !== null && <SegmentReach segment={change.segment} />}
      {open && <Verdict change={change} onDone={onDone} />}
    </Stack>
  );
}

/** Rule names by id, for rules of the current targeting. */
function useRuleNames({ kind, flag, environment }: FlagChange): ReadonlyMap<string, string> {
  const { ws, project } = useScope();
  const { data } = useQuery({
    ...targetingQuery(ws, project, environment ?? '', flag ?? ''),
    enabled: kind === 'targeting' && flag !== null && environment !== null,
  });
  return useMemo(() => ruleNames(data), [data]);
}

function SegmentReach({ segment }: { segment: string }) {
  const { ws, project } = useScope();
  const { data } = useQuery(routeQuery(getSegment, { params: { ws, p: project, skey: segment } }));
  if (!data) return null;
  return (
    <div>
      <h3>Who is affected</h3>
      <UsedBy usedBy={data.used_by} />
    </div>
  );
}

const VERDICTS = {
  approve: { route: approveFlagChange, done: 'approved' },
  reject: { route: rejectFlagChange, done: 'rejected' },
  cancel: { route: cancelFlagChange, done: 'withdrawn' },
} as const;

/** Sends a verdict on a change, which an approval may apply immediately. `pending` is the one that is being sent. */
function useVerdict(change: FlagChange, onDone: () => void) {
  const { ws, project } = useScope();
  const [error, setError] = useState<unknown>(null);
  const [pending, setPending] = useState<keyof typeof VERDICTS | null>(null);
  const decide = async (verdict: keyof typeof VERDICTS, comment: string) => {
    setPending(verdict);
    setError(null);
    try {
      const { data } = await call(VERDICTS[verdict].route, {
        params: { ws, p: project, id: change.id },
        body: comment === '' ? {} : { comment },
      });
      await refreshChanges();
      if (data.status === 'failed')
        setError(new Error(`The change was approved but could not be applied: ${data.failure}`));
      else {
        toastDone(`Change ${data.status === 'applied' ? 'approved and applied' : VERDICTS[verdict].done}`);
        onDone();
      }
    } catch (cause) {
      setError(cause);
      await refreshChanges();
    } finally {
      setPending(null);
    }
  };
  return { error, pending, decide };
}

function Verdict({ change, onDone }: { change: FlagChange; onDone: () => void }) {
  const { user } = useMe();
  const canApprove = useCan('flags:approve');
  const canWrite = useCan('flags:write');
  const [comment, setComment] = useState('');
  const { error, pending, decide } = useVerdict(change, onDone);
  const own = change.created_by_id === user.id;
  const waits = change.status === 'pending';
  const button = (verdict: keyof typeof VERDICTS) => ({
    loading: pending === verdict,
    onClick: () => void decide(verdict, comment.trim()),
  });
  return (
    <Stack gap="md">
      {waits && own && (
        <Notice kind="info">
          You proposed this change, so someone else must approve it: nobody can approve their own change, whatever their
          role. You can withdraw it.
        </Notice>
      )}
      {waits && !own && !canApprove && (
        <Notice kind="info">
          To approve or reject it, your role needs the permission <code>flags:approve</code>.
        </Notice>
      )}
      <Textarea
        label="Comment"
        placeholder="For the author and later readers"
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
      <ErrorNotice error={error} />
      <Group justify="flex-end" gap="sm">
        {canWrite && (
          <Button variant="default" {...button('cancel')}>
            Withdraw
          </Button>
        )}
        {waits && !own && canApprove && (
          <Button variant="default" {...button('reject')}>
            Reject
          </Button>
        )}
        {waits && canApprove && (
          <Button disabled={own} {...button('approve')}>
            {change.apply_at === null ? 'Approve and apply' : 'Approve'}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
