import { describe, expect, it } from 'vitest';
import { firstToSilence, groupsOf, noteOf } from './firing-groups.ts';
import type { AlertInstance } from './instances.ts';

function alert(id: string, part: Partial<AlertInstance> = {}): AlertInstance {
  return {
    id,
    rule_id: 'a',
    rule_name: 'Fails',
    project: 'default',
    environment: null,
    state: 'firing',
    labels: { alertname: 'Fails', 'service.name': id },
    value: 1,
    active_since: '2026-11-22T10:00:00.000Z',
    fired_at: null,
    resolved_at: null,
    flapping: false,
    silenced_by: [],
    inhibited_by: [],
    ...part,
  };
}

describe('groups of firing alerts', () => {
  it('puts the rule with the worst alert first, and within it the worst alert', () => {
    const slow = { rule_id: 'b', rule_name: 'Slow' };
    const groups = groupsOf([
      alert('1', { ...slow, state: 'pending' }),
      alert('2', { state: 'pending' }),
      alert('3', { state: 'firing' }),
      alert('4', { ...slow, state: 'recovering' }),
    ]);
    expect(groups.map(({ name, alerts }) => [name, ...alerts.map(({ id }) => id)])).toEqual([
      ['Fails', '3', '2'],
      ['Slow', '4', '1'],
    ]);
  });

  it('silences a group by the labels that its alerts share', () => {
    expect(groupsOf([alert('1'), alert('2')])[0]?.labels).toEqual({ alertname: 'Fails' });
    expect(groupsOf([alert('1')])[0]?.labels).toEqual({ alertname: 'Fails', 'service.name': '1' });
  });

  it('skips what is silenced already, and what only is pending', () => {
    const silenced = alert('1', { silenced_by: ['s'] });
    expect(firstToSilence(groupsOf([silenced, alert('2', { rule_id: 'b', state: 'pending' })]))).toBeUndefined();
    expect(firstToSilence(groupsOf([silenced, alert('2', { rule_id: 'b' })]))).toMatchObject({ ruleId: 'b' });
  });

  it('says what holds an alert back', () => {
    expect(noteOf(alert('1'))).toBe('');
    expect(noteOf(alert('1', { silenced_by: ['s'], inhibited_by: ['2'], flapping: true }))).toBe(
      'silenced, inhibited, flapping',
    );
  });
});
