import { Fact, Facts } from '../../ui/facts.tsx';
import { formatExact, formatPercent } from '../../ui/format/index.ts';
import { Modal, Stack } from '../../ui/mantine.ts';
import { differenceText, intervalText, liftText, pText } from './experiment-words.ts';
import classes from './experiments.module.css';
import { methodsOf } from './how-computed.ts';
import type { Experiment, MeasuredMetric, VariantNumbers } from './queries.ts';

/** The statistics behind one verdict: every number, with its formula and source. */
export function StatisticsDialog({
  experiment,
  goals,
  shown,
  onClose,
}: {
  experiment: Experiment;
  /** Comparisons that are corrected together. */
  goals: number;
  shown: { readonly metric: MeasuredMetric; readonly numbers: VariantNumbers } | null;
  onClose: () => void;
}) {
  const title = shown === null ? '' : `${shown.metric.name}: ${shown.numbers.variant} against ${experiment.control}`;
  return (
    <Modal opened={shown !== null} onClose={onClose} title={title} size={720}>
      {shown !== null && <Statistics experiment={experiment} goals={goals} {...shown} />}
    </Modal>
  );
}

function Statistics({
  experiment,
  goals,
  metric,
  numbers,
}: {
  experiment: Experiment;
  goals: number;
  metric: MeasuredMetric;
  numbers: VariantNumbers;
}) {
  const { role, variants } = metric;
  const control = variants.find(({ verdict }) => verdict === 'control');
  const { absolute, power, days_left: days, chance_to_win: chance, risk } = numbers;
  const { alpha, minimal_effect: effect } = experiment.analysis;
  const rows: readonly (readonly [string, string])[] = [
    ['Units', `${formatExact(numbers.n)} against ${formatExact(control?.n ?? 0)}`],
    ['Mean', `${exact(numbers.mean)} against ${exact(control?.mean ?? null)}`],
    ['Difference', differenceText(metric, absolute?.difference ?? null)],
    [
      `Interval of ${formatPercent(1 - alpha)}`,
      absolute?.interval ? absolute.interval.map((end) => differenceText(metric, end)).join(' to ') : '–',
    ],
    ['Change', `${liftText(numbers.lift)}, ${intervalText(numbers.lift_interval)}`],
    ['p-value', pText(absolute?.p_value ?? null)],
    ['p-value, corrected', role === 'guardrail' ? 'guardrails are not corrected' : pText(numbers.p_value_adjusted)],
    ...(chance === null ? [] : [['Chance to win', formatPercent(chance)] as const]),
    ...(risk === null ? [] : [['Expected loss', differenceText(metric, risk)] as const]),
    ['Power', power === null ? '–' : `${formatPercent(power)} to detect a change of ${formatPercent(effect)}`],
    ['Days to 80%', days === null ? '–' : formatExact(days)],
  ];
  return (
    <Stack gap="md">
      <Facts label="Numbers">
        {rows.map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
      </Facts>
      {methodsOf(experiment, metric.kind, goals).map(({ title, words, formula, source }) => (
        <section key={title} aria-label={title}>
          <h3>{title}</h3>
          <p>{words}</p>
          <code className={classes.formula}>{formula}</code>
          <p className="dim">{source}</p>
        </section>
      ))}
    </Stack>
  );
}

/** Six significant digits. */
function exact(mean: number | null): string {
  return mean === null ? '–' : String(Number(mean.toPrecision(6)));
}
