import type { TenantTable } from '../../feature.ts';

/** An attribute with a text, a number or a list of texts, of a span or log record, its resource or its scope. */
const onRow = [
  inTexts('string_attributes'),
  inNumbers('int_attributes'),
  inNumbers('float_attributes'),
  "has(JSONExtract(json_attributes[{attribute:String}], 'Array(String)'), {value:String})",
  inTexts('resource'),
  inTexts('scope_attributes'),
];
const onSeries = either(['attributes', 'resource', 'scope_attributes'].map(inTexts));

/** The tables that ingest and the views behind it fill. */
export const ingestTables: readonly TenantTable[] = [
  {
    name: 'spans',
    isBefore: () => 'time < toDateTime64({before:UInt32}, 9)',
    holds: () => either([...onRow, ...['event_attributes', 'link_attributes'].map(inAnyTexts)]),
  },
  // A trace is as old as its first span.
  { name: 'trace_index', isBefore: () => 'start < toDateTime64({before:UInt32}, 9)' },
  { name: 'logs', isBefore: () => 'time < toDateTime64({before:UInt32}, 9)', holds: () => either(onRow) },
  { name: 'metric_points', isBefore: () => 'time < toDateTime64({before:UInt32}, 3)', holds: ofHeldSeries },
  { name: 'metric_histograms', isBefore: () => 'time < toDateTime64({before:UInt32}, 3)', holds: ofHeldSeries },
  {
    name: 'exemplars',
    isBefore: () => 'time < toDateTime64({before:UInt32}, 3)',
    holds: (place) => either([inTexts('attributes'), ofHeldSeries(place)]),
  },
  {
    name: 'profile_samples',
    isBefore: () => 'time < toDateTime64({before:UInt32}, 9)',
    holds: () => either(['attributes', 'resource'].map(inTexts)),
  },
  // What a later environment of the same name may share stays: only whole days and hours of before are deleted.
  { name: 'profile_stacks', isBefore: () => 'day < toDate(toDateTime({before:UInt32}))' },
  { name: 'ingest_refusals', isBefore: () => 'hour < toStartOfHour(toDateTime({before:UInt32}))' },
  // An arrival is as old as its last item.
  { name: 'arrivals', isBefore: () => 'last_at < toDateTime64({before:UInt32}, 3)' },
  {
    name: 'metric_series',
    // A series is written once a day and shared by the points of that day: where points stay, so does their series.
    isBefore: (place) => `day <= toDate(toDateTime({before:UInt32})) AND ${hasNoPoints(place)}`,
    isHidden: 'day < toDate(toDateTime({before:UInt32}))',
    holds: (place) => `${onSeries} AND ${hasNoPoints(place)}`,
  },
];

/** Whether a row is of a series that has the attribute. */
export function ofHeldSeries(place: string): string {
  return `series IN (SELECT series FROM metric_series WHERE ${place} AND ${onSeries})`;
}

function hasNoPoints(place: string): string {
  return `series NOT IN (SELECT series FROM metric_points WHERE ${place} UNION ALL SELECT series FROM metric_histograms WHERE ${place})`;
}

function either(conditions: readonly string[]): string {
  return `(${conditions.join(' OR ')})`;
}

/** The value is never empty, so a map without the attribute does not match. */
function inTexts(map: string): string {
  return `${map}[{attribute:String}] = {value:String}`;
}

function inNumbers(map: string): string {
  return `mapContains(${map}, {attribute:String}) AND toString(${map}[{attribute:String}]) = {value:String}`;
}

function inAnyTexts(maps: string): string {
  return `arrayExists(one -> one[{attribute:String}] = {value:String}, ${maps})`;
}
