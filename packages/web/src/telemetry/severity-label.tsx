import { severityLevel } from './severity.ts';
import classes from './severity-label.module.css';

/** A log's severity in four letters and its color. */
export function Severity({ value }: { value: unknown }) {
  const level = severityLevel(value);
  return (
    <span className={classes.severity} data-level={level}>
      {level === 'unset' ? '–' : level.toUpperCase()}
    </span>
  );
}
