import { formatPercent } from '../../ui/format/index.ts';
import classes from './releases.module.css';
import { progressText, type Rollout, stepShare } from './rollouts.ts';

/** The steps of a rollout as a row of bars: those done are full, the current one fills until the next. */
export function Steps({ rollout, now }: { rollout: Rollout; now: number }) {
  const { weights, step, isActive, endedAt } = rollout;
  const isDone = endedAt !== null && rollout.state.label === 'Completed';
  const filled = (index: number) => {
    if (isDone || rollout.watchingUntil !== null || (index < step && (isActive || endedAt !== null))) return 1;
    return index === step && isActive ? Math.max(0.04, stepShare(rollout, now)) : 0;
  };
  return (
    <span className={classes.steps}>
      <span className={classes.bars} aria-hidden>
        {weights.map((weight, index) => (
          <span key={weight} className={classes.bar} title={formatPercent(weight / 100_000)}>
            <i style={{ width: `${Math.round(100 * filled(index))}%` }} data-ended={endedAt !== null || undefined} />
          </span>
        ))}
      </span>
      <span className={classes.text}>{progressText(rollout)}</span>
    </span>
  );
}
