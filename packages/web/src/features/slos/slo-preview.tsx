import { useMemo } from 'react';
import { useAnswer } from '../../alerting/use-answer.ts';
import { Chart } from '../../ui/chart/chart.tsx';
import { seriesColour } from '../../ui/colours.ts';
import { countOf, formatNumber } from '../../ui/format/index.ts';
import { Stack, useComputedColorScheme } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { ErrorNotice, Loading } from '../../ui/states.tsx';
import { countedOf, hasSeveralSeries, previewQueries } from './preview-rules.ts';
import type { Indicator } from './queries.ts';
import { attainmentText, objectiveText, spentText } from './slo-words.ts';

const LAST_DAY = { from: 'now-1d', to: 'now' };
/** Slices of a minute in a day, and some room. */
const mostSteps = 1_500;

/** Good and bad events of the last day, as the draft counts them. */
export function SloPreview({
  indicator,
  objective,
  environment,
}: {
  /** Undefined while parts of it are missing. */
  indicator: Indicator | undefined;
  objective: number | undefined;
  environment: string | undefined;
}) {
  return (
    <Panel title="The last day">
      {indicator === undefined ? (
        <span className="dim">Say what is counted to see good and bad events here.</span>
      ) : (
        <Preview indicator={indicator} objective={objective} environment={environment} />
      )}
    </Panel>
  );
}

function Preview({
  indicator,
  objective,
  environment,
}: {
  indicator: Indicator;
  objective: number | undefined;
  environment: string | undefined;
}) {
  const scheme = useComputedColorScheme();
  const asked = useMemo(() => previewQueries(indicator), [indicator]);
  const isPromql = asked.step !== undefined;
  const how = {
    range: LAST_DAY,
    environment,
    limit: mostSteps,
    ...(isPromql && { language: 'promql' as const, step: asked.step }),
  };
  const first = useAnswer(asked.first, how);
  const second = useAnswer(asked.second, how);
  const isPending = first.isPending || (asked.second !== null && second.isPending);
  const counted = useMemo(
    () => (isPending || first.data === undefined ? null : countedOf(indicator, first.data.result, second.data?.result)),
    [isPending, indicator, first.data, second.data],
  );
  const series = useMemo(
    () =>
      counted === null
        ? []
        : [
            { label: 'Bad', colour: seriesColour(4, scheme), values: counted.bad },
            { label: 'Good', colour: seriesColour(2, scheme), values: counted.good },
          ],
    [counted, scheme],
  );
  const error = first.error ?? second.error;
  if (asked.first === null || (indicator.kind === 'ratio' && asked.second === null))
    return isPromql ? (
      <span className="dim">
        Events are counted by minute: give each selector the range <code>[1m]</code>.
      </span>
    ) : (
      <span className="dim">
        This query cannot be asked step by step. End it with an aggregate, such as <code>stats value=count()</code>.
      </span>
    );
  if (error) return <ErrorNotice error={error} />;
  if (isPending) return <Loading label="Counting the last day" />;
  if (isPromql && [first, second].some(({ data }) => data !== undefined && hasSeveralSeries(data.result)))
    return (
      <span className="dim">
        The expression returns several series. Aggregate them, as in <code>sum(…)</code>.
      </span>
    );
  if (counted === null || counted.sum.total === 0)
    return <span className="dim">There were no events in the last day.</span>;
  const { good, total } = counted.sum;
  const noun = indicator.kind === 'slices' ? `slice of ${indicator.slice}` : 'event';
  const nouns = indicator.kind === 'slices' ? `slices of ${indicator.slice}` : 'events';
  return (
    <Stack gap="sm">
      <span>
        <b>{attainmentText(good / total, objective ?? 0.999)}</b>: {formatNumber(good)} of {countOf(total, noun, nouns)}{' '}
        {total === 1 ? 'was' : 'were'} good.
        {objective !== undefined && (
          <>
            {' '}
            With an objective of {objectiveText(objective)}, the day spent {spentText(good / total, objective)} of its
            budget.
          </>
        )}
      </span>
      {isPromql && indicator.kind === 'ratio' && (
        <span className="dim">
          An estimate: increases are extrapolated here, and counted exactly once the SLO is saved.
        </span>
      )}
      <Chart
        label="Good and bad events of the last day"
        times={counted.times}
        series={series}
        window={first.data?.window}
        kind="stack"
        height={180}
      />
    </Stack>
  );
}
