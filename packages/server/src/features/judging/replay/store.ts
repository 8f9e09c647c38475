import type { Gateway } from '../../../platform/gateway/index.ts';
import {
  inScope,
  inWindow,
  type ScopedTelemetry,
  type TelemetryScope,
  windowParameters,
} from '../../../platform/scoped-telemetry.ts';
import type { Window } from '../../../platform/time-window.ts';
import type { SeenUnit } from './rules.ts';

interface Seen {
  readonly scope: TelemetryScope;
  readonly flag: string;
  readonly window: Window;
}

/** Units that were evaluated in a window with what they got last, the latest first; `all` counts those beyond the limit, too. */
export async function listUnits(
  telemetry: ScopedTelemetry,
  { scope, flag, window }: Seen,
  limit: number,
  signal: AbortSignal,
): Promise<{ readonly units: readonly SeenUnit[]; readonly all: number }> {
  const rows = await telemetry.rows<SeenUnit & { readonly all_units: number }>(
    scope,
    `SELECT toString(context_kind) AS kind, unit, toString(last_variant) AS variant, toFloat64(count() OVER ()) AS all_units
     FROM (
       SELECT context_kind, unit, argMax(variant, time) AS last_variant, max(time) AS last_at
       FROM flag_events
       WHERE ${inScope(scope)} AND flag = {flag:String} AND ${inWindow()} AND unit != '' AND error = ''
       GROUP BY context_kind, unit)
     ORDER BY last_at DESC, unit LIMIT ${limit}`,
    { ...windowParameters(window), flag },
    signal,
  );
  return { units: rows, all: rows[0]?.all_units ?? 0 };
}

/** Evaluations of which the unit is not recorded. What a client has reported is not counted again as what the server counted. */
export async function countWithoutUnit(
  gateway: Gateway,
  { scope, flag, window }: Seen,
  signal: AbortSignal,
): Promise<number> {
  const oql = `flags ${JSON.stringify(flag)} | where unit == null | stats n=count()`;
  const { rows } = await gateway.ask(scope, { oql, window, limit: 1 }, { lane: 'interactive', signal });
  return Number(rows[0]?.[0] ?? 0);
}
