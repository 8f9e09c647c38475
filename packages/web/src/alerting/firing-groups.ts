import { type AlertInstance, isFiring } from './instances.ts';
import { commonLabels } from './matchers.ts';

/** The alerts of one rule that are pending or firing, the worst first. */
export interface FiringGroup {
  readonly ruleId: string;
  readonly name: string;
  readonly alerts: readonly AlertInstance[];
  /** The labels that all of them have, `alertname` included. */
  readonly labels: Readonly<Record<string, string>>;
}

const ORDER = ['firing', 'error', 'no_data', 'recovering', 'pending'];

/** Firing first, then pending; within a state the latest first. */
export function worstFirst(instances: readonly AlertInstance[]): AlertInstance[] {
  const rank = ({ state }: AlertInstance) => {
    const at = ORDER.indexOf(state);
    return at === -1 ? ORDER.length : at;
  };
  return instances.toSorted((a, b) => rank(a) - rank(b) || sinceOf(b).localeCompare(sinceOf(a)));
}

export function sinceOf({ active_since, resolved_at }: AlertInstance): string {
  return active_since ?? resolved_at ?? '';
}

/** Groups alerts by their rule; the group with the worst alert comes first. */
export function groupsOf(alerts: readonly AlertInstance[]): FiringGroup[] {
  const byRule = new Map<string, AlertInstance[]>();
  for (const alert of worstFirst(alerts)) byRule.set(alert.rule_id, [...(byRule.get(alert.rule_id) ?? []), alert]);
  return [...byRule].map(([ruleId, ofRule]) => ({
    ruleId,
    name: ofRule[0]?.rule_name ?? '',
    alerts: ofRule,
    labels: commonLabels(ofRule.map(({ labels }) => labels)),
  }));
}

export interface Target {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** The first alerts that nothing silences; undefined if there are none. */
export function firstToSilence(groups: readonly FiringGroup[]): Target | undefined {
  return groups.find(({ alerts }) => alerts.some((alert) => isFiring(alert) && alert.silenced_by.length === 0));
}

/** What holds an alert back, or makes it noisy. */
export function noteOf({ silenced_by, inhibited_by, flapping }: AlertInstance): string {
  return [
    ...(silenced_by.length > 0 ? ['silenced'] : []),
    ...(inhibited_by.length > 0 ? ['inhibited'] : []),
    ...(flapping ? ['flapping'] : []),
  ].join(', ');
}
