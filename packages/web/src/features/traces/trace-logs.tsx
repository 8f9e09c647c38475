import { severityRank } from '../../telemetry/severity.ts';
import { Severity } from '../../telemetry/severity-label.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import classes from './trace-logs.module.css';
import type { Trace } from './trace-tree.ts';

type Log = NonNullable<Trace['logs']>[number];

/** Log lines in order of time, always rendered as text. */
export function LogLines({ logs, onOpen }: { logs: readonly Log[]; onOpen?: (spanId: string) => void }) {
  return (
    <ol className={classes.lines} aria-label="Logs">
      {logs.map((log, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two lines may be identical
        <li key={`${log.time}-${index}`} data-severity={severityRank(log.severity)}>
          <span className={classes.time}>
            <Timestamp value={log.time} milliseconds />
          </span>
          <Severity value={log.severity} />
          <span className={classes.service}>{log.service}</span>
          <span className={classes.body}>{log.body}</span>
          {onOpen && log.span_id && (
            <button type="button" className={classes.open} onClick={() => onOpen(log.span_id ?? '')}>
              Span
            </button>
          )}
        </li>
      ))}
    </ol>
  );
}
