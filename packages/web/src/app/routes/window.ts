import { oqlQuery } from '../../telemetry/oql.ts';
import { rangeFromSearch } from '../../ui/time/time-range.ts';
import { prefetch } from '../query-client.ts';
import { can, type Scope } from '../session.ts';
import type { ScopeSearch } from './scope.tsx';

/** The environment and the time range of an address, for `loaderDeps` of pages that load telemetry. */
export const windowOf = ({ search: { env, from, to } }: { search: ScopeSearch }): ScopeSearch => ({
  ...(env !== undefined && { env }),
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to }),
});

/** What a page of telemetry asks for, as its components know it. */
export function telemetryScope({ ws, project }: Scope, { env, from, to }: ScopeSearch) {
  return { ws, project, environment: env, range: rangeFromSearch({ from, to }) };
}

/** Starts a query of OQL that a page will ask; see `prefetch`. */
export function prefetchOql(scope: ReturnType<typeof telemetryScope>, query: string, limit?: number): void {
  if (can(scope.ws, 'telemetry:query')) prefetch(oqlQuery({ ...scope, query, limit }));
}
