import { withTemplates } from '@fanion/oql';
import {
  inOrderedWindow,
  inScope,
  type ScopedTelemetry,
  type TelemetryScope,
  windowParameters,
} from '../../../platform/scoped-telemetry.ts';
import type { Window } from '../../../platform/time-window.ts';
import { newErrors, parametersOf } from '../error-groups/index.ts';
import { leastItems } from './fold-rules.ts';
import type { SampledNovelty } from './input-rules.ts';
import type { WhyBudget } from './question.ts';
import { type CompiledRows, hashOf, sampledTraces, sampleLimits } from './store.ts';

/** New log patterns, and new errors: those of the most traces. */
const maxNovelties = 25;
/** Distinct shapes of log lines in the traces; of free text, some are left out. */
const maxShapes = 5_000;
/** Shapes of a pattern by which it is found again. */
const maxIds = 20;
/** The part of a body from which ingest computes its shape. */
const shapeBytes = 8_192;
const nameCharacters = 200;
/** What the window had and so long before it had not is new, or what the length of the window before it had not. */
const leastLookBackNs = 86_400_000_000_000n;

export const lookBackOf = ({ fromNs, toNs }: Window): bigint => {
  const length = toNs - fromNs;
  const since = fromNs - (length > leastLookBackNs ? length : leastLookBackNs);
  return since > 0n ? since : 0n;
};

/** The log patterns of the sampled traces that no line of the look-back has. */
export async function readNewPatterns(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  rows: CompiledRows,
  window: Window,
  { signal, limits }: WhyBudget,
): Promise<SampledNovelty[]> {
  const shapes = `
    SELECT shape, any(substring(body, 1, ${shapeBytes})) AS sample, groupUniqArray(${hashOf('trace_id')}) AS found,
      shape IN (SELECT DISTINCT shape FROM logs WHERE ${inScope(scope)} AND ${inOrderedWindow('known_')}) AS known
    FROM logs
    WHERE ${inScope(scope)} AND ${inOrderedWindow('new_')} AND event_name != 'feature_flag.evaluation' AND body != ''
      AND trace_id IN (${sampledTraces(rows)})
    GROUP BY shape ORDER BY length(found) DESC, shape LIMIT ${maxShapes}`;
  const answer = await telemetry.rows<Omit<SampledNovelty, 'kind'>>(
    scope,
    `SELECT substringUTF8(template, 1, ${nameCharacters}) AS name, arrayMap(s -> toString(s.2), groupArraySorted(${maxIds})((-length(found), shape))) AS ids,
       arraySort(arrayDistinct(arrayFlatten(groupArray(found)))) AS traces
     FROM (${withTemplates(shapes, 'sample')}) GROUP BY template
     HAVING max(known) = 0 AND length(traces) >= ${leastItems} ORDER BY length(traces) DESC, template LIMIT ${maxNovelties}`,
    {
      ...rows.values,
      ...sampleLimits,
      ...windowParameters(window, 'new_'),
      ...windowParameters({ fromNs: lookBackOf(window), toNs: window.fromNs }, 'known_'),
    },
    signal,
    { settings: rows.settings, ...(limits && { limits }) },
  );
  return answer.map((one) => ({ kind: 'log_pattern', ...one }));
}

/** The errors of the sampled traces that the look-back has not. */
export async function readNewErrors(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  rows: CompiledRows,
  window: Window,
  { signal, limits }: WhyBudget,
): Promise<SampledNovelty[]> {
  const errors = newErrors(scope, { traces: sampledTraces(rows), key: hashOf('trace_id') });
  const answer = await telemetry.rows<Omit<SampledNovelty, 'kind'>>(
    scope,
    `SELECT substringUTF8(if(type = '', message, if(message = '', type, concat(type, ': ', message))), 1, ${nameCharacters}) AS name, [id] AS ids, traces
     FROM (${errors}) WHERE length(traces) >= ${leastItems} ORDER BY length(traces) DESC, id LIMIT ${maxNovelties}`,
    { ...rows.values, ...sampleLimits, ...parametersOf({ scope, window, sinceNs: lookBackOf(window) }) },
    signal,
    { settings: rows.settings, ...(limits && { limits }) },
  );
  return answer.map((one) => ({ kind: 'error', ...one }));
}
