import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useDraftState, useTakeSaved } from './draft-state.ts';
import { describeError } from './errors.ts';
import { Button, Loader } from './mantine.ts';
import { type FieldChange, StaleError } from './stale.ts';
import classes from './states.module.css';

/** What stands where nothing is yet: why, and the next step. */
export function EmptyState({
  title,
  children,
  action,
  compact,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  compact?: boolean;
}) {
  return (
    <section className={`${classes.state} ${compact ? classes.compact : ''}`}>
      <h2>{title}</h2>
      {children && <div className={classes.text}>{children}</div>}
      {action && <div className={classes.actions}>{action}</div>}
    </section>
  );
}

/** An error with its code, its text and what to do; `onRetry` offers to try again. */
export function ErrorState({ error, onRetry, compact }: { error: unknown; onRetry?: () => void; compact?: boolean }) {
  const { title, message, code, advice } = describeError(error);
  return (
    <section className={`${classes.state} ${classes.error} ${compact ? classes.compact : ''}`} role="alert">
      <h2>
        {title}
        {code && <span className={classes.code}>{code}</span>}
      </h2>
      <div>{message}</div>
      <div className={classes.text}>{advice}</div>
      {onRetry && (
        <div className={classes.actions}>
          <Button variant="default" onClick={onRetry}>
            Try again
          </Button>
        </div>
      )}
    </section>
  );
}

/** The same in one line, for forms. After `onReload`, the form shows the current state; it is read again before. */
export function ErrorNotice({ error, onReload }: { error: unknown; onReload?: (() => void) | undefined }) {
  if (error === null || error === undefined) return null;
  const { message, code } = describeError(error);
  return (
    <Notice kind="error">
      {message} {code && <span className="mono dim">{code}</span>}
      {error instanceof StaleError && <TheirChanges changes={error.changes} onReload={onReload} />}
    </Notice>
  );
}

/** The changes that somebody else saved in the meantime. */
function TheirChanges({ changes, onReload }: { changes: readonly FieldChange[]; onReload: (() => void) | undefined }) {
  const client = useQueryClient();
  const take = useTakeSaved();
  useDraftState('refused');
  return (
    <>
      <p>Somebody else saved first. Your changes are not saved. They changed:</p>
      <ChangeList label="Their changes" changes={changes} />
      <Button size="xs" variant="default" onClick={() => void client.invalidateQueries().then(onReload ?? take)}>
        Discard mine, load theirs
      </Button>
    </>
  );
}

/** The fields that differ between two versions of a document. */
export function ChangeList({ label, changes }: { label: string; changes: readonly FieldChange[] }) {
  return (
    <ul aria-label={label} className={classes.changes}>
      {changes.map(({ field, before, after }) => (
        <li key={field}>
          <span className="mono">{field}</span>: {before ?? 'nothing'} → {after ?? 'nothing'}
        </li>
      ))}
    </ul>
  );
}

export function Notice({ kind, children }: { kind: 'error' | 'warning' | 'info' | 'ok'; children: ReactNode }) {
  return (
    <div className={classes.notice} data-kind={kind} role={kind === 'error' ? 'alert' : 'status'}>
      <div>{children}</div>
    </div>
  );
}

/** The warnings of an answer: `meta.warnings` of the API. */
export function Warnings({ of }: { of: unknown }) {
  return (Array.isArray(of) ? of : []).map((warning) => (
    <Notice key={String(warning)} kind="warning">
      {String(warning)}
    </Notice>
  ));
}

export function Loading({ label = 'Loading' }: { label?: string }) {
  return (
    <div className={classes.state} role="status" aria-label={label}>
      <Loader size="sm" type="dots" color="gray" />
    </div>
  );
}
