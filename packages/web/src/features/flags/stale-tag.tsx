import type { Flag } from './flag-page.tsx';
import classes from './flags.module.css';
import { staleness } from './staleness.ts';

/** Marks a flag in a list that has nothing left to decide. */
export function StaleTag({ flag, now }: { flag: Flag; now: number }) {
  const days = staleness(flag, now);
  if (days === null) return null;
  return (
    <span
      className={`${classes.tag} ${classes.stale}`}
      title={`Temporary, and has served one and the same variant everywhere for ${days} days`}
    >
      stale
    </span>
  );
}
