import type { AnyRoute } from '@fanion/contract';
import type { FastifyRequest } from 'fastify';
import type { Outage } from './caller.ts';

/** In `meta.warnings`. */
export const awayWarning =
  'the control plane cannot be reached: who may read this is as it was when it could be, at most 15 minutes ago';

const outages = new WeakMap<FastifyRequest, Outage>();

/** The same for all parts of a request; undefined where the request does more than read telemetry. */
export function outageOf(request: FastifyRequest): Outage | undefined {
  const { route } = request.routeOptions.config as { route?: AnyRoute };
  if (route?.permission !== 'telemetry:query' || (route.method !== 'GET' && !route.reads)) return undefined;
  const outage = outages.get(request) ?? { isAway: false };
  outages.set(request, outage);
  return outage;
}

/** `meta` with a warning where the caller is known from before an outage. */
export function withOutage<Meta extends Readonly<Record<string, unknown>>>(request: FastifyRequest, meta: Meta): Meta {
  if (outages.get(request)?.isAway !== true) return meta;
  return { ...meta, warnings: [...(Array.isArray(meta.warnings) ? meta.warnings : []), awayWarning] };
}
