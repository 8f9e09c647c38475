import { Timestamp } from '../../ui/timestamp.tsx';
import classes from './changes.module.css';
import type { FlagChange } from './queries.ts';

const STATUS: Readonly<Record<FlagChange['status'], { label: string; tone: 'waits' | 'done' | 'failed' | 'over' }>> = {
  pending: { label: 'Waiting for approval', tone: 'waits' },
  approved: { label: 'Approved', tone: 'waits' },
  scheduled: { label: 'Scheduled', tone: 'waits' },
  applied: { label: 'Applied', tone: 'done' },
  rejected: { label: 'Rejected', tone: 'over' },
  cancelled: { label: 'Withdrawn', tone: 'over' },
  failed: { label: 'Failed', tone: 'failed' },
};

export function ChangeStatus({ change }: { change: FlagChange }) {
  const { label, tone } = STATUS[change.status];
  return (
    <span className={classes.status} data-tone={tone}>
      {label}
      {change.status === 'scheduled' && (
        <>
          , <Timestamp value={change.apply_at} ago />
        </>
      )}
    </span>
  );
}

const KINDS: Readonly<Record<FlagChange['kind'], string>> = {
  targeting: 'Targeting',
  flag: 'Flag',
  prerequisites: 'Prerequisites',
  segment: 'Segment',
  ramp: 'Ramp',
  guarded_release: 'Guarded release',
  experiment: 'Experiment',
};

/** `Targeting of colour`, `Segment beta`. */
export function changeTitle({ kind, flag, segment }: FlagChange): string {
  if (kind === 'segment') return `Segment ${segment ?? ''}`;
  return kind === 'flag' ? `Flag ${flag ?? ''}` : `${KINDS[kind]} of ${flag ?? ''}`;
}
