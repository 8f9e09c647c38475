import { Failure, fail } from '../../../platform/fail.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import type { Window } from '../../../platform/time-window.ts';
import { unknown, type WhyService } from '../../telemetry/why/index.ts';
import type { Counts } from '../budget/index.ts';
import { scopeOfSlo } from './derive.ts';
import { eventsQuery } from './indicator-rules.ts';
import { flagShares } from './spent-by-rules.ts';
import { countByVariant } from './spent-by-store.ts';
import type { SloRow } from './store.ts';

interface SpentByParts {
  readonly gateway: Gateway;
  readonly why: WhyService;
  /** Projects whose flags the caller may read; undefined: all. */
  readonly readable: readonly string[] | undefined;
}

/** The causes and flag variants of the bad events of a window. What cannot be found out is an error in the answer. */
export async function findSpentBy(parts: SpentByParts, slo: SloRow, window: Window, signal: AbortSignal) {
  const shown = { from: isoOf(window.fromNs), to: isoOf(window.toNs) };
  try {
    const [why, flags] = await Promise.all([
      findCauses(parts, slo, window, signal),
      findFlags(parts.gateway, slo, window, signal),
    ]);
    return { ...shown, error: null, why, ...flags };
  } catch (error) {
    if (!(error instanceof Failure) || error.status >= 500) throw error;
    return { ...shown, error: error.message, good: 0, total: 0, why: unknown(error.message), flags: [] };
  }
}

async function findCauses({ why, readable }: SpentByParts, slo: SloRow, window: Window, signal: AbortSignal) {
  const { indicator } = slo.definition;
  const source = indicator.kind === 'events' ? /^\s*(spans|logs)\b/.exec(indicator.source)?.[1] : undefined;
  if (indicator.kind !== 'events' || (source !== 'spans' && source !== 'logs'))
    throw fail('SLO_INVALID', { reason: 'only events that are spans or logs can be compared' });
  return why.explain(
    {
      scope: scopeOfSlo(slo),
      place: {
        workspaceId: slo.workspace_id,
        project: { id: slo.project_id, key: slo.project },
        readable,
        environment: slo.environment ?? undefined,
      },
      source,
      // The line breaks end comments.
      rows: `${indicator.source}\n`,
      selected: `not (${indicator.good}\n)`,
      window,
    },
    { lane: 'interactive', signal },
  );
}

async function findFlags(gateway: Gateway, slo: SloRow, window: Window, signal: AbortSignal) {
  const { indicator, objective } = slo.definition;
  if (indicator.kind !== 'events') return { good: 0, total: 0, flags: [] };
  const { all, variants } = await countByVariant(gateway, scopeOfSlo(slo), eventsQuery(indicator), window, signal);
  return { good: all.good, total: all.total, flags: flagShares(all satisfies Counts, variants, objective) };
}

function isoOf(ns: bigint): string {
  return new Date(Number(ns / 1_000_000n)).toISOString();
}
