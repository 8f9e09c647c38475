import { useScope } from '../../app/session.ts';
import { AttributeTable } from '../../telemetry/attribute-table.tsx';
import type { Picked } from '../../telemetry/filters.ts';
import { plainText } from '../../telemetry/results.ts';
import { ServiceName } from '../../telemetry/service-name.tsx';
import { severityColour } from '../../telemetry/severity.ts';
import { Severity } from '../../telemetry/severity-label.tsx';
import { Value, type ValueActions } from '../../telemetry/value-actions.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { DockedPanel } from '../../ui/docked-panel.tsx';
import { formatTimestamp } from '../../ui/format/index.ts';
import { AppLink } from '../../ui/link.tsx';
import { Group, Stack, useComputedColorScheme } from '../../ui/mantine.ts';
import { useTimeZone } from '../../ui/time/use-time-zone.ts';
import { Timestamp } from '../../ui/timestamp.tsx';
import classes from './logs.module.css';

export type LogRow = Record<string, unknown>;

/** A line with its fields as listed: names and full texts. */
export interface Line {
  readonly row: LogRow;
  readonly entries: [string, string][];
}

/** The columns of every list of log lines, the message last. */
const LOG_COLUMNS: readonly Column<LogRow>[] = [
  {
    id: 'time',
    header: 'Time',
    width: 200,
    cell: (row) => <Timestamp value={plainText(row.time)} milliseconds recent />,
  },
  {
    id: 'severity',
    header: 'Severity',
    width: 90,
    cell: (row) => (
      <Value picked={{ field: 'severity', value: row.severity }}>
        <Severity value={row.severity} />
      </Value>
    ),
  },
  {
    id: 'service',
    header: 'Service',
    width: 160,
    cell: (row) => (
      <Value picked={{ field: 'service.name', value: row['service.name'] }}>
        <ServiceName name={plainText(row['service.name'])} />
      </Value>
    ),
  },
  { id: 'body', header: 'Body', cell: (row) => <Body row={row} /> },
];

/** The columns that fit beside a panel: the stripe of a row shows its severity. */
const NARROW_LOG_COLUMNS: readonly Column<LogRow>[] = [
  { id: 'time', header: 'Time', width: 84, cell: (row) => <Clock value={plainText(row.time)} /> },
  { id: 'body', header: 'Body', cell: (row) => <Body row={row} /> },
];

function Clock({ value }: { value: string }) {
  useTimeZone();
  const local = formatTimestamp(value);
  return (
    <time dateTime={value} title={local}>
      {local.slice(11)}
    </time>
  );
}

/** Height in pixels of a row of wrapped lines or of a card. */
export const WRAPPED_ROW = 64;

/** On a phone, a line is a card: who said it when, and the message below. */
const CARD_COLUMNS: readonly Column<LogRow>[] = [
  {
    id: 'line',
    header: 'Log line',
    cell: (row) => (
      <div className={classes.card}>
        <div className={classes.cardHead}>
          <Clock value={plainText(row.time)} />
          <Severity value={row.severity} />
          <ServiceName name={plainText(row['service.name'])} />
        </div>
        <div className={classes.wrapped}>
          <Body row={row} />
        </div>
      </div>
    ),
  },
];

/** How lines are listed: on a phone as cards; beside an open panel with the message only; else with the chosen fields as columns. */
export function logColumns({
  isPhone,
  isDocked,
  fields = [],
  wraps = false,
}: {
  isPhone: boolean;
  isDocked: boolean;
  fields?: readonly string[];
  wraps?: boolean;
}): readonly Column<LogRow>[] {
  if (isPhone) return CARD_COLUMNS;
  const body: Column<LogRow> = {
    id: 'body',
    header: 'Body',
    cell: (row) =>
      wraps ? (
        <div className={classes.wrapped}>
          <Body row={row} />
        </div>
      ) : (
        <Body row={row} />
      ),
  };
  if (isDocked) return [...NARROW_LOG_COLUMNS.slice(0, 1), body];
  const chosen = fields.map(
    (field): Column<LogRow> => ({
      id: `field ${field}`,
      header: <span title={field}>{field}</span>,
      width: 150,
      cell: (row) => {
        const value = fieldValue(row, field);
        return value === undefined || value === null ? (
          <span className="dim">–</span>
        ) : (
          <Value picked={{ field, value }}>
            <span title={plainText(value)}>{plainText(value)}</span>
          </Value>
        );
      },
    }),
  );
  return [...LOG_COLUMNS.slice(0, -1), ...chosen, body];
}

/** The value of a field, by the name that the list of fields gives it. */
export function fieldValue(row: LogRow, field: string): unknown {
  const isResource = field.startsWith('resource.');
  const map = isResource ? row.resource : row.attributes;
  const key = isResource ? field.slice('resource.'.length) : field;
  if (typeof map === 'object' && map !== null) {
    const entry = Object.entries(map).find(([name]) => name === key);
    if (entry) return entry[1];
  }
  return isResource ? undefined : row[field];
}

/** The color of a line's severity, for the stripe of its row. */
export function useSeverityStripe(): (row: LogRow) => string {
  const scheme = useComputedColorScheme();
  return (row) => severityColour(row.severity, scheme);
}

/** All fields of a line, in a panel beside the list. */
export function LogPanel({
  line,
  onClose,
  onMove,
  actions = {},
}: {
  line: Line;
  onClose: () => void;
  /** Shows the next (1) or the previous (-1) line. */
  onMove?: (by: 1 | -1) => void;
  /** What the page does with a value of this line. */
  actions?: ValueActions;
}) {
  return (
    <DockedPanel title="Log line" onClose={onClose} {...(onMove && { onMove })}>
      <LogDetail {...line} actions={actions} />
    </DockedPanel>
  );
}

/** The message of a line: a map or list as JSON. */
function bodyText(body: unknown, indent?: number): string {
  if (typeof body === 'string') return body;
  return typeof body === 'object' && body !== null ? JSON.stringify(body, null, indent) : '';
}

/** The body of a line, or its attributes if it has no body (an event). */
function Body({ row }: { row: LogRow }) {
  const body = bodyText(row.body);
  if (body !== '') return <span className="mono">{body}</span>;
  const attributes =
    typeof row.attributes === 'object' && row.attributes !== null ? Object.entries(row.attributes) : [];
  return <span className="mono dim">{attributes.map(([key, value]) => `${key}=${plainText(value)}`).join(' ')}</span>;
}

function LogDetail({ row, entries, actions: { filter, groupBy } }: Line & { actions: ValueActions }) {
  const scope = useScope();
  const traceId = typeof row.trace_id === 'string' ? row.trace_id : '';
  const span = typeof row.span_id === 'string' && row.span_id !== '' ? row.span_id : undefined;
  const body = bodyText(row.body, 2);
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
      {body !== '' && <pre className={classes.message}>{body}</pre>}
      <AttributeTable
        label="Fields of the line"
        attributes={entries}
        isField={(name) => name !== 'time'}
        onFilter={filter && ((name, exclude) => filter(pickedOf(row, name), exclude))}
        onGroupBy={groupBy && ((name) => groupBy(pickedOf(row, name).field))}
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
