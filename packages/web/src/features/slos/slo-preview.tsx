import { useMemo } from 'react';
import { useAnswer } from '../../alerting/use-answer.ts';
import { Chart } from '../../ui/chart/chart.tsx';
import type { ChartWindow } from '../../ui/chart/options.ts';
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

interface Props {
  indicator: Indicator;
  objective: number | undefined;
  environment: string | undefined;
}

/** Good and bad events of the last day, as the draft counts them. `indicator` is undefined while parts of it are missing. */
export function SloPreview({ indicator, ...rest }: Omit<Props, 'indicator'> & { indicator: Indicator | undefined }) {
  return (
    <Panel title="The last day">
      {indicator === undefined ? (
        <span className="dim">Say what is counted to see good and bad events here.</span>
      ) : (
        <Preview indicator={indicator} {...rest} />
      )}
    </Panel>
  );
}

/** The queries of an indicator over the last day, and the events that they count. */
function useCounted({ indicator, environment }: Pick<Props, 'indicator' | 'environment'>) {
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
  return { asked, isPromql, first, second, isPending, counted };
}

function Preview({ indicator, objective, environment }: Props) {
  const { asked, isPromql, first, second, isPending, counted } = useCounted({ indicator, environment });
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
  return (
    <Stack gap="sm">
      <Attained counted={counted} indicator={indicator} objective={objective} />
      {isPromql && indicator.kind === 'ratio' && (
        <span className="dim">
          An estimate: increases are extrapolated here, and counted exactly once the SLO is saved.
        </span>
      )}
      <Events counted={counted} window={first.data?.window} />
    </Stack>
  );
}

type Counted = NonNullable<ReturnType<typeof countedOf>>;

/** The share of good events, and what it costs. */
function Attained({ counted, indicator, objective }: Omit<Props, 'environment'> & { counted: Counted }) {
  const { good, total } = counted.sum;
  const noun = indicator.kind === 'slices' ? `slice of ${indicator.slice}` : 'event';
  const nouns = indicator.kind === 'slices' ? `slices of ${indicator.slice}` : 'events';
  return (
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
  );
}

function Events({ counted: { times, bad, good }, window }: { counted: Counted; window: ChartWindow | undefined }) {
  const scheme = useComputedColorScheme();
  const series = useMemo(
    () => [
      { label: 'Bad', colour: seriesColour(4, scheme), values: bad },
      { label: 'Good', colour: seriesColour(2, scheme), values: good },
    ],
    [bad, good, scheme],
  );
  return (
    <Chart
      label="Good and bad events of the last day"
      times={times}
      series={series}
      window={window}
      kind="stack"
      height={180}
    />
  );
}
