import { formatPercent } from './format/index.ts';
import classes from './meter.module.css';

/** A share as a bar with its number. What is below 0 or above 1 fills nothing, or all. */
export function Meter({
  label,
  share,
  tone = 'accent',
  progress = false,
}: {
  /** What it measures, for screen readers. */
  label: string;
  share: number;
  tone?: 'accent' | 'ok' | 'warning' | 'error';
  /** It reports how far something has come. */
  progress?: boolean;
}) {
  const shown = Math.min(1, Math.max(0, share));
  return (
    <span className={classes.meter} data-tone={tone}>
      {progress ? (
        <progress className="visually-hidden" aria-label={label} max={1} value={shown} />
      ) : (
        <meter className="visually-hidden" aria-label={label} min={0} max={1} value={shown} />
      )}
      <span className={classes.track} aria-hidden>
        <i style={{ width: `${Math.round(100 * shown)}%` }} />
      </span>
      <span className={classes.text}>{formatPercent(share)}</span>
    </span>
  );
}
