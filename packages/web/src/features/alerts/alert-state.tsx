import { useQuery } from '@tanstack/react-query';
import type { AlertInstance } from '../../alerting/instances.ts';
import { type AlertState, STATES, type Tone } from '../../alerting/states.ts';
import { useScope } from '../../app/session.ts';
import classes from './alerts.module.css';
import { type AlertRule, alertRulesQuery } from './queries.ts';
import { isShare, valueText } from './value-text.ts';

/** A state with its color. */
export function StateLabel({ label, tone, title }: { label: string; tone: Tone; title?: string | undefined }) {
  return (
    <span className={classes.state} data-tone={tone} title={title}>
      {label}
    </span>
  );
}

export function AlertStateLabel({ state }: { state: AlertState }) {
  return <StateLabel {...STATES[state]} />;
}

/** The worst of a rule: what fires, else whether it can be evaluated. */
export function RuleState({ rule }: { rule: AlertRule }) {
  return <StateLabel {...ruleState(rule)} title={rule.health.error ?? undefined} />;
}

function ruleState({ enabled, firing, health }: AlertRule): { label: string; tone: Tone } {
  if (!enabled) return { label: 'Off', tone: 'off' };
  if (firing > 0) return { label: `${firing} firing`, tone: 'firing' };
  if (health.state === 'failing') return { label: 'Query fails', tone: 'pending' };
  if (health.state === 'delayed') return { label: 'Data is late', tone: 'pending' };
  return health.state === 'waiting' ? { label: 'Not evaluated yet', tone: 'off' } : { label: 'OK', tone: 'ok' };
}

export function LabelList({ labels, without = [] }: { labels: Readonly<Record<string, string>>; without?: string[] }) {
  const shown = Object.entries(labels).filter(([name]) => !without.includes(name));
  if (shown.length === 0) return <span className="dim">no labels</span>;
  return (
    <span className={classes.labels}>
      {shown.map(([name, value]) => (
        <span key={name} className={classes.label}>
          <b>{name}=</b>
          {value}
        </span>
      ))}
    </span>
  );
}

/** The value of an instance: shares as percentages, as far as the query of the rule says that they are. */
export function AlertValue({ rule, value }: { rule: string; value: AlertInstance['value'] }) {
  const { ws, project } = useScope();
  const { data: rules = [] } = useQuery({ ...alertRulesQuery(ws, project), refetchInterval: false });
  return valueText(value, isShare(rules.find(({ id }) => id === rule)?.query ?? ''));
}
