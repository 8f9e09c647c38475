import { previewAlertRule, type RouteResponse } from '@fanion/contract';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Symptom } from '../../alerting/symptom-rules.ts';
import { useAnswer } from '../../alerting/use-answer.ts';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';
import { completenessTexts } from '../../telemetry/completeness.ts';
import { axisFormat, resultCharts } from '../../telemetry/results.ts';
import { Chart } from '../../ui/chart/chart.tsx';
import type { Threshold } from '../../ui/chart/threshold-line.tsx';
import { countOf, formatMilliseconds } from '../../ui/format/index.ts';
import { AppLink } from '../../ui/link.tsx';
import { Button, Group, Select, Stack, useComputedColorScheme } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { ErrorNotice, Loading, Notice } from '../../ui/states.tsx';
import { resolveRange } from '../../ui/time/time-range.ts';
import { Timestamp } from '../../ui/timestamp.tsx';
import { LabelList } from './alert-state.tsx';
import classes from './alerts.module.css';
import { type FiringSpan, firingSpans } from './firing-spans.ts';
import { bodyOf, charted, compares, milliseconds, missingParts, type RuleDraft, windowOf } from './rule-draft.ts';
import { formatOf } from './rule-symptom.ts';
import { SuggestedThreshold, useSuggestion } from './suggestion.tsx';

type Preview = RouteResponse<typeof previewAlertRule>;

const PERIODS = [
  { value: 'now-1h', label: 'Last hour' },
  { value: 'now-6h', label: 'Last 6 hours' },
  { value: 'now-1d', label: 'Last day' },
  { value: 'now-7d', label: 'Last 7 days' },
  { value: 'now-30d', label: 'Last 30 days' },
];
/** A chart with more buckets is slow to draw, and hardly wider than this many pixels. A week of five minutes has fewer. */
const mostBuckets = 2_100;
/** The most values of all series of the chart. */
const mostRows = 50_000;

interface Props {
  draft: RuleDraft;
  /** What was chosen to watch; null for a rule whose query was written. */
  symptom: Symptom | null;
  environment: string | undefined;
  onThreshold: (threshold: string) => void;
}

/** What the rule would have done: its values with the threshold to drag, and the instances that would have fired. */
export function RulePreview(props: Props) {
  const { draft, symptom, environment, onThreshold } = props;
  const [chosen, setPeriod] = useState<string | null>(null);
  // A threshold is chosen by what is usual.
  const period = chosen ?? (symptom === null ? 'now-1h' : 'now-7d');
  const past = useSuggestion(draft, symptom, environment);
  const preview = useBacktest(period, environment);
  const incomplete = Object.keys(missingParts(draft)).length > 0;
  return (
    <Panel
      title="Preview"
      actions={
        <Group gap="xs">
          <Select
            aria-label="Period of the preview"
            size="xs"
            w={140}
            data={PERIODS}
            value={period}
            onChange={(next) => next !== null && setPeriod(next)}
          />
          <Button
            size="xs"
            variant="default"
            disabled={incomplete}
            loading={preview.isPending}
            onClick={() => preview.mutate(draft)}
          >
            Run over the past
          </Button>
        </Group>
      }
    >
      <Stack gap="md">
        {past !== undefined && (
          <SuggestedThreshold
            past={past}
            symptom={symptom}
            draft={draft}
            onTake={(threshold) => onThreshold(String(threshold))}
          />
        )}
        <Values
          {...props}
          period={period}
          suggested={past?.state === 'suggested' ? past.suggestion.threshold : undefined}
        />
        <ErrorNotice error={preview.error} />
        {preview.data?.window && <Backtest preview={preview.data.data} window={preview.data.window} />}
      </Stack>
    </Panel>
  );
}

/** Runs a rule over a period of the past. */
function useBacktest(period: string, environment: string | undefined) {
  const { ws, project } = useScope();
  return useMutation({
    mutationFn: async (of: RuleDraft) => {
      const window = resolveRange({ from: period, to: 'now' }, Date.now());
      const { data } = await call(previewAlertRule, {
        params: { ws },
        body: {
          ...bodyOf({ ...of, name: of.name.trim() || 'preview' }),
          project,
          ...(environment !== undefined && { environment }),
          from: period,
          to: 'now',
        },
      });
      return { data, window };
    },
  });
}

/** The values that the rule sees over time. `suggested` is where the line is as long as there is no threshold. */
function Values({
  draft,
  symptom,
  environment,
  onThreshold,
  period,
  suggested,
}: Props & { period: string; suggested: number | undefined }) {
  const scheme = useComputedColorScheme();
  const bucket = windowOf(draft);
  const widthMs = milliseconds(bucket);
  const range = useMemo(() => ({ from: period, to: 'now' }), [period]);
  const window = resolveRange(range, Date.now());
  const buckets = widthMs === undefined || window === null ? 0 : (window.to - window.from) / widthMs;
  const query = buckets > 0 && buckets <= mostBuckets ? charted(draft, bucket) : null;
  const { language } = draft;
  const answer = useAnswer(query, { range, environment, limit: mostRows, language });
  const chart = useMemo(() => {
    const charts = answer.data === undefined ? [] : resultCharts(answer.data.result, scheme);
    return charts.find(({ measure }) => measure === 'value') ?? charts[0];
  }, [answer.data, scheme]);
  if (draft.query.trim() === '')
    return (
      <span className="dim">Choose what to watch, or write a query, to see its values and the threshold here.</span>
    );
  if (buckets > mostBuckets)
    return (
      <span className="dim">
        The values of each {bucket} of this period are too many for a chart. Choose a shorter period, or run the rule
        over the past.
      </span>
    );
  if (query === null)
    return (
      <span className="dim">
        The values of this query cannot be drawn over time. Run the rule over the past to see when it fires.
      </span>
    );
  if (answer.isError) return <ErrorNotice error={answer.error} />;
  if (answer.isPending) return <Loading label="Loading the values" />;
  if (chart === undefined || chart.times.length === 0)
    return <span className="dim">The query returned no values in this period.</span>;
  return (
    <>
      {answer.data.truncated && (
        <Notice kind="warning">The period has more values than are shown. Choose a shorter one.</Notice>
      )}
      <Chart
        label="Values of the rule"
        times={chart.times}
        series={chart.series}
        window={answer.data.window}
        format={formatOf(symptom) ?? axisFormat(chart.type)}
        height={240}
        threshold={thresholdOf(draft, suggested, onThreshold)}
      />
    </>
  );
}

/** The line of the threshold; at what is suggested, and without a color, until there is one. */
function thresholdOf(
  draft: RuleDraft,
  suggested: number | undefined,
  onThreshold: (threshold: string) => void,
): Threshold | undefined {
  const { kind, threshold } = draft;
  const isSet = threshold.trim() !== '' && Number.isFinite(Number(threshold));
  const value = isSet ? Number(threshold) : suggested;
  if (kind !== 'threshold' || !compares(draft) || value === undefined) return undefined;
  return {
    value,
    label: 'Threshold',
    ...(!isSet && { tone: 'neutral' }),
    onChange: (next) => onThreshold(String(next)),
  };
}

/** When each instance would have been pending and firing. */
function Backtest({ preview, window }: { preview: Preview; window: { from: number; to: number } }) {
  const { instances, caught, evaluations, failed, error, step, cost, truncated, completeness } = preview;
  const lanes = instances.map(({ labels, transitions }) => ({ labels, spans: firingSpans(transitions, window.to) }));
  const firings = lanes.reduce((sum, { spans }) => sum + spans.filter(({ tone }) => tone === 'firing').length, 0);
  return (
    <section aria-label="Backtest">
      <Stack gap="sm">
        <span>
          {firings === 0 ? 'It would not have fired' : `It would have fired ${countOf(firings, 'time')}`} in{' '}
          {countOf(evaluations, 'evaluation')} (one every {step}).{' '}
          <span className="dim">
            {countOf(cost.rows_read, 'row')} read in {formatMilliseconds(cost.took_ms)}
          </span>
        </span>
        {failed > 0 && (
          <Notice kind="warning">
            {countOf(failed, 'evaluation')} failed: {error}
          </Notice>
        )}
        {completenessTexts(completeness).map((text) => (
          <Notice key={text} kind="info">
            {text}
          </Notice>
        ))}
        {truncated && <Notice kind="warning">Further instances fired; {instances.length} are shown.</Notice>}
        <ul className={classes.lanes}>
          {lanes.map(({ labels, spans }) => (
            <li key={JSON.stringify(labels)} className={classes.lane}>
              <LabelList labels={labels} />
              <Lane spans={spans} window={window} />
            </li>
          ))}
        </ul>
        <Caught caught={caught} />
      </Stack>
    </section>
  );
}

/** Changes of flags that the rule would have caught. */
function Caught({ caught }: Pick<Preview, 'caught'>) {
  const scope = useScope();
  if (caught === null || caught.length === 0) return null;
  return (
    <section aria-label="Changes of flags before it fired">
      <h3>Changes of flags before it fired</h3>
      <ul className={classes.findings}>
        {caught.map(({ time, name, detail, environment, actor, fired_at }) => (
          <li key={`${time} ${name} ${detail}`}>
            <Timestamp value={time} />{' '}
            <AppLink className="mono" to="/w/$ws/$project/flags/$key" params={{ ...scope, key: name }}>
              {name}
            </AppLink>{' '}
            <span className="dim">
              {detail.replaceAll('_', ' ')}
              {environment !== null && ` in ${environment}`}
              {actor !== null && ` by ${actor}`}, {formatMilliseconds(Date.parse(fired_at) - Date.parse(time))} before
              it fired
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Lane({ spans, window }: { spans: readonly FiringSpan[]; window: { from: number; to: number } }) {
  const width = window.to - window.from;
  const percent = (ms: number) => `${Math.min(100, Math.max(0, (100 * ms) / width))}%`;
  return (
    <span className={classes.bar}>
      {spans.map(({ from, to, tone }) => (
        <i
          key={`${from}-${tone}`}
          data-tone={tone}
          title={`${tone} ${formatMilliseconds(to - from)}`}
          style={{ left: percent(from - window.from), width: percent(to - from) }}
        />
      ))}
    </span>
  );
}
