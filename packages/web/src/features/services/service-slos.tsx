import { useQuery } from '@tanstack/react-query';
import { ScopeLink } from '../../app/scope-links.tsx';
import { useCan, useScope } from '../../app/session.ts';
import { AppLink } from '../../ui/link.tsx';
import { standingsQuery } from '../slos/queries.ts';
import { BudgetLeft, SloState } from '../slos/slo-state.tsx';
import { isOfService, leastBudgetFirst, stateOf } from '../slos/slo-words.ts';
import classes from './services.module.css';

/** SLOs that are named; the page of SLOs has all. */
const SHOWN = 2;

/**
 * The SLOs of the service that need somebody to look at them; nothing while all are well. They are known later than the rest of the
 * page, so they stand in the line of its status, where they move nothing.
 */
export function ServiceSlos({ service }: { service: string }) {
  const scope = useScope();
  const canQuery = useCan('telemetry:query');
  const { data = [] } = useQuery({ ...standingsQuery(scope.ws, scope.project), enabled: canQuery });
  const unhealthy = leastBudgetFirst(data).filter((slo) => {
    const { tone } = stateOf(slo, slo.status);
    return isOfService(slo.indicator, service) && (tone === 'firing' || tone === 'pending');
  });
  if (unhealthy.length === 0) return null;
  return (
    <section className={classes.slos} aria-label="SLOs at risk">
      {unhealthy.slice(0, SHOWN).map((slo) => (
        <span key={slo.id} className={classes.slo}>
          <AppLink to="/w/$ws/$project/slos/$id" params={{ ...scope, id: slo.id }}>
            {slo.name}
          </AppLink>
          <SloState slo={slo} status={slo.status} />
          <BudgetLeft left={slo.status?.budget.left} />
        </span>
      ))}
      {unhealthy.length > SHOWN && <ScopeLink to="/w/$ws/$project/slos">and {unhealthy.length - SHOWN} more</ScopeLink>}
    </section>
  );
}
