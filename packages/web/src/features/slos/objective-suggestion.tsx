import { useMemo } from 'react';
import { useAnswer } from '../../alerting/use-answer.ts';
import { asRecords, plainText } from '../../telemetry/results.ts';
import { countOf, formatExact, formatTimestamp, toDate } from '../../ui/format/index.ts';
import { Button, Group } from '../../ui/mantine.ts';
import type { Indicator } from './queries.ts';
import { objectiveOf, type SloDraft } from './slo-draft.ts';
import { suggestObjective } from './slo-symptom.ts';
import { attainmentText, objectiveText, spentText } from './slo-words.ts';

const LAST_MONTH = { from: 'now-30d', to: 'now' };
const DAY_MS = 86_400_000;

/** What the last 30 days attained, the budget that they would have spent, and the objective that they suggest. */
export function ObjectiveSuggestion({
  draft,
  indicator,
  environment,
  onTake,
}: {
  draft: SloDraft;
  indicator: Indicator | undefined;
  environment: string | undefined;
  onTake: (objective: string) => void;
}) {
  const query = useMemo(
    () =>
      indicator?.kind === 'events'
        ? `${indicator.source}\n| stats total=count(), good=count((${indicator.good}\n)), first=min(time)`
        : null,
    [indicator],
  );
  const { data, isError, isPlaceholderData } = useAnswer(query, { range: LAST_MONTH, environment });
  // The preview beside it says what is wrong with the query.
  if (query === null || isError) return null;
  if (data === undefined || isPlaceholderData)
    return (
      <span className="dim" role="status">
        Counting the last 30 days…
      </span>
    );
  const row = asRecords(data.result)[0] ?? {};
  const [good, total] = [Number(row.good ?? 0), Number(row.total ?? 0)];
  if (total === 0)
    return (
      <span className="dim" role="status">
        There were no events in the last 30 days to suggest an objective from.
      </span>
    );
  const first = toDate(plainText(row.first))?.getTime();
  const isLate = first !== undefined && data.window !== undefined && first > data.window.from + DAY_MS;
  const period = isLate ? `since ${formatTimestamp(first)}` : 'of the last 30 days';
  const objective = objectiveOf(draft);
  const suggested = suggestObjective({ good, total });
  return (
    <Group gap="sm" role="status" wrap="nowrap" justify="space-between">
      <span>
        {formatExact(good)} of {countOf(total, 'event')} {period} were good:{' '}
        {attainmentText(good / total, objective ?? 0.999)}.
        {objective !== undefined &&
          ` At ${objectiveText(objective)}, they would have spent ${spentText(good / total, objective)} of their error budget.`}
        {suggested === undefined && ' That is too few to suggest an objective.'}
      </span>
      {suggested !== undefined && suggested !== Number(draft.objective) && (
        <Button size="xs" variant="light" flex="none" onClick={() => onTake(String(suggested))}>
          Use {suggested}%
        </Button>
      )}
    </Group>
  );
}
