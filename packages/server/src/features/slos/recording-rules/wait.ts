import { type Arrivals, automaticOffsetMs, settledToMs } from '../../../platform/arrivals/index.ts';
import { durationMs } from '../../../platform/durations.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { readsOfRule } from '../../telemetry/promql/index.ts';
import { type DueRule, listGroups, type RecordingRuleRow } from './store.ts';

type Grouped = Pick<RecordingRuleRow, 'project_id' | 'rule_group' | 'definition'>;

/** How long a rule waits for the telemetry of a step. */
export interface Wait {
  readonly offsetMs: number;
  /** Up to when telemetry of the rule has been received and can be queried. */
  settledMs(nowMs: number): number;
}

/**
 * How long rules wait: as long as `offset`, or as what the rules of their group read takes to arrive, so that one reads what another one
 * has written.
 */
export async function waitsOf(
  db: Executor,
  arrivals: Pick<Arrivals, 'refresh' | 'lateMs' | 'storedTo'>,
  due: readonly DueRule[],
): Promise<(rule: RecordingRuleRow) => Wait> {
  await arrivals.refresh();
  const projects = new Set(due.map(({ project_id }) => project_id));
  const groups = new Map<string, Grouped[]>();
  for (const rule of await listGroups(db, [...projects])) {
    const key = keyOf(rule);
    groups.set(key, [...(groups.get(key) ?? []), rule]);
  }

  return (rule) => {
    const place = { workspace: rule.workspace_number, project: rule.project_number };
    const rules = groups.get(keyOf(rule)) ?? [rule];
    const signals = [...new Set(rules.flatMap(({ definition }) => readsOfRule(definition).signals))];
    const lateMs = arrivals.lateMs(place.project, signals);
    const given = rules.flatMap(({ definition }) =>
      definition.offset === null ? [] : [durationMs(definition.offset)],
    );
    const { offset } = rule.definition;
    const automaticMs = Math.max(automaticOffsetMs(lateMs, Number(rule.every_ms)), ...given);
    const offsetMs = offset === null ? automaticMs : durationMs(offset);
    return {
      offsetMs,
      settledMs: (nowMs) =>
        settledToMs({ nowMs, offsetMs, lateMs, storedMs: arrivals.storedTo(place, signals).running }),
    };
  };
}

function keyOf({ project_id, rule_group }: Pick<RecordingRuleRow, 'project_id' | 'rule_group'>): string {
  return `${project_id} ${rule_group}`;
}
