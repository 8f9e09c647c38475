import { useScope } from '../../app/session.ts';
import { AttributeTable } from '../../telemetry/attribute-table.tsx';
import type { Picked } from '../../telemetry/filters.ts';
import { plainText } from '../../telemetry/results.ts';
import { ServiceName } from '../../telemetry/service-name.tsx';
import { severityColour } from '../../telemetry/severity.ts';
import { Severity } from '../../telemetry/severity-label.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { formatTimestamp } from '../../ui/format/index.ts';
import { AppLink } from '../../ui/link.tsx';
import { Drawer, Group, Stack, useComputedColorScheme } from '../../ui/mantine.ts';
import { Timestamp } from '../../ui/timestamp.tsx';
import classes from './logs.module.css';

export type LogRow = Record<string, unknown>;

/** The columns of every list of log lines. */
export const LOG_COLUMNS: readonly Column<LogRow>[] = [
  {
    id: 'time',
    header: 'Time',
    width: 200,
    cell: (row) => <Timestamp value={plainText(row.time)} milliseconds recent />,
  },
  { id: 'severity', header: 'Severity', width: 90, cell: (row) => <Severity value={row.severity} /> },
  {
    id: 'service',
    header: 'Service',
    width: 160,
    cell: (row) => <ServiceName name={plainText(row['service.name'])} />,
  },
  { id: 'body', header: 'Body', cell: (row) => <Body row={row} /> },
];

/** What a narrow screen has room for: the stripe of a row tells its severity. */
export const NARROW_LOG_COLUMNS: readonly Column<LogRow>[] = [
  { id: 'time', header: 'Time', width: 84, cell: (row) => <Clock value={plainText(row.time)} /> },
  { id: 'body', header: 'Body', cell: (row) => <Body row={row} /> },
];

function Clock({ value }: { value: string }) {
  const local = formatTimestamp(value);
  return (
    <time dateTime={value} title={local}>
      {local.slice(11)}
    </time>
  );
}

/** The color of a line's severity, for the stripe of its row. */
export function useSeverityStripe(): (row: LogRow) => string {
  const scheme = useComputedColorScheme();
  return (row) => severityColour(row.severity, scheme);
}

/** All fields of a line. Null keeps it closed. */
export function LogDrawer({
  line,
  onClose,
  onFilter,
}: {
  line: { row: LogRow; entries: [string, string][] } | null;
  onClose: () => void;
  /** Filters the list by a value of this line. */
  onFilter?: (picked: Picked, exclude: boolean) => void;
}) {
  return (
    <Drawer opened={line !== null} onClose={onClose} position="right" size={600} title="Log line">
      {line && <LogDetail {...line} onFilter={onFilter} />}
    </Drawer>
  );
}

/** The body of a line, or its attributes if it has no body (an event). */
function Body({ row }: { row: LogRow }) {
  if (typeof row.body === 'string' && row.body !== '') return <span className="mono">{row.body}</span>;
  const attributes =
    typeof row.attributes === 'object' && row.attributes !== null ? Object.entries(row.attributes) : [];
  return <span className="mono dim">{attributes.map(([key, value]) => `${key}=${plainText(value)}`).join(' ')}</span>;
}

function LogDetail({
  row,
  entries,
  onFilter,
}: {
  row: LogRow;
  entries: [string, string][];
  onFilter: ((picked: Picked, exclude: boolean) => void) | undefined;
}) {
  const scope = useScope();
  const traceId = typeof row.trace_id === 'string' ? row.trace_id : '';
  const span = typeof row.span_id === 'string' && row.span_id !== '' ? row.span_id : undefined;
  return (
    <Stack gap="md">
      <Group gap="md">
        <Severity value={row.severity} />
        <Timestamp value={plainText(row.time)} milliseconds />
        <ServiceName name={plainText(row['service.name'])} />
        {traceId !== '' && (
          <AppLink to="/w/$ws/$project/traces/$traceId" params={{ ...scope, traceId }} search={{ span }}>
            Open the trace
          </AppLink>
        )}
      </Group>
      {typeof row.body === 'string' && row.body !== '' && <pre className={classes.message}>{row.body}</pre>}
      <AttributeTable
        label="Fields of the line"
        attributes={entries}
        unfiltered="time"
        {...(onFilter && { onFilter: (name, exclude) => onFilter(pickedOf(row, name), exclude) })}
      />
    </Stack>
  );
}

/** Looks up a field by its listed name and returns its value as sent. */
function pickedOf(row: LogRow, name: string): Picked {
  for (const map of ['attributes', 'resource'] as const) {
    const values = row[map];
    if (!name.startsWith(`${map}.`) || typeof values !== 'object' || values === null) continue;
    const key = name.slice(map.length + 1);
    return { field: map === 'resource' ? name : key, value: Object.entries(values).find(([one]) => one === key)?.[1] };
  }
  return { field: name, value: row[name] };
}
