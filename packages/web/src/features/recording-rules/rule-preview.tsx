import { previewRecordingRule } from '@fanion/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { routeQuery } from '../../api/queries.ts';
import { useScope } from '../../app/session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { countOf, formatNumber } from '../../ui/format/index.ts';
import { Stack, useDebouncedValue } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { ErrorNotice, Loading } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { type PreviewedStep, shownStep } from './preview-rules.ts';
import { bodyOf, problemsOf, type RuleDraft } from './rule-draft.ts';

/** How long typing rests before the preview asks; milliseconds. */
const restMs = 500;

/** What the rule would write. */
export function RulePreview({ draft, environment }: { draft: RuleDraft; environment: string | undefined }) {
  const [settled] = useDebouncedValue(draft, restMs);
  const { name: _name, ...problems } = problemsOf(settled);
  return (
    <Panel title="One step">
      {Object.keys(problems).length === 0 ? (
        <Answer draft={settled} environment={environment} />
      ) : (
        <span className="dim">Write a query to see what a step writes.</span>
      )}
    </Panel>
  );
}

function Answer({ draft, environment }: { draft: RuleDraft; environment: string | undefined }) {
  const { ws, project } = useScope();
  // What is written does not depend on the name, which is typed last.
  const rule = { ...draft, name: draft.name.trim() === '' ? 'preview' : draft.name, backfill_from: '' };
  const body = { ...bodyOf(rule, true), project, ...(environment !== undefined && { environment }) };
  const { data, error } = useQuery({
    ...routeQuery(previewRecordingRule, { params: { ws }, body }),
    placeholderData: keepPreviousData,
  });
  if (error) return <ErrorNotice error={error} />;
  if (data === undefined) return <Loading label="Asking the query" />;
  const step = shownStep(data.steps);
  return step === undefined ? <span className="dim">No step is due yet.</span> : <Step step={step} />;
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
            { id: 'value', header: 'Value', numeric: true, width: 120, cell: ({ value }) => formatNumber(value) },
          ]}
        />
      )}
      {series > points.length && <span className="dim">and {series - points.length} more series</span>}
    </Stack>
  );
}
