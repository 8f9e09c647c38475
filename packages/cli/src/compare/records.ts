import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { type Fields, isFields, textOf } from '../files/fields.ts';
import { UsageError } from '../files/usage-error.ts';

/** What a program asked a flag system, and what it got if that was recorded too. */
export interface RecordedContext {
  readonly context: Fields;
  /** Values by flag; undefined: only the context was recorded. */
  readonly answers: ReadonlyMap<string, unknown> | undefined;
}

/**
 * Reads recorded contexts, a JSON object in each line:
 *
 * - `{"context": {…}, "flags": {"a": true, "b": "blue"}}`: the values of several flags
 * - `{"context": {…}, "flag": "a", "value": true}`: the value of one flag, as a hook of OpenFeature records it
 * - `{"context": {…}}`, or the context itself, if an evaluator answers
 *
 * @throws UsageError that names the line
 */
export async function readRecords(text: string, name: string): Promise<RecordedContext[]> {
  const records: RecordedContext[] = [];
  let number = 0;
  for await (const line of createInterface({ input: Readable.from([text]), crlfDelay: Number.POSITIVE_INFINITY })) {
    number++;
    if (line.trim() === '') continue;
    records.push(recordOf(parsed(line, `${name}, line ${number}`), `${name}, line ${number}`));
  }
  return records;
}

function parsed(line: string, where: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new UsageError(`${where}: not JSON: ${(error as Error).message}`);
  }
  if (!isFields(value)) throw new UsageError(`${where}: expected a JSON object`);
  return value;
}

function recordOf(line: Fields, where: string): RecordedContext {
  if (!isFields(line.context)) return { context: line, answers: undefined };
  const { context, flag, flags } = line;
  if (isFields(flags)) return { context, answers: new Map(Object.entries(flags)) };
  if (flag === undefined) return { context, answers: undefined };
  const key = textOf(flag);
  if (key === undefined || !('value' in line)) throw new UsageError(`${where}: "flag" needs a key and a "value"`);
  return { context, answers: new Map([[key, line.value]]) };
}

/** Contexts that occur more than once, with all of their answers. */
export function merged(records: readonly RecordedContext[]): RecordedContext[] {
  const byContext = new Map<string, RecordedContext>();
  for (const { context, answers } of records) {
    const text = JSON.stringify(context);
    const before = byContext.get(text)?.answers;
    const all =
      answers === undefined && before === undefined ? undefined : new Map([...(before ?? []), ...(answers ?? [])]);
    byContext.set(text, { context, answers: all });
  }
  return [...byContext.values()];
}
