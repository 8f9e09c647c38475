import type { listFlags, RouteResponse } from '@fanion/contract';
import { formatPercent } from '../../ui/format/index.ts';
import classes from './flags.module.css';

export type EnvironmentState = Pick<
  RouteResponse<typeof listFlags>[number]['environments'][number],
  'enabled' | 'serves' | 'percentage' | 'ramp'
>;

/** The words for a state: `off`, `on`, `30%` of a split, `30% ramping`, `by rules` if targets or rules decide. */
export function stateText(state: EnvironmentState): string {
  if (!state.enabled || state.serves === 'off') return 'off';
  if (state.serves === 'one') return 'on';
  const share = state.percentage === null ? 'by rules' : formatPercent(state.percentage / 100);
  return state.ramp === null ? share : `${share} ${state.ramp === 'running' ? 'ramping' : 'paused'}`;
}

/**
 * A flag's state in an environment at a glance: filled is on, half with its percentage is a split, empty is off. With
 * `silent`, the surrounding text informs screen readers.
 */
export function StateDot({ state, label, silent }: { state: EnvironmentState; label: string; silent?: boolean }) {
  const text = stateText(state);
  const on = text !== 'off';
  const split = on && text !== 'on';
  return (
    <span className={classes.dot} title={`${label}: ${text}`}>
      {!silent && (
        <span className="visually-hidden">
          {label}: {text}
        </span>
      )}
      <svg width={14} height={14} viewBox="0 0 14 14" aria-hidden>
        <circle
          cx={7}
          cy={7}
          r={5}
          fill={on && !split ? 'var(--f-accent-fill)' : 'none'}
          stroke={on ? 'var(--f-accent-fill)' : 'var(--f-border-strong)'}
          strokeWidth={1.5}
        />
        {split && <path d="M7 2a5 5 0 0 0 0 10z" fill="var(--f-accent-fill)" />}
      </svg>
      {split && (state.percentage !== null || !silent) && (
        <span aria-hidden={!silent} className={state.percentage === null ? 'dim' : undefined}>
          {text}
        </span>
      )}
    </span>
  );
}
