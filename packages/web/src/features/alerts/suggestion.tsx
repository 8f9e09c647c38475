import { useMemo } from 'react';
import type { Symptom } from '../../alerting/symptom-rules.ts';
import { useAnswer } from '../../alerting/use-answer.ts';
import { countOf, formatTimestamp } from '../../ui/format/index.ts';
import { Button, Group } from '../../ui/mantine.ts';
import { chartQuery, milliseconds, type RuleDraft, windowOf } from './rule-draft.ts';
import { formatOf } from './rule-symptom.ts';
import { heldWindows, LEAST_VALUES, pastSeries, type Suggestion, suggestThreshold } from './suggestion-rules.ts';

const LAST_WEEK = { from: 'now-7d', to: 'now' };
/** The most values of the past that are read; the server returns no more rows. */
const MOST_VALUES = 50_000;
const DAY_MS = 86_400_000;
/** Bounds of thresholds: one failed request is no outage, and a share of 1 or a rate of 0 is never crossed. */
const BOUNDS: Readonly<Partial<Record<Symptom['kind'], { least?: number; never?: number }>>> = {
  errors: { least: 0.01, never: 1 },
  traffic: { never: 0 },
};

/** `since`: when the values begin, if that is later than the period. */
export type Past =
  | { readonly state: 'asking' | 'too many' | 'too few' | 'noisy' }
  | { readonly state: 'suggested'; readonly suggestion: Suggestion; readonly since: number | undefined };

/** The threshold that the last week suggests; undefined for a rule without one, and where the past cannot be read. */
export function useSuggestion(
  draft: RuleDraft,
  symptom: Symptom | null,
  environment: string | undefined,
): Past | undefined {
  const { kind, query, op } = draft;
  const window = windowOf(draft);
  const widthMs = milliseconds(window);
  const forMs = milliseconds(draft.for) ?? 0;
  const ordered = kind === 'threshold' && op !== 'any' && op !== '==' && op !== '!=' ? op : undefined;
  const asked = symptom === null || ordered === undefined || widthMs === undefined ? null : chartQuery(query, window);
  const { data, isError, isPlaceholderData } = useAnswer(asked, { range: LAST_WEEK, environment, limit: MOST_VALUES });
  const bounds = symptom === null ? undefined : BOUNDS[symptom.kind];
  return useMemo((): Past | undefined => {
    if (asked === null || ordered === undefined || widthMs === undefined || isError) return undefined;
    if (data === undefined || isPlaceholderData) return { state: 'asking' };
    if (data.truncated) return { state: 'too many' };
    const { series, since } = pastSeries(data.result, widthMs, data.window?.partial ?? []);
    const suggestion = suggestThreshold(series, { op: ordered, heldWindows: heldWindows(forMs, widthMs), ...bounds });
    if (suggestion === null) {
      const count = series.flat().filter((value) => value !== null).length;
      return { state: count < LEAST_VALUES ? 'too few' : 'noisy' };
    }
    const isLate = since !== undefined && data.window !== undefined && since > data.window.from + DAY_MS;
    return { state: 'suggested', suggestion, since: isLate ? since : undefined };
  }, [asked, widthMs, forMs, ordered, bounds, data, isError, isPlaceholderData]);
}

const NO_SUGGESTION = {
  asking: 'Reading the last 7 days to suggest a threshold…',
  'too many': 'There are too many series to suggest a threshold. Split by fewer fields, or choose a longer window.',
  'too few': `A threshold is suggested once there are ${LEAST_VALUES} values. Type one meanwhile.`,
  noisy: 'No threshold would have fired three times or fewer in the last 7 days. Type one, or set a longer “For”.',
} as const;

/** The suggestion as a sentence, with a button that takes it. */
export function SuggestedThreshold({
  past,
  symptom,
  draft,
  onTake,
}: {
  past: Past;
  symptom: Symptom | null;
  draft: RuleDraft;
  onTake: (threshold: number) => void;
}) {
  const format = formatOf(symptom) ?? String;
  if (past.state !== 'suggested')
    return (
      <span className="dim" role="status">
        {NO_SUGGESTION[past.state]}
      </span>
    );
  const { of, value, threshold, firings } = past.suggestion;
  const period = past.since === undefined ? 'of the last 7 days' : `since ${formatTimestamp(past.since)}`;
  const would = firings === 0 ? 'would not have fired' : `would have fired ${countOf(firings, 'time')}`;
  return (
    <Group gap="sm" role="status" wrap="nowrap" justify="space-between">
      <span>
        {of} {period} is {format(value)}, by windows of {windowOf(draft)}. At {format(threshold)}, the rule {would}.
      </span>
      <Button size="xs" variant="light" flex="none" onClick={() => onTake(threshold)}>
        Use {format(threshold)}
      </Button>
    </Group>
  );
}
