import { useQuery } from '@tanstack/react-query';
import { useCan, useScope } from '../../app/session.ts';
import { AppLink } from '../../ui/link.tsx';
import { Panel } from '../../ui/page.tsx';
import { standingsQuery } from '../slos/queries.ts';
import { BudgetLeft, SloState } from '../slos/slo-state.tsx';
import { isOfService, leastBudgetFirst, stateOf } from '../slos/slo-words.ts';
import classes from './services.module.css';

/** The SLOs of the service that need somebody to look at them; nothing while all are well. */
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
    <Panel title="SLOs at risk">
      <ul className={classes.slos}>
        {unhealthy.map((slo) => (
          <li key={slo.id}>
            <AppLink to="/w/$ws/$project/slos/$id" params={{ ...scope, id: slo.id }}>
              {slo.name}
            </AppLink>
            <SloState slo={slo} status={slo.status} />
            <BudgetLeft left={slo.status?.budget.left} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
