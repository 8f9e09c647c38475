import type { AlertInstance } from '../../alerting/instances.ts';
import { type AlertState, STATES, type Tone } from '../../alerting/states.ts';
import classes from './alerts.module.css';
import type { AlertRule } from './queries.ts';

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

export function valueText(value: AlertInstance['value']): string {
  if (value === null) return '–';
  return typeof value === 'number' ? String(Number(value.toPrecision(6))) : value;
}
