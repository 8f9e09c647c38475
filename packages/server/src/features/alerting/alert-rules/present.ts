import { numberValue } from '../../telemetry/promql/index.ts';
import type { listTransitions, NamedInstanceRow } from './instances-store.ts';
import { type InstanceState, isFlapping } from './step-rules.ts';

/** @param held what holds its notifications back now */
export function presentInstance(
  row: NamedInstanceRow,
  held: { readonly silences: readonly string[]; readonly alerts: readonly string[] } | undefined,
  now: number,
) {
  return {
    id: row.id,
    rule_id: row.rule_id,
    rule_name: row.rule_name,
    project: row.project,
    environment: row.environment,
    state: row.state as InstanceState,
    labels: { ...row.labels, alertname: row.rule_name },
    value: textOf(row.value),
    active_since: row.active_since?.toISOString() ?? null,
    fired_at: row.fired_at?.toISOString() ?? null,
    resolved_at: row.resolved_at?.toISOString() ?? null,
    flapping: isFlapping(row, now),
    silenced_by: held?.silences ?? [],
    inhibited_by: held?.alerts ?? [],
  };
}

export function presentTransition(row: Awaited<ReturnType<typeof listTransitions>>[number]) {
  return {
    at: row.at.toISOString(),
    from: row.from_state as InstanceState,
    to: row.to_state as InstanceState,
    value: textOf(row.value),
    reason: row.reason,
  };
}

/** JSON has no number for what is not finite. */
export function textOf(value: number | null) {
  return value === null ? null : numberValue(value);
}
