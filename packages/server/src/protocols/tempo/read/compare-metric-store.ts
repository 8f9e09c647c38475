import type { ScopedTelemetry, TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import type { Compared, ComparedScope, Counts } from './compare-metric-rules.ts';
import type { Steps } from './series-rules.ts';

/** A compiled query whose columns are those of `comparePlan`. */
export interface CompiledSpans {
  readonly sql: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly settings: Readonly<Record<string, string | number>>;
  readonly columns: readonly { readonly name: string }[];
}

/** Which spans are selected beside their condition: those that began in `selected`, if it is given. */
export interface Comparison {
  readonly top: number;
  readonly selected: { readonly fromNs: bigint; readonly toNs: bigint } | undefined;
  /** Without steps, the whole window is one. */
  readonly steps: Pick<Steps, 'firstNs' | 'widthNs'> | undefined;
}

type StoredCounts = readonly [places: readonly (number | string)[], counts: readonly number[]];

interface Row {
  readonly selected: number;
  readonly scope: ComparedScope;
  readonly name: string;
  readonly distinct_values: number | string;
  readonly spans: number | string;
  readonly total: StoredCounts;
  readonly shown: readonly (readonly [total: number, type: string, value: string, counts: StoredCounts])[];
}

/** Counts of each attribute on both sides, and how many spans were read. Attributes that are lists or maps are left out. */
export async function countCompared(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  spans: CompiledSpans,
  { top, selected, steps }: Comparison,
  signal: AbortSignal,
): Promise<{ readonly spans: number; readonly compared: readonly Compared[] }> {
  const column = (name: string) => `r${spans.columns.findIndex((one) => one.name === name) + 1}`;
  const beganNs = `toUnixTimestamp64Nano(${column('time')})`;
  const isInside = selected ? ` AND ${beganNs} >= {selected_from:Int64} AND ${beganNs} < {selected_to:Int64}` : '';
  // Steps are open at their beginning and closed at their end.
  const place = steps ? `intDiv(${beganNs} - 1 - {first:Int64}, {width:Int64})` : 'toInt64(0)';
  const rows = await telemetry.rows<Row>(
    scope,
    `SELECT selected, scope, name, count() AS distinct_values, sum(rows) AS spans, sumMap(counts.1, counts.2) AS total,
       groupArraySorted({top:UInt32})((-number, type, value, counts)) AS shown
     FROM (
       SELECT selected, pair.1 AS scope, pair.2 AS name, pair.3 AS type, pair.4 AS value, sum(n) AS number, sum(part) AS rows,
         (groupArray(place), groupArray(n)) AS counts
       FROM (
         SELECT selected, pair, place, sum(weight) AS n, count() AS part
         FROM (
           SELECT ${column('selected')} = 1${isInside} AS selected, ${place} AS place,
             toFloat64(${column('weight')}) AS weight, ${pairsOf(column)} AS pairs
           FROM (${spans.sql}))
         ARRAY JOIN pairs AS pair
         GROUP BY selected, pair, place)
       GROUP BY selected, pair)
     GROUP BY selected, scope, name`,
    {
      ...spans.values,
      top,
      ...(selected && { selected_from: String(selected.fromNs), selected_to: String(selected.toNs) }),
      ...(steps && { first: String(steps.firstNs), width: String(steps.widthNs) }),
    },
    signal,
    { settings: spans.settings },
  );
  return {
    // Each span has a name.
    spans: rows.reduce((sum, row) => sum + (isName(row) ? Number(row.spans) : 0), 0),
    compared: rows.map((row) => ({
      isSelected: row.selected === 1,
      scope: row.scope,
      name: row.name,
      distinct: Number(row.distinct_values),
      total: countsOf(row.total),
      values: row.shown.map(([, type, value, counts]) => ({ type, value, ...countsOf(counts) })),
    })),
  };
}

const isName = ({ scope, name }: Row) => scope === 'intrinsic' && name === 'name';

function countsOf([places, counts]: StoredCounts): Counts {
  return { places: places.map(Number), counts };
}

/** What is compared of a span, as a list of scope, name, letter of the type, and value as text. */
function pairsOf(column: (name: string) => string): string {
  const own = (name: string, of: string) => `('intrinsic', '${name}', 's', ifNull(toString(${column(of)}), ''))`;
  const intrinsics = [
    ...[own('name', 'name'), own('kind', 'kind'), own('status', 'status'), own('statusMessage', 'status_message')],
    ...[own('instrumentation:name', 'scope.name'), own('instrumentation:version', 'scope.version')],
  ];
  // The maps of the attributes by their types; the last one has lists and maps.
  const typed = ['s', 'i', 'f', 'b'].map((letter, at) => {
    const map = `${column('attributes')}.${at + 1}`;
    return `arrayMap((k, v) -> ('span', toString(k), '${letter}', toString(v)), mapKeys(${map}), mapValues(${map}))`;
  });
  return `arrayConcat([${intrinsics.join(', ')}], ${[
    ...typed,
    textPairs('resource', column('resource')),
    textPairs('instrumentation', column('scope.attributes')),
  ].join(', ')})`;
}

/** Of a map of texts, beside which a text has the letters of the values that were not sent as text. */
function textPairs(scope: ComparedScope, of: string): string {
  const sent = `arrayFirst(e -> startsWith(e, concat(toString(k), '\\x01')), splitByChar('\\0', ${of}.2))`;
  const letter = `arrayMap(l -> if(l = '', 's', l), [substring(${sent}, length(toString(k)) + 2)])[1]`;
  const pairs = `arrayMap((k, v) -> ('${scope}', toString(k), ${letter}, toString(v)), mapKeys(${of}.1), mapValues(${of}.1))`;
  return `arrayFilter(p -> p.3 != 'j', ${pairs})`;
}
