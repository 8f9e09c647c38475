import { Failure } from '../../../platform/fail.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import { deployWindowMs, listDeploys, maxVersions } from '../../dashboards/annotations/index.ts';
import type { Range } from '../budget/index.ts';
import { serviceOf } from './service-rules.ts';
import type { SloRow } from './store.ts';

/** A page about an SLO asks every minute, and looking for versions reads all spans of the window. */
const everyMs = 5 * 60_000;

/** A new version of a service. */
export interface SloDeploy {
  readonly at: Date;
  readonly service: string;
  readonly version: string;
  readonly environment: string | null;
}

/**
 * The deploys of an SLO in a range, the oldest first, of the service that its indicator names or else of all; and which are
 * left out.
 */
export async function listDeploysOf(
  gateway: Gateway,
  { workspace_number, project_number, project, environment, definition }: SloRow,
  { fromMs, toMs }: Range,
  signal: AbortSignal,
): Promise<{ readonly deploys: readonly SloDeploy[]; readonly warnings: readonly string[] }> {
  const scope = { workspace: workspace_number, project: project_number, environment: environment ?? undefined };
  const place = { ...scope, key: project };
  const window = {
    fromMs: Math.max(fromMs, toMs - deployWindowMs),
    toMs,
    service: serviceOf(definition.indicator),
    everyMs,
  };
  try {
    const found = await listDeploys(gateway, place, window, signal);
    if (found === undefined)
      return { deploys: [], warnings: [`deploys are left out: services have more than ${maxVersions} versions here`] };
    const deploys = found
      .map(({ time, service, version, environment }) => ({
        at: new Date(time),
        service: service ?? '',
        version: version ?? '',
        environment,
      }))
      .sort((a, b) => a.at.getTime() - b.at.getTime());
    return { deploys, warnings: fromMs < window.fromMs ? ['deploys before the last 7 days are left out'] : [] };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Failure)) throw error;
    return { deploys: [], warnings: [`deploys are left out: ${error.message}`] };
  }
}
