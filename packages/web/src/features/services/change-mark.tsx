import type { Change } from './service-state.ts';
import classes from './services.module.css';

/**
 * How a number differs from the window before: ▲ or ▼ and by how much. Nothing if there was nothing before.
 * @param isWorse whether more of it is worse: then a rise is red
 */
export function ChangeMark({ change, isWorse }: { change: Change | undefined; isWorse: boolean }) {
  if (change === undefined) return null;
  const { direction, text } = change;
  return (
    <span className={classes.change} data-worse={(isWorse && direction === 'up') || undefined}>
      <span aria-hidden>{direction === 'up' ? '▲' : direction === 'down' ? '▼' : '='}</span>
      <span className="visually-hidden">{direction} by</span> {text}
      <span className="visually-hidden"> against the window before</span>
    </span>
  );
}
