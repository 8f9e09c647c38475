import { contrastRoutes } from '@fanion/contract';
import { implement, type MountedRoute } from '../../../http/context.ts';
import type { Clock } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import { type ScopedTelemetry, scopeOf } from '../../../platform/scoped-telemetry.ts';
import { formatNs, parseTime, parseWindow } from '../../../platform/time-window.ts';
import type { Feature } from '../../feature.ts';
import { type ConditionSource, checkedCondition, compileFor } from '../query/index.ts';
import { conditionOf, namedFields, rankFields, type SelectionInput } from './rules.ts';
import { countFields, countRows } from './store.ts';

/** Rows that are counted one by one; of more, a share of whole traces (or records) stands for all. */
const maxExactRows = 200_000;

const fieldsOf: Readonly<Record<ConditionSource, readonly string[]>> = {
  spans: ['service.name', 'name', 'kind', 'status', 'environment', 'scope.name'],
  logs: ['service.name', 'severity', 'event_name', 'environment', 'scope.name'],
};

/** What is different about them. */
export const contrastFeature = {
  name: 'telemetry/contrast',
  routes: handlers,
} satisfies Feature;

function handlers({ telemetry, clock }: { telemetry: ScopedTelemetry; clock: Clock }): MountedRoute[] {
  return implement(contrastRoutes, {
    async contrastSelections({ body, signal, ...context }) {
      const nowMs = clock.now();
      const { source } = body;
      const scope = scopeOf(context);
      const window = parseWindow(body, nowMs);
      const read = (selection: Selection | undefined, path: string) =>
        selection && conditionOf(inputOf(source, selection, path, nowMs), formatNs);
      const selected = read(body.selection, 'selection');
      if (selected === undefined) throw fail('INVALID_INPUT', { reason: 'selection: say what is in it' });
      const compared = read(body.baseline, 'baseline') ?? 'true';
      const both = body.where === undefined ? 'true' : checkedCondition(source, body.where, 'where');
      const conditions = `where ${both} and ((${selected}) or (${compared}))`;
      const compileRows = (text: string) => compileFor(text, { scope, window, limit: maxExactRows * 2, nowMs });

      const counting = compileRows(`${source} | ${conditions} | stats n=count()`);
      const rows = await countRows(telemetry, scope, counting, signal);
      // Counts of spans are weighted; what is counted below are rows, so this errs on the safe side.
      const share = rows > maxExactRows ? Math.max(1e-6, maxExactRows / rows) : undefined;
      const compiled = compileRows(
        [
          source,
          ...(share === undefined ? [] : [`sample ${share.toFixed(6)}`]),
          conditions,
          `extend in_selection=if(${selected}, 1, 0)`,
          `fields in_selection, ${fieldsOf[source].join(', ')}, attributes, resource`,
        ].join(' | '),
      );
      const { total, fields } = await countFields(telemetry, scope, compiled, signal);
      const told = namedFields(
        compileRows(`${source} | where (${selected}) or (${compared})`).explain.fields.map(({ ref }) => ref),
      );
      return {
        statistic: 'cramers_v_bias_corrected' as const,
        selection: { rows: total.selection },
        baseline: { rows: total.baseline },
        sample: share ?? null,
        fields: rankFields(fields, total, told).slice(0, body.limit),
      };
    },
  });
}

interface Selection {
  readonly where?: string | undefined;
  readonly from?: string | number | undefined;
  readonly to?: string | number | undefined;
  readonly min_duration?: string | undefined;
  readonly max_duration?: string | undefined;
}

function inputOf(source: ConditionSource, selection: Selection, path: string, nowMs: number): SelectionInput {
  const { where, from, to, min_duration, max_duration } = selection;
  if (source === 'logs' && (min_duration !== undefined || max_duration !== undefined))
    throw fail('INVALID_INPUT', { reason: `${path}: only spans have a duration` });
  return {
    where: where === undefined ? undefined : checkedCondition(source, where, `${path}.where`),
    fromNs: from === undefined ? undefined : parseTime(from, `${path}.from`, nowMs),
    toNs: to === undefined ? undefined : parseTime(to, `${path}.to`, nowMs),
    minDuration: min_duration,
    maxDuration: max_duration,
  };
}
