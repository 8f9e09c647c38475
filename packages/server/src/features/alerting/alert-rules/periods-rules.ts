import type { AlertPeriod } from '../../telemetry/promql/index.ts';
import { type InstanceState, isFiring } from './step-rules.ts';

/** Prometheus' state of an instance; undefined: it is over. `no_data`, `error` and `recovering` notify as `firing` does. */
export function activeState(state: string): 'pending' | 'firing' | undefined {
  if (state === 'pending') return 'pending';
  return isFiring({ state: state as InstanceState }) ? 'firing' : undefined;
}

/** A change of the state of an instance. */
export interface StateChange {
  readonly instance_id: string;
  readonly rule: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly at: Date;
  readonly to_state: string;
}

/** @param changes of each instance together, in the order of their times */
export function periodsOf(changes: readonly StateChange[]): AlertPeriod[] {
  const periods: AlertPeriod[] = [];
  let open: AlertPeriod | undefined;
  let instance: string | undefined;
  const close = (to: number | undefined) => {
    if (open !== undefined) periods.push({ ...open, to });
    open = undefined;
  };
  for (const change of changes) {
    if (change.instance_id !== instance) close(undefined);
    instance = change.instance_id;
    const at = change.at.getTime();
    const state = activeState(change.to_state);
    if (open?.state === state) continue;
    const activeAt: number = open?.activeAt ?? at;
    close(at);
    if (state === undefined) continue;
    open = { labels: { ...change.labels, alertname: change.rule }, state, from: at, to: undefined, activeAt };
  }
  close(undefined);
  return periods;
}
