import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCan, useScope } from '../../app/session.ts';
import { countOf, formatNumber } from '../../ui/format/index.ts';
import { TextInput, useDebouncedValue } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { ErrorNotice, Loading, Notice } from '../../ui/states.tsx';
import { meanText } from '../judging/judging-words.ts';
import { metricsQuery } from '../judging/queries.ts';
import { type ExperimentDraft, shareOf } from './experiment-draft.ts';
import classes from './experiments.module.css';
import { EffectSlider, PowerPlan } from './power-plan.tsx';
import { calculatorQuery, ownNumbersQuery } from './queries.ts';

/** How long dragging rests before the calculator is asked; milliseconds. */
const restMs = 150;

/** How long the experiment of a form will take, by the units that its flag had in the last days. */
export function PowerPanel({ draft, onEffect }: { draft: ExperimentDraft; onEffect: (percent: string) => void }) {
  const { ws, project } = useScope();
  const canQuery = useCan('telemetry:query');
  const { data: metrics = [] } = useQuery(metricsQuery(ws, project));
  const goal = metrics.find(({ id, key }) => id === draft.goals[0] || key === draft.goals[0]);
  const isReady = goal !== undefined && draft.flag !== '' && draft.environment !== '';
  return (
    <Panel title="How long will it take?">
      {!canQuery ? (
        <span className="dim">You need the permission telemetry:query to see your traffic.</span>
      ) : isReady ? (
        <Measured draft={draft} goal={goal} onEffect={onEffect} />
      ) : (
        <span className="dim">Choose a flag, an environment and a metric that decides to see how long it takes.</span>
      )}
    </Panel>
  );
}

function Measured({
  draft,
  goal,
  onEffect,
}: {
  draft: ExperimentDraft;
  goal: { readonly id: string; readonly key: string; readonly name: string; readonly kind: string };
  onEffect: (percent: string) => void;
}) {
  const scope = useScope();
  const { flag, environment } = draft;
  const own = useQuery({ ...ownNumbersQuery(scope, { metric: goal.id, flag, environment }), retry: false });
  const effect = shareOf(draft.minimal_effect) ?? 0.05;
  const numbers = own.data;
  const daily = numbers?.daily === null || numbers === undefined ? 0 : numbers.daily * partOf(draft);
  const [asked] = useDebouncedValue(
    {
      kind: goal.kind,
      baseline: String(numbers?.baseline ?? 0),
      stddev: String(numbers?.stddev ?? 0),
      effect: String(effect),
      alpha: String(shareOf(draft.alpha) ?? 0.05),
      arms: String(Math.max(2, draft.variants.filter(({ weight }) => weight > 0).length)),
      daily: String(daily),
    },
    restMs,
  );
  const plan = useQuery({
    ...calculatorQuery(scope, asked),
    enabled: numbers !== undefined && asked.baseline !== '0',
    placeholderData: keepPreviousData,
    retry: false,
  });
  if (own.error)
    return (
      <Notice kind="info">
        There is not enough traffic to plan with: <ErrorNotice error={own.error} />
      </Notice>
    );
  if (numbers === undefined) return <Loading label="Measuring the units of the flag" />;
  return (
    <div className={classes.stack}>
      <p>
        In the last {countOf(numbers.measured_days ?? 14, 'day')} {flag} was seen by{' '}
        {countOf(numbers.daily ?? 0, 'new unit')} a day. {goal.name} was <b>{meanText(goal, numbers.baseline)}</b>
        {numbers.stddev > 0 && <span className="dim"> (standard deviation {formatNumber(numbers.stddev)})</span>}.
      </p>
      <EffectSlider effect={effect} onChange={(next) => onEffect(String(Number((next * 100).toPrecision(2))))} />
      <ErrorNotice error={plan.error} />
      {plan.data && <PowerPlan plan={plan.data} />}
      <TextInput
        label="An effect as a result"
        readOnly
        value={`${meanText(goal, numbers.baseline)} to ${meanText(goal, numbers.baseline * (1 + effect))}`}
      />
    </div>
  );
}

/** The part of all units that takes part. */
function partOf({ share }: ExperimentDraft): number {
  return Math.min(1, shareOf(share) ?? 1);
}
