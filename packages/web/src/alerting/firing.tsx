import { ScopeLink } from '../app/scope-links.tsx';
import { useScope } from '../app/session.ts';
import { countOf } from '../ui/format/index.ts';
import { AppLink } from '../ui/link.tsx';
import { ErrorNotice } from '../ui/states.tsx';
import { Timestamp } from '../ui/timestamp.tsx';
import classes from './firing.module.css';
import { type FiringGroup, groupsOf, sinceOf } from './firing-groups.ts';
import type { AlertInstance } from './instances.ts';
import type { Firing } from './use-firing.ts';

/** Rules in a strip; the Alerts page has all. */
const SHOWN = 4;

/** How many alerts fire, beside the name of what they are about; nothing if none does. */
export function FiringMark({ alerts }: { alerts: readonly AlertInstance[] }) {
  if (alerts.length === 0) return null;
  const names = [...new Set(alerts.map(({ rule_name }) => rule_name))].join(', ');
  return (
    <span className={classes.mark} title={names}>
      {alerts.length}
      <span className="visually-hidden">
        {' '}
        {alerts.length === 1 ? 'firing alert' : 'firing alerts'}: {names}
      </span>
    </span>
  );
}

/** What fires now, in a line with links; nothing if nothing does. */
export function FiringStrip({ firing: { alerts, error } }: { firing: Firing }) {
  if (error) return <ErrorNotice error={error} />;
  if (alerts.length === 0) return null;
  const groups = groupsOf(alerts);
  return (
    <section className={classes.strip} aria-label="Firing now">
      <h2>{countOf(alerts.length, 'alert')} firing now</h2>
      <ul>
        {groups.slice(0, SHOWN).map((group) => (
          <li key={group.ruleId}>
            <Group group={group} />
          </li>
        ))}
      </ul>
      <ScopeLink to="/w/$ws/$project/alerts">
        {groups.length > SHOWN ? `All ${countOf(groups.length, 'rule')}` : 'All alerts'}
      </ScopeLink>
    </section>
  );
}

function Group({ group: { name, alerts } }: { group: FiringGroup }) {
  const scope = useScope();
  const [first] = alerts;
  if (first === undefined) return null;
  const services = [...new Set(alerts.flatMap(({ labels }) => labels['service.name'] ?? []))];
  return (
    <>
      {alerts.length === 1 ? (
        <AppLink to="/w/$ws/$project/alerts/$id" params={{ ...scope, id: first.id }}>
          {name}
        </AppLink>
      ) : (
        <AppLink to="/w/$ws/$project/alerts/rules/$id" params={{ ...scope, id: first.rule_id }}>
          {name}
        </AppLink>
      )}{' '}
      <span className="dim">
        {alerts.length > 1 && `${alerts.length}× `}
        {services.slice(0, 2).join(', ')}
        {services.length > 2 && ` and ${services.length - 2} more`}
        {services.length > 0 && ', '}
        <Timestamp value={sinceOf(first)} ago />
      </span>
    </>
  );
}
