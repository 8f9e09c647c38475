import type { getExperimentResults, RouteResponse } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useScope } from '../../app/session.ts';
import { AppLink } from '../../ui/link.tsx';
import { ErrorState, Loading, Notice } from '../../ui/states.tsx';
import { StateLabel } from '../alerts/alert-state.tsx';
import { headlineOf, intervalText, liftText, verdictOf } from '../experiments/experiment-words.ts';
import { experimentQuery, resultsQuery } from '../experiments/queries.ts';
import classes from './dashboards.module.css';

/** The sentence that answers the question of an experiment, and its metrics by variant. */
export function ExperimentPanel({ id, label }: { id: string; label: string }) {
  const scope = useScope();
  const experiment = useQuery(experimentQuery(scope, id));
  const isDraft = experiment.data?.state === 'draft';
  const results = useQuery({ ...resultsQuery(scope, id), enabled: experiment.data !== undefined && !isDraft });
  const error = experiment.error ?? results.error;
  if (error) return <ErrorState compact error={error} />;
  if (experiment.data === undefined) return <Loading label={`Loading ${label}`} />;
  const { name, control, analysis } = experiment.data;
  const link = (
    <AppLink to="/w/$ws/$project/experiments/$id" params={{ ...scope, id }}>
      {name}
    </AppLink>
  );
  if (isDraft)
    return (
      <>
        {link}
        <p className="dim">The experiment has not started.</p>
      </>
    );
  if (results.data === undefined) return <Loading label={`Loading ${label}`} />;
  const { kind, text } = headlineOf({ control, effect: analysis.minimal_effect }, results.data);
  return (
    <>
      {link}
      <Notice kind={kind}>{text}</Notice>
      <MetricTable metrics={results.data.metrics} label={label} />
    </>
  );
}

function MetricTable({
  metrics,
  label,
}: {
  metrics: RouteResponse<typeof getExperimentResults>['metrics'];
  label: string;
}) {
  return (
    <table className={classes.experiment} aria-label={label}>
      <thead>
        <tr>
          <th scope="col">Metric</th>
          <th scope="col">Variant</th>
          <th scope="col">Change</th>
          <th scope="col">Verdict</th>
        </tr>
      </thead>
      <tbody>
        {metrics.flatMap(({ metric, name: metricName, error, variants }) =>
          error !== null
            ? [
                <tr key={metric}>
                  <td>{metricName}</td>
                  <td colSpan={3}>{error}</td>
                </tr>,
              ]
            : variants
                .filter(({ verdict }) => verdict !== 'control')
                .map((numbers) => (
                  <tr key={`${metric} ${numbers.variant}`}>
                    <td>{metricName}</td>
                    <td>{numbers.variant}</td>
                    <td className="num" title={intervalText(numbers.lift_interval)}>
                      {liftText(numbers.lift)}
                    </td>
                    <td>
                      <StateLabel {...verdictOf(numbers)} />
                    </td>
                  </tr>
                )),
        )}
      </tbody>
    </table>
  );
}
