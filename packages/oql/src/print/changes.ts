/** A change as a row of the parameter: what `FROM changes` reads, in this order. Times in milliseconds since the epoch. */
export type ChangeRow = readonly [
  time: number,
  end: number | null,
  kind: string,
  text: string,
  service: string,
  flag: string,
  state: string,
  version: string,
  author: string,
  tags: readonly string[],
  project: string,
  environment: string,
  id: string,
];

const TEXTS = ['kind', 'text', 'service', 'flag', 'state', 'version', 'author'];
const LAST_TEXTS = ['project', 'environment', 'id'];
const TYPES = [
  'Int64',
  'Nullable(Int64)',
  ...TEXTS.map(() => 'String'),
  'Array(String)',
  ...LAST_TEXTS.map(() => 'String'),
];

/** The rows of a parameter with a JSON array of `ChangeRow`, as a table. @param parameter as it is written in SQL */
export function changesFrom(parameter: string): string {
  const at = (index: number) => `tupleElement(change, ${index})`;
  const columns = [
    `toDateTime64(fromUnixTimestamp64Milli(${at(1)}, 'UTC'), 9, 'UTC') AS time`,
    `toDateTime64(fromUnixTimestamp64Milli(${at(2)}, 'UTC'), 9, 'UTC') AS end`,
    ...TEXTS.map((name, i) => `${at(i + 3)} AS ${name}`),
    `${at(TEXTS.length + 3)} AS tags`,
    ...LAST_TEXTS.map((name, i) => `${at(i + TEXTS.length + 4)} AS ${name}`),
  ];
  const rows = `SELECT arrayJoin(JSONExtract(${parameter}, 'Array(Tuple(${TYPES.join(', ')}))')) AS change`;
  return `(SELECT ${columns.join(', ')} FROM (${rows}))`;
}
