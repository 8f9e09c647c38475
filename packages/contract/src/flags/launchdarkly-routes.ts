import { z } from 'zod';
import { route } from '../route.ts';
import { StreamSeconds } from './delivery.ts';

/*
 * What LaunchDarkly's server-side SDKs read. The schemas are documentation only, and unknown parameters are ignored. The
 * SDK key stands alone in `Authorization`.
 */

const Items = z.record(z.string(), z.looseObject({ key: z.string(), version: z.number() }));
export const LaunchDarklyData = z.object({ flags: Items, segments: Items });

/** SDKs read only the status. */
export const LaunchDarklyFailure = z.object({
  code: z.string().meta({ examples: ['unauthenticated'] }),
  message: z.string().meta({ examples: ['what is wrong'] }),
});

export const launchDarklyLatestAll = route({
  id: 'launchdarkly.latest_all',
  method: 'GET',
  prefix: '',
  path: '/sdk/latest-all',
  summary: 'LaunchDarkly: get all flags and segments; server keys only',
  auth: 'sdk',
  bodies: 'protocol',
  isForeign: true,
  status: 200,
  otherStatus: 304,
  response: LaunchDarklyData,
  errors: ['STORE_UNAVAILABLE'],
});
export const launchDarklyAll = route({
  id: 'launchdarkly.all',
  example: { query: { seconds: '0' } },
  method: 'GET',
  prefix: '',
  path: '/all',
  summary: 'LaunchDarkly: stream all flags and segments (server-sent events); server keys only',
  description: 'Sends a `put` event with everything at the start and after each change.',
  auth: 'sdk',
  bodies: 'protocol',
  isForeign: true,
  media: 'text/event-stream',
  query: { seconds: StreamSeconds },
  response: z.string().meta({ examples: ['event: put\ndata: {"path":"/","data":{"flags":{},"segments":{}}}\n\n'] }),
  errors: ['STORE_UNAVAILABLE', 'LIMIT_REACHED'],
});
