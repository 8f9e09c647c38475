import { z } from 'zod';
import { FlagKey, Id, Key, Name, OneLine } from '../primitives.ts';
import { TimeZone } from '../slos/primitives.ts';
import { QueryLanguage } from '../telemetry/telemetry.ts';

/** Counts changes of the model that older readers cannot read. */
export const dashboardSchemaVersion = 1;
export const dashboardColumns = 24;

/** Types that ask an OQL query. The others show a resource or a text. */
export const queryPanelTypes = [
  'time_series',
  'stat',
  'gauge',
  'bar',
  'table',
  'heat_map',
  'logs',
  'traces',
  'flame_graph',
] as const;
export const PanelType = z.enum([
  ...queryPanelTypes,
  'service_map',
  'slo',
  'flag_rollout',
  'experiment',
  'text',
  'row',
]);
export type PanelType = z.output<typeof PanelType>;

/** Pages render links, so that other schemes are refused. `$name` stands for the value of a variable. */
const LinkUrl = z
  .string()
  .max(2_000)
  .regex(/^(https?:\/\/|\/(?![/\\]))[^\s<>"\\]*$/, 'a link begins with https://, http:// or /')
  .meta({ examples: ['https://example.com/runbook', '/services'] });
export const DashboardLink = z.strictObject({ title: Name, url: LinkUrl });

export const PanelThreshold = z.strictObject({
  value: z.number().meta({ description: 'the colour counts from this value on' }),
  color: z.enum(['ok', 'warning', 'error', 'neutral']),
});

const Scalar = z.union([z.string().max(4_096), z.number(), z.boolean()]);
/** One value or several. `$__all` stands for all: conditions with the variable are true. */
export const VariableValue = z.union([Scalar, z.array(Scalar).max(1_000)]);
export type VariableValue = z.output<typeof VariableValue>;

const VariableName = z
  .string()
  .regex(/^(?!__)[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'a name is 1 to 64 letters, digits and _, and does not begin with __');

export const VariableValues = z
  .record(z.string().max(64), VariableValue)
  .meta({ description: 'the chosen values by name; a variable that is left out has its default', examples: [{}] });
export type VariableValues = z.output<typeof VariableValues>;

const Repeat = z.strictObject({
  variable: VariableName,
  direction: z
    .enum(['right', 'down'])
    .optional()
    .meta({ description: 'of a panel: where its copies stand; by default to the right of each other' }),
  max_per_line: z.number().int().min(1).max(dashboardColumns).optional().meta({ description: 'by default 4' }),
});

const SeriesName = OneLine(1_000)
  .optional()
  .meta({ description: 'of PromQL: the name of each series; `{{label}}` stands for the value of a label' });

export const DashboardPanel = z.strictObject({
  id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'an id is 1 to 64 of A-Z a-z 0-9 _ -')
    .meta({
      description: 'unique in the dashboard; it stays the same while the panel changes',
      examples: ['requests'],
    }),
  type: PanelType,
  title: OneLine(200).default(''),
  description: z.string().max(2_000).default(''),
  x: z
    .number()
    .int()
    .min(0)
    .max(dashboardColumns - 1)
    .meta({ description: 'left column of 24' }),
  y: z.number().int().min(0).max(10_000).meta({ description: 'top row' }),
  w: z.number().int().min(1).max(dashboardColumns),
  h: z.number().int().min(1).max(100),
  query: z.string().max(65_536).optional().meta({
    description:
      'in OQL or PromQL; `$name` is the value of a variable. In a quoted text of OQL, the name is written with braces around it',
  }),
  query_language: QueryLanguage.optional().meta({
    description:
      'by default OQL. PromQL is evaluated at each step in panels of the types time_series and heat_map, and once at the end of the window in others',
  }),
  series_name: SeriesName,
  more_queries: z
    .array(z.strictObject({ query: z.string().min(1).max(65_536), series_name: SeriesName }))
    .max(25)
    .optional()
    .meta({ description: 'of PromQL: further queries that the panel shows together with `query`' }),
  unit: OneLine(32).optional().meta({ description: 'in UCUM, such as `s`, `By` or `%`; by default from the column' }),
  decimals: z.number().int().min(0).max(10).optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  thresholds: z.array(PanelThreshold).max(10).optional(),
  legend: z.enum(['table', 'list', 'hidden']).optional(),
  draw: z.enum(['lines', 'area', 'bars', 'points']).optional(),
  stacked: z.boolean().optional(),
  links: z.array(DashboardLink).max(10).optional(),
  split: z
    .strictObject({
      flag: z
        .string()
        .regex(
          /^(\$[A-Za-z_][A-Za-z0-9_]{0,63}|[A-Za-z0-9][A-Za-z0-9._-]{0,127})$/,
          'the key of a flag, or `$name` of a variable',
        )
        .meta({
          description:
            'the key of a flag, or `$name` for the flag that a variable chooses; the panel is not split while the variable has no value',
          examples: ['new-checkout'],
        }),
    })
    .optional()
    .meta({
      description:
        'of panels with a query: shows each variant of a flag apart. A row belongs to the variant that its trace was served; rows whose trace did not evaluate the flag are left out, and traces with several variants are shown as one more',
    }),
  text: z.string().max(65_536).optional().meta({ description: 'Markdown of a panel of the type `text`' }),
  slo: Id.optional().meta({ description: 'of a panel of the type `slo`' }),
  flag: z
    .strictObject({ project: z.string().max(128), environment: Key, key: FlagKey })
    .optional()
    .meta({ description: 'of a panel of the type `flag_rollout`' }),
  experiment: Id.optional().meta({ description: 'of a panel of the type `experiment`' }),
  collapsed: z
    .boolean()
    .optional()
    .meta({ description: 'of a row: the panels below it, up to the next row, are hidden' }),
  repeat: Repeat.optional().meta({
    description:
      'shows a copy for each value of a variable: those that are chosen, or all. A row is copied with the panels below it, up to the next row',
  }),
  variables: VariableValues.optional().meta({ description: 'values that the panel uses in place of the chosen ones' }),
});
export type DashboardPanel = z.output<typeof DashboardPanel>;

export const VariableType = z.enum(['query', 'list', 'text', 'interval', 'project', 'environment', 'flag']);
export const DashboardVariable = z.strictObject({
  name: VariableName.meta({ examples: ['service'] }),
  type: VariableType,
  label: OneLine(200).optional(),
  description: z.string().max(2_000).optional(),
  query: z
    .string()
    .max(65_536)
    .optional()
    .meta({ description: 'of the type `query`: its first column has the values to choose from' }),
  query_language: QueryLanguage.optional().meta({
    description: 'by default OQL. In PromQL, `label_values(selector, label)` lists the values of a label',
  }),
  values: z
    .array(Scalar)
    .max(1_000)
    .optional()
    .meta({ description: 'of the types `list` and `interval`: the values to choose from' }),
  default: VariableValue.optional().meta({ description: 'without it nothing is chosen: conditions with it are true' }),
  multi: z.boolean().optional(),
  include_all: z.boolean().optional(),
  hidden: z.boolean().optional(),
});
export type DashboardVariable = z.output<typeof DashboardVariable>;

const WindowText = z.string().trim().min(1).max(64);
export const DashboardTime = z.strictObject({
  from: WindowText.default('now-1h'),
  to: WindowText.default('now'),
  refresh: z
    .string()
    .regex(/^(off|[1-9]\d{0,3}[smh])$/, 'off, or a duration such as 30s or 5m')
    .default('off'),
  time_zone: z.union([z.literal('browser'), TimeZone]).default('browser'),
});

/** What a dashboard shows: the part that versions keep, and that is exported. */
const Model = {
  name: Name,
  description: z.string().max(10_000).default(''),
  tags: z.array(Name).max(20).default([]),
  panels: z.array(DashboardPanel).max(1_000),
  variables: z.array(DashboardVariable).max(50).default([]),
  links: z.array(DashboardLink).max(20).default([]),
  time: DashboardTime.prefault({}),
};
export const dashboardModelFields = Model;
/** The exported form. */
export const DashboardModel = z.strictObject({
  schema_version: z.literal(dashboardSchemaVersion).default(dashboardSchemaVersion),
  ...Model,
});
export type DashboardModel = z.output<typeof DashboardModel>;

/** The JSON Schema of an exported dashboard, for editors and other tools. */
export function dashboardJsonSchema(): Readonly<Record<string, unknown>> {
  return { ...z.toJSONSchema(DashboardModel, { io: 'input' }), title: 'A dashboard of Fanion' };
}
