import type { Tone } from '../../alerting/states.ts';
import { milliseconds } from '../alerts/rule-draft.ts';
import type { RecordingRule } from './queries.ts';

/** Steps that a rule may be behind before it counts as late: it writes one at a time. */
const lateSteps = 3;

/** What stands first in the list. */
export function stateOf({
  enabled,
  last_error,
  lag_seconds,
  every,
}: Pick<RecordingRule, 'enabled' | 'last_error' | 'lag_seconds' | 'every'>): { label: string; tone: Tone } {
  if (!enabled) return { label: 'Off', tone: 'off' };
  if (last_error !== null) return { label: 'Fails', tone: 'firing' };
  const stepSeconds = (milliseconds(every) ?? 0) / 1_000;
  return lag_seconds > lateSteps * Math.max(stepSeconds, 30)
    ? { label: 'Late', tone: 'pending' }
    : { label: 'OK', tone: 'ok' };
}

export interface RuleGroup {
  readonly name: string;
  /** In the order in which they run. */
  readonly rules: readonly RecordingRule[];
}

/** Rules by group, each in the order in which it runs. */
export function groupsOf(rules: readonly RecordingRule[]): RuleGroup[] {
  const groups = new Map<string, RecordingRule[]>();
  for (const rule of rules) groups.set(rule.group, [...(groups.get(rule.group) ?? []), rule]);
  return [...groups]
    .map(([name, own]) => ({
      name,
      rules: own.toSorted((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1)),
    }))
    .sort((a, b) => a.name.localeCompare(b.name));
}
