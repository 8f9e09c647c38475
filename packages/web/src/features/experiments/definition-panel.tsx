import { useQuery } from '@tanstack/react-query';
import { useScope } from '../../app/session.ts';
import facts from '../../ui/facts.module.css';
import { formatPercent } from '../../ui/format/index.ts';
import { AppLink } from '../../ui/link.tsx';
import { Group } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { metricsQuery } from '../judging/queries.ts';
import type { Experiment } from './queries.ts';
import { splitText } from './serve-diff.ts';

/** What an experiment compares, on whom, and by what. */
export function DefinitionPanel({ experiment }: { experiment: Experiment }) {
  const scope = useScope();
  const { data: metrics = [] } = useQuery(metricsQuery(scope.ws, scope.project));
  const { flag, environment, control, analysis, started_at, stopped_at, winner } = experiment;
  const { goals, secondary, guardrails } = experiment.metrics;
  const named = (refs: readonly string[]) => (
    <Group gap="md">
      {refs.map((ref) => {
        const metric = metrics.find(({ id, key }) => id === ref || key === ref);
        return metric === undefined ? (
          <span key={ref}>{ref}</span>
        ) : (
          <AppLink key={ref} to="/w/$ws/$project/flag-metrics/$id" params={{ ...scope, id: metric.id }}>
            {metric.name}
          </AppLink>
        );
      })}
    </Group>
  );
  return (
    <Panel title="What is compared">
      <dl className={facts.facts}>
        <dt>Flag</dt>
        <dd>
          <AppLink to="/w/$ws/$project/flags/$key" params={{ ...scope, key: flag }} search={{ env: environment }}>
            {flag}
          </AppLink>
        </dd>
        <dt>Environment</dt>
        <dd>{environment}</dd>
        <dt>Everybody else gets</dt>
        <dd>
          {splitText(experiment)}; the control is {control}
        </dd>
        <dt>Decides</dt>
        <dd>{goals.length === 0 ? 'nothing' : named(goals)}</dd>
        {guardrails.length > 0 && (
          <>
            <dt>Must not get worse</dt>
            <dd>{named(guardrails)}</dd>
          </>
        )}
        {secondary.length > 0 && (
          <>
            <dt>Also measured</dt>
            <dd>{named(secondary)}</dd>
          </>
        )}
        <dt>Smallest effect of interest</dt>
        <dd>a change of {formatPercent(analysis.minimal_effect)}</dd>
        {started_at !== null && (
          <>
            <dt>Ran</dt>
            <dd>
              from <Timestamp value={started_at} />
              {stopped_at !== null && (
                <>
                  {' '}
                  to <Timestamp value={stopped_at} />
                </>
              )}
            </dd>
          </>
        )}
        {winner !== null && (
          <>
            <dt>Winner</dt>
            <dd>{winner}</dd>
          </>
        )}
      </dl>
    </Panel>
  );
}
