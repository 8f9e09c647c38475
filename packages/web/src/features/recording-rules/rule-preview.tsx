import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useScope } from '../../app/session.ts';
import { oqlQuery } from '../../telemetry/oql.ts';
import { ResultTable } from '../../telemetry/result-table.tsx';
import { countOf } from '../../ui/format/index.ts';
import { Stack, useDebouncedValue } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { ErrorNotice, Loading } from '../../ui/states.tsx';
import { milliseconds } from '../alerts/rule-draft.ts';
import type { RuleDraft } from './rule-draft.ts';

/** How long typing rests before the preview asks; milliseconds. */
const restMs = 500;
const shownRows = 100;

/** What the rule would write for the step that is over now. */
export function RulePreview({ draft, environment }: { draft: RuleDraft; environment: string | undefined }) {
  const [{ query, every }] = useDebouncedValue(draft, restMs);
  const canAsk = query.trim() !== '' && milliseconds(every) !== undefined;
  return (
    <Panel title="One step">
      {canAsk ? (
        <Answer query={query.trim()} every={every.trim()} environment={environment} />
      ) : (
        <span className="dim">Write a query to see what a step writes.</span>
      )}
    </Panel>
  );
}

function Answer({ query, every, environment }: { query: string; every: string; environment: string | undefined }) {
  const { ws, project } = useScope();
  const range = { from: `now-${every}`, to: 'now' };
  const { data, error } = useQuery({
    ...oqlQuery({ query, ws, project, environment, range, limit: shownRows }),
    placeholderData: keepPreviousData,
  });
  if (error) return <ErrorNotice error={error} />;
  if (data === undefined) return <Loading label="Asking the query" />;
  const { rows } = data.result;
  if (rows.length === 0) return <span className="dim">The query returned no rows for the last {every}.</span>;
  return (
    <Stack gap="sm">
      <span>
        {data.truncated ? `More than ${shownRows} series` : countOf(rows.length, 'series', 'series')} in the last{' '}
        {every}
      </span>
      <ResultTable result={data.result} label="What a step writes" />
    </Stack>
  );
}
