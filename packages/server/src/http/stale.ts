import type { AnyRoute } from '@fanion/contract';
import { Failure, fail } from '../platform/fail.ts';
import { type MountedRoute, Reply } from './context.ts';

/** The route that reads what each route writes: GET at the same path. */
export function readersOf(routes: readonly MountedRoute[]): (route: AnyRoute) => MountedRoute | undefined {
  const readers = new Map(routes.filter(({ route }) => route.method === 'GET').map((one) => [one.route.path, one]));
  return ({ path, method }) => (method === 'PUT' || method === 'PATCH' ? readers.get(path) : undefined);
}

/**
 * A stale version, with the current state in its details, so that a client can show what changed without another request.
 * A caller who may not read the state gets the version alone.
 */
export async function withCurrentState(stale: Failure, read: () => Promise<unknown>): Promise<Failure> {
  const state = await read().catch((error: unknown) => {
    // It was deleted meanwhile, or this caller may not read it.
    if (error instanceof Failure) return undefined;
    throw error;
  });
  const data = state instanceof Reply ? state.data : state;
  if (data === undefined) return stale;
  const details = (stale.details ?? []).map((detail) =>
    detail.path === 'version' ? { ...detail, state: data } : detail,
  );
  return fail('STALE_VERSION', stale.parameters, { details, cause: stale });
}
