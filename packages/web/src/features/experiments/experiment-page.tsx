import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { ScopeLink } from '../../app/scope-links.tsx';
import { useCan, useScope } from '../../app/session.ts';
import { Unloaded } from '../../ui/resource/loaded.tsx';
import { ResourcePage } from '../../ui/resource/resource-page.tsx';
import { ErrorNotice, Notice } from '../../ui/states.tsx';
import { StateLabel } from '../alerts/alert-state.tsx';
import { ArmsPanel } from './arms-panel.tsx';
import { CloserPanel } from './closer-panel.tsx';
import { DaysPanel } from './days-panel.tsx';
import { DefinitionPanel } from './definition-panel.tsx';
import { ExperimentActions } from './experiment-actions.tsx';
import { headlineOf, stateOf } from './experiment-words.ts';
import { HealthPanel } from './health-panel.tsx';
import { PhasesPanel } from './phases-panel.tsx';
import { type Experiment, experimentQuery, type Results, resultsQuery } from './queries.ts';
import { ReplayPanel } from './replay-panel.tsx';
import { ResultsPanel } from './results-panel.tsx';

/** One experiment: its health first, then each metric with the interval of each variant. */
export function ExperimentPage() {
  const scope = useScope();
  const { id } = useParams({ from: '/w/$ws/$project/experiments/$id' });
  const canWrite = useCan('experiments:write');
  const canQuery = useCan('telemetry:query');
  const experiment = useQuery(experimentQuery(scope, id));
  const wasStarted = experiment.data !== undefined && experiment.data.started_at !== null;
  const results = useQuery({ ...resultsQuery(scope, id), enabled: wasStarted && canQuery });
  return (
    <ResourcePage
      query={experiment}
      what="experiment"
      title="Experiment"
      crumbs={<ScopeLink to="/w/$ws/$project/experiments">Experiments</ScopeLink>}
      subtitle={(experiment) => <StateLabel {...stateOf(experiment)} />}
      actions={(experiment) => canWrite && <ExperimentActions experiment={experiment} results={results.data} />}
    >
      {(experiment) => (
        <>
          {experiment.hypothesis !== '' && <p>{experiment.hypothesis}</p>}
          {!wasStarted ? (
            <>
              <Notice kind="info">Results appear after the experiment starts.</Notice>
              <DefinitionPanel experiment={experiment} />
              {experiment.state === 'draft' && <ReplayPanel experiment={experiment} />}
            </>
          ) : !canQuery ? (
            <Notice kind="info">You need the permission telemetry:query to see results.</Notice>
          ) : results.data === undefined ? (
            <Unloaded query={results} label="Computing the results" />
          ) : (
            <>
              <ErrorNotice error={results.error} />
              <Headline experiment={experiment} results={results.data} />
              <HealthPanel experiment={experiment} results={results.data} />
              <ResultsPanel experiment={experiment} results={results.data} />
              <DaysPanel experiment={experiment} results={results.data} />
              <ArmsPanel experiment={experiment} />
              <CloserPanel experiment={experiment} results={results.data} />
              <PhasesPanel experiment={experiment} results={results.data} />
              <DefinitionPanel experiment={experiment} />
            </>
          )}
        </>
      )}
    </ResourcePage>
  );
}

function Headline({ experiment, results }: { experiment: Experiment; results: Results }) {
  const { control, analysis } = experiment;
  const { kind, text } = headlineOf({ control, effect: analysis.minimal_effect }, results);
  return (
    <Notice kind={kind}>
      <strong>{text}</strong>
    </Notice>
  );
}
