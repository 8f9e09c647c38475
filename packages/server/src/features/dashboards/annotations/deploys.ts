import { createHash } from 'node:crypto';
import type { Annotation } from '@fanion/contract';
import type { Gateway } from '../../../platform/gateway/index.ts';
import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import { deploysIn, type FirstSeen } from './rules.ts';

const minuteMs = 60_000;
const hourMs = 3_600_000;
/** Versions are looked for in windows up to this length: all spans of the window are read. */
export const deployWindowMs = 7 * 24 * hourMs;
export const maxVersions = 2_000;

export interface DeployWindow {
  readonly fromMs: number;
  readonly toMs: number;
  readonly service: string | undefined;
  /** How late a deploy may be listed. @default a minute */
  readonly everyMs?: number;
}

/** Versions of services, with the first span of each in each environment. */
const query =
  'spans | where service.name == $service | stats first=min(time) by service.name, service.version, environment';
const queryOfAll = 'spans | stats first=min(time) by service.name, service.version, environment';

/**
 * The first spans of versions in a window. A version counts as new if another one of the same service was seen before, in the
 * window or the hour before it (a day, for windows of a day). Undefined if there are too many versions to tell. Throws as the gateway does.
 */
export async function listDeploys(
  gateway: Gateway,
  { project, ...place }: TelemetryScope & { readonly key: string | null },
  { fromMs, toMs, service, everyMs = minuteMs }: DeployWindow,
  signal: AbortSignal,
): Promise<Annotation[] | undefined> {
  const before = Math.min(24 * hourMs, Math.max(hourMs, toMs - fromMs));
  const ns = (ms: number) => BigInt(ms) * 1_000_000n;
  // Whole steps, so that pages that ask within one share the answer.
  const start = Math.floor((fromMs - before) / everyMs) * everyMs;
  const end = Math.ceil(toMs / everyMs) * everyMs;
  const { workspace, environment, key } = place;
  const answer = await gateway.ask(
    { workspace, project, environment },
    {
      oql: service === undefined ? queryOfAll : query,
      window: { fromNs: ns(Math.max(0, start)), toNs: ns(end) },
      limit: maxVersions,
      ...(service !== undefined && { params: { service } }),
    },
    { lane: 'dashboard', signal, maxAgeMs: everyMs },
  );
  if (answer.truncated) return undefined;
  const at = (name: string) => answer.columns.findIndex((column) => column.name === name);
  const columns = {
    service: at('service.name'),
    version: at('service.version'),
    environment: at('environment'),
    first: at('first'),
  };
  const seen: FirstSeen[] = answer.rows.map((row) => ({
    service: String(row[columns.service] ?? ''),
    version: String(row[columns.version] ?? ''),
    environment: String(row[columns.environment] ?? ''),
    at: Date.parse(String(row[columns.first] ?? '').replace(/(\.\d{3})\d+/, '$1')),
  }));
  return deploysIn(seen, fromMs)
    .filter(({ at }) => at < toMs)
    .map((one) => ({
      id: `deploy-${createHash('sha256')
        .update(JSON.stringify([one.service, one.environment, one.version]))
        .digest('hex')
        .slice(0, 32)}`,
      kind: 'deploy',
      time: new Date(one.at).toISOString(),
      end: null,
      text: `${one.service} ${one.version}`,
      tags: [],
      project: key,
      environment: one.environment === '' ? null : one.environment,
      service: one.service,
      flag: null,
      alert: null,
      version: one.version,
      author: null,
    }));
}
