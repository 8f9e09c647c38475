import type { WalEntry } from '../../entry.ts';
import type { ResourceContext, ScopeContext } from '../context.ts';
import type { RowWriter } from '../row-writer.ts';
import { type Column, PlainColumn } from './column.ts';
import { DictionaryColumn } from './dictionary.ts';
import { EncodedReader } from './encoded-reader.ts';
import { ArrayColumn, MapColumn } from './nested.ts';
import type { TableForm } from './table.ts';

/** The common values of the items of one scope within a request. */
export interface Origin {
  entry: WalEntry;
  resource: ResourceContext;
  scope: ScopeContext;
}

/** What the points of one environment within one request have in common. */
export interface PointOrigin {
  entry: WalEntry;
  /** In RowBinary. */
  environment: Buffer;
}

/** Texts for answers: migration 25 of the telemetry store. */
class DerivedDictionaryColumn extends DictionaryColumn {
  readonly isDerived = true;
}
class DerivedTextColumn extends PlainColumn {
  readonly isDerived = true;
}
/** Migration 29 of the telemetry store. Has no rows before the first one with a value. */
class LaterColumn extends PlainColumn {
  readonly isLater = true;

  override at(row: number): RowWriter {
    super.fill(row);
    return this.next();
  }

  override fill(rows: number): void {
    if (this.rows > 0) super.fill(rows);
  }
}

const uint8 = () => new PlainColumn('UInt8', 1);
const uint16 = () => new PlainColumn('UInt16', 2);
const uint32 = () => new PlainColumn('UInt32', 4);
const uint64 = () => new PlainColumn('UInt64', 8);
const float64 = () => new PlainColumn('Float64', 8);
const bool = () => new PlainColumn('Bool', 1);
const text = () => new PlainColumn('String', 1);
const fixedText = (length: number) => new PlainColumn(`FixedString(${length})`, length);
const nanoseconds = () => new PlainColumn("DateTime64(9, 'UTC')", 8);
const milliseconds = () => new PlainColumn("DateTime64(3, 'UTC')", 8);
const name = () => new DictionaryColumn();
const texts = () => new MapColumn(text());

const tenant = () => ({ workspace: uint32(), project: uint32(), environment: name(), retention_days: uint16() });
const scope = () => ({ scope_name: name(), scope_version: name(), scope_attributes: texts() });
const resource = () => ({ resource: texts() });
const about = () => ({
  resource_types: name(),
  resource_schema_url: name(),
  resource_dropped_attributes_count: uint32(),
  scope_types: name(),
  scope_schema_url: name(),
  scope_dropped_attributes_count: uint32(),
  resource_text: new DerivedDictionaryColumn(),
  scope_text: new DerivedDictionaryColumn(),
});
const attributes = () => ({
  string_attributes: texts(),
  int_attributes: new MapColumn(new PlainColumn('Int64', 8)),
  float_attributes: new MapColumn(float64()),
  bool_attributes: new MapColumn(bool()),
  json_attributes: texts(),
  dropped_attributes_count: uint32(),
});

const spanColumns = () => ({
  ...tenant(),
  time: nanoseconds(),
  duration: uint64(),
  trace_id: fixedText(16),
  span_id: fixedText(8),
  parent_span_id: fixedText(8),
  trace_state: text(),
  flags: uint32(),
  service: name(),
  name: name(),
  kind: new PlainColumn(
    "Enum8('unspecified' = 0, 'internal' = 1, 'server' = 2, 'client' = 3, 'producer' = 4, 'consumer' = 5)",
    1,
  ),
  status: new PlainColumn("Enum8('unset' = 0, 'ok' = 1, 'error' = 2)", 1),
  status_message: text(),
  ...scope(),
  ...resource(),
  ...attributes(),
  weight: float64(),
  event_time: new ArrayColumn(nanoseconds()),
  event_name: new ArrayColumn(name()),
  event_attributes: new ArrayColumn(texts()),
  link_trace_id: new ArrayColumn(fixedText(16)),
  link_span_id: new ArrayColumn(fixedText(8)),
  link_attributes: new ArrayColumn(texts()),
  dropped_events_count: uint32(),
  dropped_links_count: uint32(),
  ...about(),
  event_types: new ArrayColumn(name()),
  event_dropped_attributes_count: new ArrayColumn(uint32()),
  link_types: new ArrayColumn(name()),
  link_trace_state: new ArrayColumn(text()),
  link_flags: new ArrayColumn(uint32()),
  link_dropped_attributes_count: new ArrayColumn(uint32()),
  lists_text: new DerivedTextColumn('String', 1),
});

const logColumns = () => ({
  ...tenant(),
  time: nanoseconds(),
  observed_time: nanoseconds(),
  trace_id: fixedText(16),
  span_id: fixedText(8),
  flags: uint32(),
  severity: uint8(),
  severity_text: name(),
  event_name: name(),
  service: name(),
  ...scope(),
  body: text(),
  body_is_json: bool(),
  shape: uint64(),
  ...resource(),
  ...attributes(),
  ...about(),
});

const pointColumns = () => ({
  ...tenant(),
  metric: name(),
  series: uint64(),
  time: milliseconds(),
  start_time: milliseconds(),
  value: float64(),
  no_recorded_value: bool(),
  nanos: new LaterColumn('UInt32', 4),
  start_nanos: new LaterColumn('UInt32', 4),
  integer: new LaterColumn('Int64', 8),
});

export type SpanColumns = ReturnType<typeof spanColumns>;
export type LogColumns = ReturnType<typeof logColumns>;
export type PointColumns = ReturnType<typeof pointColumns>;
type OriginColumns = ReturnType<typeof tenant> &
  ReturnType<typeof scope> &
  ReturnType<typeof resource> &
  ReturnType<typeof about> & { service: DictionaryColumn };

export const spanForm: TableForm<SpanColumns, Origin> = {
  table: 'spans',
  create: spanColumns,
  share: shareOrigin,
  sharedColumns: originColumns,
};

export const logForm: TableForm<LogColumns, Origin> = {
  table: 'logs',
  create: logColumns,
  share: shareOrigin,
  sharedColumns: originColumns,
};

export const pointForm: TableForm<PointColumns, PointOrigin> = {
  table: 'metric_points',
  create: pointColumns,
  share: (columns, row, { entry, environment }) => shareTenant(columns, row, entry, environment),
  sharedColumns: tenantColumns,
};

function shareTenant(columns: ReturnType<typeof tenant>, row: number, entry: WalEntry, environment: Buffer): void {
  columns.workspace.at(row).uint32(entry.workspace);
  columns.project.at(row).uint32(entry.project);
  columns.retention_days.at(row).uint16(entry.retentionDays);
  new EncodedReader(environment).textTo(columns.environment, row);
}

function shareOrigin(columns: OriginColumns, row: number, origin: Origin): void {
  shareTenant(columns, row, origin.entry, origin.resource.environment);
  new EncodedReader(origin.resource.service).textTo(columns.service, row);
  const scopeReader = new EncodedReader(origin.scope.columns);
  scopeReader.textTo(columns.scope_name, row);
  scopeReader.textTo(columns.scope_version, row);
  scopeReader.mapTo(columns.scope_attributes, row);
  new EncodedReader(origin.resource.map).mapTo(columns.resource, row);
  const ofResource = new EncodedReader(origin.resource.about);
  ofResource.textTo(columns.resource_types, row);
  ofResource.textTo(columns.resource_schema_url, row);
  ofResource.uint32To(columns.resource_dropped_attributes_count, row);
  const ofScope = new EncodedReader(origin.scope.about);
  ofScope.textTo(columns.scope_types, row);
  ofScope.textTo(columns.scope_schema_url, row);
  ofScope.uint32To(columns.scope_dropped_attributes_count, row);
  new EncodedReader(origin.resource.text).textTo(columns.resource_text, row);
  new EncodedReader(origin.scope.text).textTo(columns.scope_text, row);
}

function tenantColumns({ workspace, project, environment, retention_days }: ReturnType<typeof tenant>): Column[] {
  return [workspace, project, environment, retention_days];
}

function originColumns(columns: OriginColumns): Column[] {
  const { service, scope_name, scope_version, scope_attributes, resource: resources } = columns;
  const { resource_types, resource_schema_url, resource_dropped_attributes_count } = columns;
  const { scope_types, scope_schema_url, scope_dropped_attributes_count, resource_text, scope_text } = columns;
  return [
    ...tenantColumns(columns),
    ...[service, scope_name, scope_version, scope_attributes, resources],
    ...[resource_types, resource_schema_url, resource_dropped_attributes_count],
    ...[scope_types, scope_schema_url, scope_dropped_attributes_count, resource_text, scope_text],
  ];
}
