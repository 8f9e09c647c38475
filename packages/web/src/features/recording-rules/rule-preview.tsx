import { previewRecordingRule } from '@fanion/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { routeQuery } from '../../api/queries.ts';
import { useScope } from '../../app/session.ts';
import { useOql } from '../../telemetry/oql.ts';
import { axisFormat, resultCharts } from '../../telemetry/results.ts';
import { Chart } from '../../ui/chart/chart.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { countOf } from '../../ui/format/index.ts';
import { Stack, useComputedColorScheme, useDebouncedValue } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { ErrorNotice, Loading } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { charted, milliseconds } from '../alerts/rule-draft.ts';
import { valueText } from '../alerts/value-text.ts';
import { type PreviewedStep, shownStep } from './preview-rules.ts';
import { bodyOf, problemsOf, type RuleDraft } from './rule-draft.ts';

/** How long typing rests before the preview asks; milliseconds. */
const restMs = 500;

/** Steps that the chart shows. */
const stepsShown = 60;

interface PreviewProps {
  draft: RuleDraft;
  environment: string | undefined;
  /** The rule that is edited. */
  replaces: string | undefined;
}

/** What the rule would write. */
export function RulePreview({ draft, ...place }: PreviewProps) {
  const [settled] = useDebouncedValue(draft, restMs);
  const { name: _name, ...problems } = problemsOf(settled);
  return (
    <Panel title="Preview">
      {Object.keys(problems).length === 0 ? (
        <Answer draft={settled} {...place} />
      ) : (
        <span className="dim">Write a query to see what a step writes.</span>
      )}
    </Panel>
  );
}

function Answer({ draft, environment, replaces }: PreviewProps) {
  const { ws, project } = useScope();
  // What is written does not depend on the name, which is typed last.
  const rule = { ...draft, name: draft.name.trim() === '' ? 'preview' : draft.name, backfill_from: '' };
  const body = {
    ...bodyOf(rule, true),
    project,
    ...(environment !== undefined && { environment }),
    ...(replaces !== undefined && { replaces }),
  };
  const { data, error } = useQuery({
    ...routeQuery(previewRecordingRule, { params: { ws }, body }),
    placeholderData: keepPreviousData,
  });
  if (error) return <ErrorNotice error={error} />;
  if (data === undefined) return <Loading label="Running the query" />;
  const step = shownStep(data.steps);
  if (step === undefined) return <span className="dim">No step is due yet.</span>;
  return (
    <Stack gap="md">
      <Step step={step} />
      <LastSteps draft={draft} />
    </Stack>
  );
}

/** The values of the last steps, as far as the query can be charted. */
function LastSteps({ draft }: { draft: RuleDraft }) {
  const { every, language } = draft;
  const scheme = useComputedColorScheme();
  const seconds = (milliseconds(every) ?? 0) / 1_000;
  const range = useMemo(() => ({ from: `now-${stepsShown * seconds}s`, to: 'now' }), [seconds]);
  const { data } = useOql(seconds > 0 ? charted(draft, every.trim()) : null, { range, keep: true, language });
  const chart = useMemo(() => {
    const charts = data === undefined ? [] : resultCharts(data.result, scheme);
    return charts.find(({ measure }) => measure === 'value') ?? charts[0];
  }, [data, scheme]);
  // Without it, the step above still says what is written.
  if (data === undefined || chart === undefined || chart.times.length === 0) return null;
  return (
    <Chart
      label={`Values of the last ${stepsShown} steps`}
      times={chart.times}
      series={chart.series}
      window={data.window}
      format={axisFormat(chart.type)}
      height={200}
    />
  );
}

function Step({ step: { from, to, complete, series, points } }: { step: PreviewedStep }) {
  return (
    <Stack gap="sm">
      <span>
        {series === 0 ? 'No series' : countOf(series, 'series', 'series')} in the step from <Timestamp value={from} />{' '}
        to <Timestamp value={to} />
        {!complete && ', which has not ended'}
      </span>
      {points.length > 0 && (
        <DataTable
          label="What a step writes"
          rows={points}
          rowKey={({ labels }) => JSON.stringify(labels)}
          columns={[
            {
              id: 'labels',
              header: 'Labels',
              cell: ({ labels }) => (
                <span className="mono">
                  {Object.entries(labels)
                    .map(([name, value]) => `${name}=${value}`)
                    .join(', ') || 'none'}
                </span>
              ),
            },
            { id: 'value', header: 'Value', numeric: true, width: 120, cell: ({ value }) => valueText(value, false) },
          ]}
        />
      )}
      {series > points.length && <span className="dim">and {series - points.length} more series</span>}
    </Stack>
  );
}
