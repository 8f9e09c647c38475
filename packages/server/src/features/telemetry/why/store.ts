import { inScope, type ScopedTelemetry, type TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import type { Window } from '../../../platform/time-window.ts';
import { leastItems } from './fold-rules.ts';
import type { ItemRow, SampledField, SampledVariant } from './input-rules.ts';
import type { WhyBudget } from './question.ts';

/** A compiled query of rows: `in_selection` (unless `traces` are selected), `trace_id`, and for fields also `time`, OQL's own fields, `attributes` and `resource`. */
export interface CompiledRows {
  readonly sql: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly settings: Readonly<Record<string, string | number>>;
  readonly columns: readonly { readonly name: string }[];
  /** SQL of the ids of selected traces, as text. */
  readonly traces: string | undefined;
}

/** Traces that are compared, of each side. */
export const maxItems = { selected: 2_000, others: 4_000 } as const;
const valueCharacters = 200;
/** Pairs of a field and a value of one trace, the first ones by name. */
const maxPairs = 200;
const maxFields = 300;
/** Values of a field that enough traces share, the most frequent ones. */
const maxValues = 200;
const maxFlags = 50;
/** A flag may be evaluated before the rows of its trace began. */
const evaluatedNs = { before: 600_000_000_000n, after: 60_000_000_000n };

/** `hashed` identifies a trace; two of the sample share one in about 1 of 250 samples. */
const hashed = (key: string) => `toUInt32(cityHash64(${key}))`;
export const sampleLimits = { maxSelected: maxItems.selected, maxOthers: maxItems.others };
const isSampled = `sample_rank <= if(hit, {maxSelected:UInt32}, {maxOthers:UInt32})`;
/** The SQL names of the columns of a compiled query. */
const columnsOf = (rows: Pick<CompiledRows, 'columns'>) => (name: string) =>
  `r${rows.columns.findIndex((one) => one.name === name) + 1}`;
const hitOf = ({ traces, ...rows }: CompiledRows) =>
  traces === undefined
    ? `${columnsOf(rows)('in_selection')} = 1`
    : `ifNull(${columnsOf(rows)('trace_id')}, '') IN (${traces})`;
const byHash = 'PARTITION BY hit ORDER BY cityHash64(item_key), item_key';

/**
 * A sample of the traces of the rows, the same for the same rows: those with the smallest hashes of each side. A trace has all
 * values that any of its rows has, so what a selected trace has does not depend on which of its rows is selected.
 */
export async function readItems(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  rows: CompiledRows,
  { signal, limits: queryLimits }: WhyBudget,
): Promise<{ items: ItemRow[]; fields: SampledField[] }> {
  const column = columnsOf(rows);
  const own = rows.columns.filter(
    ({ name }) => !['in_selection', 'trace_id', 'time', 'attributes', 'resource'].includes(name),
  );
  const typed = (at: number) =>
    `arrayMap((k, v) -> (toString(k), substringUTF8(toString(v), 1, ${valueCharacters})), mapKeys(${column('attributes')}.${at}), mapValues(${column('attributes')}.${at}))`;
  const pairs = [
    // Safe: the names are those of OQL's own fields.
    `[${own.map(({ name }) => `('${name}', ifNull(toString(${column(name)}), ''))`).join(', ')}]`,
    ...[1, 2, 3, 4].map(typed),
    `arrayMap((k, v) -> (concat('resource.', toString(k)), substringUTF8(v, 1, ${valueCharacters})), mapKeys(${column('resource')}.1), mapValues(${column('resource')}.1))`,
  ];
  const all = `arrayFilter(p -> p.1 != '' AND p.2 != '', arrayConcat(${pairs.join(', ')}))`;
  const answer = await telemetry.rows<{
    name: string;
    about: ItemRow[];
    common: [string, number[]][];
    rare: number[];
  }>(
    scope,
    `WITH
       keyed AS (
         SELECT ${hitOf(rows)} AS selected, ${column('time')} AS at, ${all} AS own_pairs,
           ifNull(${column('trace_id')}, concat('row ', toString(cityHash64(at, own_pairs)))) AS row_key
         FROM (${rows.sql})),
       traces AS (
         SELECT row_key AS item_key, max(selected) AS hit, toUnixTimestamp64Milli(toDateTime64(min(at), 3)) AS began,
           arraySlice(arraySort(groupUniqArrayArray(own_pairs)), 1, ${maxPairs}) AS pairs
         FROM keyed GROUP BY row_key),
       ranked AS (
         SELECT *, row_number() OVER (${byHash}) AS sample_rank, count() OVER (PARTITION BY hit) AS population FROM traces),
       cells AS (
         SELECT pair.1 AS name, pair.2 AS value, toUInt32(if(hit, sample_rank - 1, {maxSelected:UInt32} + sample_rank - 1)) AS item,
           hit, began, population, item_key
         FROM ranked ARRAY JOIN arrayConcat([('', '')], pairs) AS pair WHERE ${isSampled}),
       named AS (
         SELECT name, value, groupArray(item) AS items,
           groupArrayIf((item, toUInt8(hit), toFloat64(began), toFloat64(population), ${hashed('item_key')}), name = '') AS about
         FROM cells GROUP BY name, value)
     SELECT name, arrayFlatten(groupArray(about)) AS about,
       arraySlice(arrayReverseSort(one -> length(one.2), groupArrayIf((value, items), length(items) >= ${leastItems} AND name != '')), 1, ${maxValues}) AS common,
       arrayDistinct(arrayFlatten(groupArrayIf(items, length(items) < ${leastItems} AND name != ''))) AS rare
     FROM named GROUP BY name ORDER BY name = '' DESC, length(arrayFlatten(groupArray(items))) DESC, name LIMIT ${maxFields + 1}`,
    { ...rows.values, ...sampleLimits },
    signal,
    { settings: rows.settings, ...(queryLimits && { limits: queryLimits }) },
  );
  return {
    items: answer.find(({ name }) => name === '')?.about ?? [],
    fields: answer.filter(({ name }) => name !== ''),
  };
}

/** SQL of the ids of the traces that {@link readItems} samples, for rows with `in_selection` and `trace_id`. */
export function sampledTraces(rows: CompiledRows): string {
  const column = columnsOf(rows);
  return `SELECT toFixedString(unhex(item_key), 16) FROM (
    SELECT item_key, hit, row_number() OVER (${byHash}) AS sample_rank FROM (
      SELECT assumeNotNull(${column('trace_id')}) AS item_key, max(${hitOf(rows)}) AS hit
      FROM (${rows.sql}) WHERE ${column('trace_id')} IS NOT NULL GROUP BY item_key))
    WHERE ${isSampled}`;
}

/** SQL of the hash by which items are found, of a trace id. */
export const hashOf = (traceId: string) => hashed(`lower(hex(${traceId}))`);

/** The variants that the traces of the same sample saw, by flag: the first one where a trace saw several. */
export async function readVariants(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  rows: CompiledRows,
  window: Window,
  { signal, limits: queryLimits }: WhyBudget,
): Promise<SampledVariant[]> {
  return telemetry.rows<SampledVariant>(
    scope,
    `WITH
       seen AS (
         SELECT toString(flag) AS flag_key, trace_id AS id, toString(argMin(variant, time)) AS served FROM flag_events
         WHERE ${inScope(scope)} AND variant != ''
           AND trace_id IN (${sampledTraces(rows)})
           AND time >= fromUnixTimestamp64Nano({evaluated_from:Int64}, 'UTC') AND time < fromUnixTimestamp64Nano({evaluated_to:Int64}, 'UTC')
         GROUP BY flag_key, id)
     SELECT flag_key AS flag, arraySort(groupArray((served, traces))) AS variants FROM (
       SELECT flag_key, served, arraySort(groupArray(${hashOf('id')})) AS traces FROM seen GROUP BY flag_key, served)
     GROUP BY flag_key ORDER BY sum(length(traces)) DESC, flag LIMIT ${maxFlags + 1}`,
    {
      ...rows.values,
      ...sampleLimits,
      evaluated_from: String(window.fromNs - evaluatedNs.before),
      evaluated_to: String(window.toNs + evaluatedNs.after),
    },
    signal,
    { settings: rows.settings, ...(queryLimits && { limits: queryLimits }) },
  );
}

export const shownOf = { fields: maxFields, flags: maxFlags } as const;
