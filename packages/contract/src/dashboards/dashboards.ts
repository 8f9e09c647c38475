import { z } from 'zod';
import { Difference } from '../flags/difference.ts';
import {
  Count,
  HttpStatus,
  Id,
  OneLine,
  SearchText,
  Time,
  TimeInput,
  Version,
  WebUrl,
  WindowEnd,
} from '../primitives.ts';
import { route } from '../route.ts';
import { Column } from '../telemetry/telemetry.ts';
import { ReplacedVersion } from '../versions.ts';
import { DashboardModel, DashboardPanel, DashboardVariable, dashboardModelFields, VariableValues } from './model.ts';

const path = '/workspaces/{ws}/dashboards';

export const Author = z.object({ id: Id.nullable(), name: z.string() });
const Place = {
  project: z.string().max(128).optional().meta({ description: 'id or key; panels then read only this project' }),
  environment: z.string().max(128).optional(),
};
const Source = OneLine(300).min(1);
const Comment = z.string().trim().max(2_000).optional().meta({ description: 'kept with the version' });

const Facts = {
  id: Id,
  version: Version,
  project: z.string().nullable().meta({ description: 'key; null: all projects' }),
  environment: z.string().nullable(),
  source: z.string().nullable().meta({ description: 'the file that it comes from; it is then changed only there' }),
  created_by: Author.nullable(),
  created_at: Time,
  updated_by: Author.nullable(),
  updated_at: Time,
};
export const DashboardSummary = z.object({
  ...Facts,
  name: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  panels: Count,
});
export const Dashboard = z.object({ ...Facts, ...DashboardModel.shape });
export type Dashboard = z.output<typeof Dashboard>;
export const DashboardVersion = z.object({
  version: Version,
  author: Author,
  comment: z.string().nullable(),
  created_at: Time,
});

const body = {
  ...dashboardModelFields,
  schema_version: DashboardModel.shape.schema_version,
  comment: Comment,
};
const example = {
  name: 'Shop',
  panels: [
    {
      id: 'requests',
      type: 'time_series',
      title: 'Requests',
      query: 'spans | stats n=count() by bucket(1m)',
      ...{ x: 0, y: 0, w: 12, h: 8 },
    },
  ],
};
const errors = ['DASHBOARD_INVALID', 'WINDOW_INVALID'] as const;
/** Of reading the queries of variables. */
const reading = ['QUERY_TOO_EXPENSIVE', 'QUERY_QUEUE_FULL'] as const;

export const listDashboards = route({
  id: 'dashboards.list',
  method: 'GET',
  path,
  summary: 'List dashboards, newest first',
  auth: 'user',
  scopeIn: 'query',
  permission: 'dashboards:read',
  list: true,
  query: {
    project: z.string().max(128).optional(),
    environment: z.string().max(128).optional(),
    search: SearchText.optional().meta({ description: 'searches name, description and tags' }),
    tag: SearchText.optional(),
  },
  response: DashboardSummary,
});
export const createDashboard = route({
  id: 'dashboards.create',
  bodyLimit: 'document',
  example: { body: example },
  method: 'POST',
  path,
  summary: 'Create a dashboard',
  description:
    'Panels that cannot be shown are saved too: `meta.warnings` lists those with an invalid query, and those that name an SLO, an experiment or a flag that does not exist. The form of the body is published as JSON Schema in `docs/dashboard.schema.json`.',
  auth: 'user',
  scopeIn: 'body',
  permission: 'dashboards:write',
  body: z.strictObject({
    ...body,
    ...Place,
    source: Source.optional().meta({ description: 'the file that it comes from; it is then changed only there' }),
  }),
  response: Dashboard,
  errors: [...errors, 'LIMIT_REACHED', ...reading],
});
export const getDashboard = route({
  id: 'dashboards.get',
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Get a dashboard',
  auth: 'user',
  permission: 'dashboards:read',
  response: Dashboard,
});
export const replaceDashboard = route({
  id: 'dashboards.replace',
  bodyLimit: 'document',
  example: { body: { ...example, version: 1 } },
  method: 'PUT',
  path: `${path}/{id}`,
  summary: 'Replace a dashboard',
  description:
    'Makes a new version, unless nothing changed. A stale version is refused, and `details` list what changed since it. A dashboard that comes from a file is changed only by requests that name a `source`. At most 500 versions are kept by default, the newest ones.',
  auth: 'user',
  scopeIn: 'body',
  permission: 'dashboards:write',
  body: z.strictObject({
    ...body,
    ...Place,
    source: Source.nullable().optional().meta({
      description: 'required to change a dashboard that comes from a file; null: it is changed here from now on',
    }),
    version: ReplacedVersion,
  }),
  response: Dashboard,
  errors: [...errors, 'STALE_VERSION', 'DASHBOARD_FROM_FILE', ...reading],
});
export const removeDashboard = route({
  id: 'dashboards.remove',
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Delete a dashboard with its versions',
  auth: 'user',
  permission: 'dashboards:write',
  query: {
    source: Source.optional().meta({ description: 'required to delete a dashboard that comes from a file: this file' }),
  },
  errors: ['DASHBOARD_FROM_FILE'],
});
export const listDashboardVersions = route({
  id: 'dashboards.versions',
  method: 'GET',
  path: `${path}/{id}/versions`,
  summary: 'List the versions of a dashboard, newest first',
  auth: 'user',
  permission: 'dashboards:read',
  list: true,
  response: DashboardVersion,
});
export const getDashboardVersion = route({
  id: 'dashboards.version',
  method: 'GET',
  path: `${path}/{id}/versions/{version}`,
  summary: 'Get a version of a dashboard, with what it changed',
  auth: 'user',
  permission: 'dashboards:read',
  query: {
    against: z.coerce
      .number()
      .int()
      .min(1)
      .max(2_147_483_647)
      .optional()
      .meta({ description: 'the version to compare it with, by default the one before it' }),
  },
  response: z.object({
    ...DashboardVersion.shape,
    model: DashboardModel,
    against: Version.nullable(),
    changes: z.array(Difference).meta({ description: 'from `against` to this version' }),
  }),
});
export const rollbackDashboard = route({
  id: 'dashboards.rollback',
  method: 'POST',
  path: `${path}/{id}/versions/{version}/rollback`,
  summary: 'Make a new version that equals an older one',
  auth: 'user',
  permission: 'dashboards:write',
  response: Dashboard,
  status: 200,
  errors: ['DASHBOARD_FROM_FILE'],
});

const Asked = { from: TimeInput.optional(), to: WindowEnd.optional(), variables: VariableValues.optional() };
export const PanelResult = z.object({
  panel: z.string(),
  columns: z.array(Column),
  rows: z.array(z.array(z.unknown())),
  kind: z.enum(['table', 'timeseries', 'scalar', 'flamegraph']),
  meta: z.record(z.string(), z.unknown()).meta({
    description:
      'from, to, took_ms, rows_read, bytes_read, truncated, warnings, completeness (as of a query), age_ms, query: the OQL that ran, and split: the column with the variant of a panel that is split by a flag',
  }),
});
export const PanelFailure = z.object({
  panel: z.string(),
  error: z.object({
    code: z.string(),
    message: z.string(),
    status: HttpStatus,
    details: z.array(z.record(z.string(), z.unknown())).optional(),
  }),
});
/** One line of a stream of data. */
export const PanelData = z.union([PanelResult, PanelFailure]);
const dataErrors = ['WINDOW_INVALID', 'VARIABLE_INVALID', 'PERMISSION_DENIED'] as const;
/** Of routes that run queries. */
const asks = {
  method: 'POST',
  auth: 'user',
  permission: 'dashboards:read',
  alsoNeeds: 'telemetry:query',
  reads: true,
  status: 200,
} as const;

export const getDashboardData = route({
  id: 'dashboards.data',
  example: { body: { from: 'now-1h', to: 'now' } },
  ...asks,
  media: 'application/x-ndjson',
  path: `${path}/{id}/data`,
  summary: 'Stream the data of panels',
  description:
    'NDJSON: one line per panel that has a query, as soon as its answer is there, in no fixed order. A panel that fails has a line with its error. The ends of a relative window are moved to round times, at most a hundredth of the window, so that people who look at the same dashboard share answers; `meta.age_ms` reports the age of one that was computed before. `Cache-Control: no-cache` asks for fresh ones. A variable of the type `project` or `environment` narrows what panels read. Panels that `repeat` have a line for each copy: the first one has the id of the panel, the others `<id>-2`, `<id>-3` and so on.',
  body: z.strictObject({
    ...Asked,
    panels: z
      .array(z.string().max(64))
      .max(1_000)
      .optional()
      .meta({ description: 'ids, also of copies; all by default' }),
  }),
  response: PanelData,
  errors: dataErrors,
});
export const previewDashboard = route({
  id: 'dashboards.preview',
  bodyLimit: 'document',
  example: { body: { panels: example.panels, from: 'now-1h', to: 'now' } },
  ...asks,
  media: 'application/x-ndjson',
  path: `${path}/preview`,
  summary: 'Stream the data of panels that are not saved',
  description: 'As for a saved dashboard.',
  scopeIn: 'body',
  body: z.strictObject({
    panels: z.array(DashboardPanel).max(1_000),
    definitions: z.array(DashboardVariable).max(50).default([]).meta({ description: 'of the variables' }),
    ...Asked,
    ...Place,
  }),
  response: PanelData,
  errors: [...dataErrors, 'DASHBOARD_INVALID', ...reading],
});
export const listVariableOptions = route({
  id: 'dashboards.variables',
  bodyLimit: 'document',
  example: {
    body: {
      definitions: [{ name: 'service', type: 'query', query: 'spans | count by service.name | fields service.name' }],
    },
  },
  ...asks,
  path: `${path}/variables`,
  summary: 'List the values that variables can be given',
  description: 'The queries of variables may name other variables; these have the values in `variables`.',
  scopeIn: 'body',
  body: z.strictObject({
    definitions: z.array(DashboardVariable).max(50),
    ...Asked,
    ...Place,
  }),
  response: z.object({
    variables: z.array(
      z.object({
        name: z.string(),
        options: z.array(z.union([z.string(), z.number(), z.boolean()])),
        truncated: z.boolean(),
        error: z.object({ code: z.string(), message: z.string(), status: HttpStatus }).nullable(),
      }),
    ),
  }),
  errors: [...dataErrors, 'DASHBOARD_INVALID', ...reading],
});

export const ImportReport = z.array(
  z.object({
    what: z.enum(['panel', 'variable', 'dashboard']),
    name: z.string(),
    kept: z.boolean(),
    losses: z.array(z.string()).meta({ description: 'what is not the same, or why it is not kept' }),
  }),
);
export type ImportReport = z.output<typeof ImportReport>;
export const convertDashboard = route({
  id: 'dashboards.convert',
  bodyLimit: 'document',
  example: { body: { grafana: { title: 'Node', panels: [{ type: 'text', options: { content: 'Notes' } }] } } },
  method: 'POST',
  path: `${path}/convert`,
  summary: "Convert Grafana's JSON to a dashboard, without saving it",
  description:
    "Takes the classic JSON of Grafana, and its versions 1 and 2. PromQL becomes OQL where that has an equal. `report` has a line for each panel and each variable: kept or not, and what is lost. With `url` in place of `grafana`, the server fetches the document, which requires `dashboards:write`. It may also be an exported dashboard of this product, whose `report` is empty. A dashboard's page on grafana.com stands for its latest revision. The server sends no credentials, follows no redirects, and reaches only allowed addresses.",
  auth: 'user',
  permission: 'dashboards:read',
  reads: true,
  status: 200,
  body: z
    .strictObject({
      grafana: z.record(z.string(), z.unknown()).optional(),
      url: WebUrl.optional().meta({ description: 'of a JSON document, or of a page on grafana.com' }),
    })
    .refine(({ grafana, url }) => (grafana === undefined) !== (url === undefined), 'needs either grafana or url'),
  response: z.object({ model: DashboardModel, report: ImportReport }),
  errors: [
    'DASHBOARD_NOT_GRAFANA',
    'DASHBOARD_NOT_FETCHED',
    'DASHBOARD_INVALID',
    'IMPORTS_LIMITED',
    'PERMISSION_DENIED',
    'QUERY_QUEUE_FULL',
  ],
});
