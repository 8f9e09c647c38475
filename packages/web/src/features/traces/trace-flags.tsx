import { useScope } from '../../app/session.ts';
import { AppLink } from '../../ui/link.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import classes from './trace-logs.module.css';
import type { Trace } from './trace-tree.ts';

type Evaluation = NonNullable<Trace['flags']>[number];

/** The flag evaluations of a trace in order of time. */
export function FlagLines({ flags, onOpen }: { flags: readonly Evaluation[]; onOpen?: (spanId: string) => void }) {
  const scope = useScope();
  return (
    <ol className={classes.lines} aria-label="Flags">
      {flags.map((evaluation, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two evaluations may be identical
        <li key={`${evaluation.time}-${index}`}>
          <span className={classes.time}>
            <Timestamp value={evaluation.time} milliseconds />
          </span>
          <AppLink className="mono" to="/w/$ws/$project/flags/$key" params={{ ...scope, key: evaluation.flag }}>
            {evaluation.flag}
          </AppLink>
          <b className="mono">{evaluation.variant ?? evaluation.error ?? 'error'}</b>
          <span className={classes.body}>
            {[
              evaluation.reason,
              evaluation.version === '' ? '' : `version ${evaluation.version}`,
              evaluation.unit === null ? '' : `for ${evaluation.unit}`,
            ]
              .filter((part) => part !== '')
              .join(', ')}
          </span>
          <span className={classes.service}>{evaluation.service ?? 'reported by the server'}</span>
          {onOpen && evaluation.span_id && (
            <button type="button" className={classes.open} onClick={() => onOpen(evaluation.span_id ?? '')}>
              Span
            </button>
          )}
        </li>
      ))}
    </ol>
  );
}
