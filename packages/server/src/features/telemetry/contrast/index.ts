import { contrastRoutes } from '@fanion/contract';
import { type Context, implement, type MountedRoute } from '../../../http/context.ts';
import { fail } from '../../../platform/fail.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import { scopeOf } from '../../../platform/scoped-telemetry.ts';
import { formatNs, parseTime, parseWindow } from '../../../platform/time-window.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import type { Feature } from '../../feature.ts';
import { readableProjects } from '../../identity/access/index.ts';
import { type CompilerCall, type ConditionSource, checkedCondition, compileFor } from '../query/index.ts';
import { namedFields, type WhyService } from '../why/index.ts';
import { conditionOf, rankFields, type SelectionInput } from './rules.ts';
import { countFields, countRows, countSides } from './store.ts';

export { countFields } from './store.ts';

/** Up to this many rows are counted exactly; beyond it, a sample of whole traces (or records) represents all. */
const maxExactRows = 200_000;

const fieldsOf: Readonly<Record<ConditionSource, readonly string[]>> = {
  spans: ['service.name', 'name', 'kind', 'status', 'environment', 'scope.name'],
  logs: ['service.name', 'severity', 'event_name', 'environment', 'scope.name'],
};

/** Finds what caused a selection of rows, and the fields in which two selections differ. */
export const contrastFeature = {
  name: 'telemetry/contrast',
  routes: handlers,
} satisfies Feature;

type Dependencies = Pick<FeatureDependencies, 'access' | 'clock' | 'db'> & {
  readonly gateway: Gateway;
  readonly why: WhyService;
};

function handlers(dependencies: Dependencies): MountedRoute[] {
  return implement(contrastRoutes, { contrastSelections: (context) => contrasted(dependencies, context) });
}

async function contrasted(
  { gateway, clock, why, access, db }: Dependencies,
  { body, signal, ...context }: Context<typeof contrastRoutes.contrastSelections>,
) {
  const { compiler } = gateway;
  const telemetry = gateway.lane('interactive');
  const nowMs = clock.now();
  const { source } = body;
  const scope = scopeOf(context);
  const window = parseWindow(body, nowMs);
  const call: CompilerCall = { compiler, workspace: scope.workspace, signal };
  const { selected, compared, both } = await conditionsOf(body, nowMs, call);
  const conditions = `where ${both} and ((${selected}) or (${compared}))`;
  const compileRows = (text: string) => compileFor(text, { scope, window, limit: maxExactRows * 2, nowMs }, call);

  const counting = await compileRows(`${source} | ${conditions} | stats n=count()`);
  const rows = await countRows(telemetry, scope, counting, signal);
  // Counts of spans are weighted, and the counts below are of rows, so the sample is rather too small.
  const share = rows > maxExactRows ? Math.max(1e-6, maxExactRows / rows) : undefined;
  const compares = body.limit > 0;
  const fieldNames = compares ? [...fieldsOf[source], 'attributes', 'resource'] : [];
  const sampled = share === undefined ? source : `${source} | sample ${share.toFixed(6)}`;
  const marked = `extend in_selection=if(${selected}, 1, 0) | fields ${['in_selection', ...fieldNames].join(', ')}`;
  const compiled = await compileRows(`${sampled} | ${conditions} | ${marked}`);
  const { workspace, narrowed, caller } = context;
  const { explain } = await compileRows(`${source} | where (${selected}) or (${compared})`);
  const [{ total, fields }, causes] = await Promise.all([
    (compares ? countFields : countSides)(telemetry, scope, compiled, signal),
    why.explain(
      {
        scope,
        place: {
          workspaceId: workspace.id,
          project: narrowed.project,
          readable: await readableProjects(access, db, caller, workspace.id, 'flags:read'),
          environment: narrowed.environment,
        },
        source,
        rows: `${source} | ${conditions}`,
        selected,
        window,
      },
      { lane: 'interactive', signal },
    ),
  ]);
  const told = namedFields(explain.fields.map(({ ref }) => ref));
  return {
    statistic: 'cramers_v_bias_corrected' as const,
    selection: { rows: total.selection },
    baseline: { rows: total.baseline },
    sample: share ?? null,
    why: causes,
    fields: rankFields(fields, total, told).slice(0, body.limit),
  };
}

/** The rows of each side, and what both have in common, as conditions. */
async function conditionsOf(
  body: Context<typeof contrastRoutes.contrastSelections>['body'],
  nowMs: number,
  call: CompilerCall,
) {
  const { source } = body;
  const read = async (selection: Selection | undefined, path: string) =>
    selection && conditionOf(await inputOf(source, selection, path, nowMs, call), formatNs);
  const selected = await read(body.selection, 'selection');
  if (selected === undefined) throw fail('INVALID_INPUT', { reason: 'selection: say what is in it' });
  const compared = (await read(body.baseline, 'baseline')) ?? 'true';
  const both = body.where === undefined ? 'true' : await checkedCondition(source, body.where, 'where', call);
  return { selected, compared, both };
}

interface Selection {
  readonly where?: string | undefined;
  readonly from?: string | number | undefined;
  readonly to?: string | number | undefined;
  readonly min_duration?: string | undefined;
  readonly max_duration?: string | undefined;
}

async function inputOf(
  source: ConditionSource,
  selection: Selection,
  path: string,
  nowMs: number,
  call: CompilerCall,
): Promise<SelectionInput> {
  const { where, from, to, min_duration, max_duration } = selection;
  if (source === 'logs' && (min_duration !== undefined || max_duration !== undefined))
    throw fail('INVALID_INPUT', { reason: `${path}: only spans have a duration` });
  return {
    where: where === undefined ? undefined : await checkedCondition(source, where, `${path}.where`, call),
    fromNs: from === undefined ? undefined : parseTime(from, `${path}.from`, nowMs),
    toNs: to === undefined ? undefined : parseTime(to, `${path}.to`, nowMs),
    minDuration: min_duration,
    maxDuration: max_duration,
  };
}
