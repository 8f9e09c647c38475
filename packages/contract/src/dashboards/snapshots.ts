import { z } from 'zod';
import { Count, Id, Key, Name, Time, TimeInput, Version, WindowEnd } from '../primitives.ts';
import { route } from '../route.ts';
import { PanelData } from './dashboards.ts';
import { DashboardModel, VariableValues } from './model.ts';

const path = '/workspaces/{ws}/dashboard-snapshots';

const Facts = {
  id: Id,
  name: z.string(),
  dashboard: Id.nullable().meta({ description: 'null: deleted since' }),
  version: Version.meta({ description: 'of the dashboard' }),
  project: z.string().nullable(),
  environment: z.string().nullable(),
  from: Time,
  to: Time,
  bytes: Count.meta({ description: 'of its data, compressed' }),
  created_by: z.string(),
  created_at: Time,
  expires_at: Time,
};
export const DashboardSnapshotSummary = z.object(Facts);
export type DashboardSnapshotSummary = z.output<typeof DashboardSnapshotSummary>;
export const DashboardSnapshot = z.object({ ...Facts, variables: VariableValues, model: DashboardModel });
export type DashboardSnapshot = z.output<typeof DashboardSnapshot>;

export const createSnapshot = route({
  id: 'dashboard_snapshots.create',
  example: { body: { from: 'now-1h', to: 'now', expires_in_days: 7 } },
  method: 'POST',
  path: '/workspaces/{ws}/dashboards/{id}/snapshots',
  summary: 'Freeze a dashboard with its data',
  description:
    'Asks the queries of all panels with your permissions, and keeps the answers. Everybody who may read dashboards and query telemetry of its place can then read them by the link, until the snapshot expires.',
  auth: 'user',
  permission: 'dashboards:write',
  alsoNeeds: 'telemetry:query',
  body: z.strictObject({
    name: Name.optional().meta({ description: 'by default that of the dashboard' }),
    from: TimeInput.optional(),
    to: WindowEnd.optional(),
    variables: VariableValues.optional(),
    environment: Key.optional().meta({ description: 'by default that of the dashboard' }),
    expires_in_days: z.number().int().min(1).max(3_650).default(30),
  }),
  response: DashboardSnapshot,
  errors: [
    'WINDOW_INVALID',
    'VARIABLE_INVALID',
    'PERMISSION_DENIED',
    'LIMIT_REACHED',
    'SNAPSHOT_TOO_LARGE',
    'SNAPSHOT_TOO_LONG',
  ],
});
export const listSnapshots = route({
  id: 'dashboard_snapshots.list',
  method: 'GET',
  path,
  summary: 'List snapshots that have not expired, newest first',
  auth: 'user',
  permission: 'dashboards:read',
  list: true,
  query: { dashboard: z.string().max(64).optional() },
  response: DashboardSnapshotSummary,
});
export const getSnapshot = route({
  id: 'dashboard_snapshots.get',
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Get a snapshot, without its data',
  auth: 'user',
  permission: 'dashboards:read',
  response: DashboardSnapshot,
});
export const getSnapshotData = route({
  id: 'dashboard_snapshots.data',
  method: 'GET',
  path: `${path}/{id}/data`,
  summary: 'Stream the data of a snapshot',
  description: 'NDJSON: the lines that the panels had when it was made.',
  auth: 'user',
  permission: 'dashboards:read',
  alsoNeeds: 'telemetry:query',
  media: 'application/x-ndjson',
  response: PanelData,
});
export const removeSnapshot = route({
  id: 'dashboard_snapshots.remove',
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Delete a snapshot',
  auth: 'user',
  permission: 'dashboards:write',
});
