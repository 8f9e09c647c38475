import { useQuery } from '@tanstack/react-query';
import { useScope } from '../../app/session.ts';
import { Fact, Facts } from '../../ui/facts.tsx';
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
      <Facts>
        <Fact name="Flag">
          <AppLink to="/w/$ws/$project/flags/$key" params={{ ...scope, key: flag }} search={{ env: environment }}>
            {flag}
          </AppLink>
        </Fact>
        <Fact name="Environment">{environment}</Fact>
        <Fact name="Everybody else gets">
          {splitText(experiment)}; the control is {control}
        </Fact>
        <Fact name="Decides">{goals.length === 0 ? 'nothing' : named(goals)}</Fact>
        {guardrails.length > 0 && <Fact name="Must not get worse">{named(guardrails)}</Fact>}
        {secondary.length > 0 && <Fact name="Also measured">{named(secondary)}</Fact>}
        <Fact name="Smallest effect of interest">a change of {formatPercent(analysis.minimal_effect)}</Fact>
        {started_at !== null && (
          <Fact name="Ran">
            from <Timestamp value={started_at} />
            {stopped_at !== null && (
              <>
                {' '}
                to <Timestamp value={stopped_at} />
              </>
            )}
          </Fact>
        )}
        {winner !== null && <Fact name="Winner">{winner}</Fact>}
      </Facts>
    </Panel>
  );
}
