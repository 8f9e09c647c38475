import type { ResultValue } from '@fanion/oql';

interface Column {
  readonly name: string;
  readonly type: string;
}

/** The answer of one query of a panel. */
export interface Part {
  /** How its series are named: `{{label}}` is the value of a label; undefined: by their labels. */
  readonly seriesName: string | undefined;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly ResultValue[])[];
}

/** The answers of a panel as one: each row has its time, the name of its series, and its value. */
export function namedSeries(parts: readonly Part[]): Pick<Part, 'columns' | 'rows'> {
  const hasTime = parts.some(({ columns }) => columns.some(isTime));
  const taken = new Map<string, string>();
  const rows = parts.flatMap(({ seriesName, columns, rows }, at) => {
    const labels = columns.flatMap((column, index) =>
      isTime(column) || isValue(column) ? [] : [{ ...column, index }],
    );
    const [time, value] = [columns.findIndex(isTime), columns.findIndex(isValue)];
    return rows.map((row): readonly ResultValue[] => {
      const own = labels.flatMap(({ name, index }) =>
        row[index] == null ? [] : [[name, String(row[index])] as const],
      );
      const name = uniqueName(nameOf(seriesName, own), own, at, taken);
      return [...(hasTime ? [row[time] ?? null] : []), name, row[value] ?? null];
    });
  });
  return {
    columns: [
      ...(hasTime ? [{ name: 'time', type: 'timestamp' } as const] : []),
      { name: 'series', type: 'string' },
      { name: 'value', type: 'float' },
    ],
    rows,
  };
}

/** The rows of several answers one below the other, with the letter of the query that each is from, as in a table. */
export function stacked(parts: readonly Part[]): Pick<Part, 'columns' | 'rows'> {
  const all = new Map(parts.flatMap(({ columns }) => columns.map((column) => [column.name, column] as const)));
  const value = all.get('value');
  all.delete('value');
  const labels = [...all.values()];
  const rows = parts.flatMap(({ columns, rows }, at) => {
    const places = [...labels, ...(value ? [value] : [])].map(({ name }) =>
      columns.findIndex((one) => one.name === name),
    );
    const [own, last] = [places.slice(0, labels.length), places.slice(labels.length)];
    const of = (row: readonly ResultValue[]) => (place: number) => row[place] ?? null;
    return rows.map((row) => [...own.map(of(row)), String.fromCharCode(65 + at), ...last.map(of(row))]);
  });
  return { columns: [...labels, { name: 'query', type: 'string' }, ...(value ? [value] : [])], rows };
}

const isTime = ({ type }: Column) => type === 'timestamp';
const isValue = ({ name }: Column) => name === 'value';

type OwnLabels = readonly (readonly [string, string])[];

function nameOf(format: string | undefined, labels: OwnLabels): string {
  if (format === undefined || format === '') return printed(labels);
  const of = new Map(labels);
  return format.replace(/\{\{\s*([A-Za-z_]\w*)\s*\}\}/g, (_, name: string) => of.get(name) ?? '');
}

function printed(labels: OwnLabels): string {
  const name = labels.find(([label]) => label === '__name__')?.[1] ?? '';
  const others = labels.filter(([label]) => label !== '__name__');
  return `${name}{${others.map(([label, value]) => `${label}=${JSON.stringify(value)}`).join(', ')}}`;
}

/** Two series of one name would be drawn as one: the second one also has its labels. */
function uniqueName(name: string, labels: OwnLabels, query: number, taken: Map<string, string>): string {
  const identity = `${query} ${printed(labels)}`;
  const owner = taken.get(name);
  if (owner === undefined) taken.set(name, identity);
  if (owner === undefined || owner === identity) return name;
  return uniqueName(
    `${name} ${printed(labels)}${name.endsWith('}') ? ` (${String.fromCharCode(65 + query)})` : ''}`,
    labels,
    query,
    taken,
  );
}
