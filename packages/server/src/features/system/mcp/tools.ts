import {
  type AnyRoute,
  alertInstancesRoutes,
  contrastRoutes,
  experimentsRoutes,
  fieldsRoutes,
  flagChangesRoutes,
  flagsRoutes,
  flagTestRoutes,
  servicesRoutes,
  slosRoutes,
  telemetryRoutes,
} from '@fanion/contract';
import { z } from 'zod';

/** A tool calls one route, so its permission, checks, audit and history are those of the route. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly route: AnyRoute;
  /** Arguments that stand in the route's path: argument by parameter. */
  readonly path: Readonly<Record<string, string>>;
  /** Fields of the route's query or body that an assistant cannot set. */
  readonly hidden: readonly string[];
  /** Values of the route's query or body in every call. */
  readonly fixed: Readonly<Record<string, unknown>>;
  /** The field that bounds the rows that the route reads. */
  readonly limit?: string;
  /** Called instead of this tool's route if the argument is present. */
  readonly withArgument?: { readonly name: string; readonly tool: Tool };
}

function tool(
  name: string,
  route: AnyRoute,
  description: string,
  more: Partial<Omit<Tool, 'name' | 'route' | 'description'>> = {},
): Tool {
  return { name, route, description, path: {}, hidden: [], fixed: {}, ...(route.list && { limit: 'limit' }), ...more };
}

const flagPath = { p: 'project', key: 'flag' };
const targetingPath = { ...flagPath, e: 'environment' };

export const tools: readonly Tool[] = [
  tool(
    'query',
    telemetryRoutes.runQuery,
    'Run OQL over spans, logs, metrics and flag evaluations; the last hour by default. An invalid query returns diagnostics with the repair of each.',
    { limit: 'limit' },
  ),
  tool('explain_query', telemetryRoutes.explainQuery, 'Compile OQL without running it; show its plan and its cost.'),
  tool(
    'list_fields',
    fieldsRoutes.listFields,
    'List the fields that queries can use, or with `field` its most frequent values.',
    { limit: 'limit' },
  ),
  tool('list_services', servicesRoutes.listServices, 'List the services that sent telemetry.', {
    hidden: ['workspace'],
  }),
  tool('get_trace', telemetryRoutes.getTrace, 'Get the spans of a trace and its critical path.', {
    path: { trace_id: 'trace_id' },
  }),
  tool(
    'contrast',
    contrastRoutes.contrastSelections,
    'Compare a selection of spans or logs with the others, and rank what caused it: flags, deploys, attributes.',
  ),
  tool(
    'list_alerts',
    alertInstancesRoutes.listAlertInstances,
    'List alerts that are pending, firing or just resolved.',
  ),
  tool('slo_status', slosRoutes.listSlos, 'List SLOs with attainment, error budget and burn rates.', {
    hidden: ['status'],
    fixed: { status: 'true' },
  }),
  tool('list_flags', flagsRoutes.listFlags, 'List the flags of a project with their state per environment.', {
    path: { p: 'project' },
  }),
  tool('get_flag', flagsRoutes.getFlag, 'Get a flag; with `environment`, its targeting there.', {
    path: flagPath,
    withArgument: {
      name: 'environment',
      tool: tool('get_flag', flagsRoutes.getTargeting, '', { path: targetingPath }),
    },
  }),
  tool('explain_evaluation', flagTestRoutes.testFlag, 'Evaluate a flag for a context, and explain the result.', {
    path: targetingPath,
    hidden: ['explain'],
    fixed: { explain: 'true' },
  }),
  tool(
    'propose_flag_change',
    flagChangesRoutes.deferChange,
    'Propose a change of a flag’s targeting. It waits until a person approves it; nothing changes before.',
    { path: targetingPath, hidden: ['apply_at'] },
  ),
  tool('experiment_results', experimentsRoutes.listExperiments, 'List experiments; with `experiment`, its results.', {
    path: { p: 'project' },
    withArgument: {
      name: 'experiment',
      tool: tool('experiment_results', experimentsRoutes.getExperimentResults, '', {
        path: { p: 'project', id: 'experiment' },
      }),
    },
  }),
];

/** The arguments of a tool as fields of an object. */
export function fieldsOf({ route, path, hidden, withArgument }: Tool): Record<string, z.ZodType> {
  const body = route.body instanceof z.ZodObject ? route.body.shape : {};
  const fields: Record<string, z.ZodType> = { ...route.query.shape, ...body };
  for (const name of hidden) delete fields[name];
  for (const argument of Object.values(path)) fields[argument] = z.string().min(1).max(128);
  if (withArgument !== undefined) {
    for (const [name, field] of Object.entries(fieldsOf(withArgument.tool))) fields[name] ??= field.optional();
  }
  return fields;
}

export function inputSchema(one: Tool): { type: 'object'; [key: string]: unknown } {
  const schema = z.toJSONSchema(z.strictObject(fieldsOf(one)), { io: 'input', unrepresentable: 'any' });
  return { ...schema, type: 'object' };
}
