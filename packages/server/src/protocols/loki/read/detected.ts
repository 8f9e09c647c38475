import { fail } from '../../../platform/fail.ts';
import type { Window } from '../../../platform/time-window.ts';
import type { Parameters } from '../../read/request.ts';
import { allLabels, countedLines, expressionsOf, extended, rowsOf } from './counted-lines.ts';
import { type DetectedField, fieldsOf } from './detected-rules.ts';
import { asked, type Reader, sortedLines } from './lines.ts';
import { parseLogql } from './logql/parse.ts';

/** The labels of streams, with how many values each has. */
export async function detectedLabels(reader: Reader, parameters: Parameters, window: Window) {
  const { oql } = await countedLines(reader, parameters.one('query'), window);
  const labels = await allLabels(reader, window);
  if (labels.length === 0) return { detectedLabels: [] };
  const texts = await expressionsOf(reader, labels, window);
  const counts = labels.map((_, at) => `c${at}=count_distinct_if(l${at}, l${at} != "")`).join(', ');
  const [row = []] = await rowsOf(reader, `${oql}${extended(texts)} | stats ${counts}`, window, 1);
  const detected = labels.map((label, at) => ({ label, cardinality: Number(row[at] ?? 0) }));
  return { detectedLabels: detected.filter(({ cardinality }) => cardinality > 0) };
}

const [defaultLines, defaultFields] = [100, 1_000];

/** The fields of the newest lines of a query. Values are those of these lines only, as in Loki. */
export async function detectedFields(reader: Reader, parameters: Parameters, window: Window) {
  const limit = countOf(parameters, 'limit', defaultFields);
  const fields = (await detected(reader, parameters, window, limit)).map(({ label, type, parsers, values }) => ({
    ...{ label, type, cardinality: values.size, parsers: parsers.length === 0 ? null : parsers },
  }));
  return { fields, limit };
}

export async function detectedFieldValues(reader: Reader, name: string, parameters: Parameters, window: Window) {
  const limit = countOf(parameters, 'limit', defaultFields);
  const fields = await detected(reader, parameters, window, Number.MAX_SAFE_INTEGER);
  const values = fields.find(({ label }) => label === name)?.values ?? new Set<string>();
  return { values: [...values].toSorted().slice(0, limit), limit };
}

async function detected(
  reader: Reader,
  parameters: Parameters,
  window: Window,
  most: number,
): Promise<readonly DetectedField[]> {
  const query = parseLogql(parameters.one('query') ?? '');
  if (query.kind !== 'lines') throw fail('LOKI_PARAMETER_INVALID', { reason: 'only log selector is supported' });
  const lineLimit = Math.min(countOf(parameters, 'line_limit', defaultLines), reader.limits.answerLines);
  const wanted = { window, limit: lineLimit, isForward: false };
  return fieldsOf(await sortedLines(reader, await asked(reader, query, window), wanted), most);
}

function countOf(parameters: Parameters, name: string, otherwise: number): number {
  const text = parameters.one(name);
  if (text === undefined) return otherwise;
  if (!/^\d{1,9}$/.test(text))
    throw fail('LOKI_PARAMETER_INVALID', {
      reason: `could not parse "${name}" parameter: cannot parse "${text}" as a number`,
    });
  return Number(text) === 0 ? otherwise : Number(text);
}
