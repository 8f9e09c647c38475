import classes from './flags.module.css';
import { staleness } from './staleness.ts';
import type { Flag } from './types.ts';

/** Marks a flag in a list that serves a single variant or is no longer evaluated. */
export function StaleTag({ flag, now }: { flag: Flag; now: number }) {
  const why = staleness(flag, now);
  if (why === null) return null;
  return (
    <span className={`${classes.tag} ${classes.stale}`} title={`Temporary, and ${why}`}>
      stale
    </span>
  );
}
