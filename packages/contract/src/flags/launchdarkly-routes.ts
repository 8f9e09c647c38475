import { z } from 'zod';
import { route } from '../route.ts';
import { StreamSeconds } from './delivery.ts';

/*
 * What LaunchDarkly's server-side SDKs read. The schemas are documentation only, and unknown parameters are ignored. The
 * SDK key stands alone in `Authorization`.
 */

export const LaunchDarklyItem = z.looseObject({ key: z.string(), version: z.number() });
export const LaunchDarklyItems = z.record(z.string(), LaunchDarklyItem);
export const LaunchDarklyData = z.object({ flags: LaunchDarklyItems, segments: LaunchDarklyItems });

/** SDKs read only the status. */
export const LaunchDarklyFailure = z.object({
  code: z.string().meta({ examples: ['unauthenticated'] }),
  message: z.string().meta({ examples: ['what is wrong'] }),
});

function polled<const Path extends string>(id: string, path: Path) {
  const known = { method: 'GET', prefix: '', auth: 'sdk', bodies: 'protocol', isForeign: true } as const;
  return { ...known, id, path, status: 200, otherStatus: 304 } as const;
}

export const launchDarklyLatestAll = route({
  ...polled('launchdarkly.latest_all', '/sdk/latest-all'),
  summary: 'LaunchDarkly: get all flags and segments; server keys only',
  response: LaunchDarklyData,
  errors: ['STORE_UNAVAILABLE'],
});

const oneFlag = {
  description: 'A flag that the SDK would evaluate differently is not found.',
  response: LaunchDarklyItem,
  errors: ['STORE_UNAVAILABLE', 'FLAG_NOT_FOUND'],
} as const;
const oneSegment = {
  description: 'A segment that the SDK would evaluate differently is not found.',
  response: LaunchDarklyItem,
  errors: ['STORE_UNAVAILABLE', 'SEGMENT_NOT_FOUND'],
} as const;

export const launchDarklyFlags = route({
  ...polled('launchdarkly.flags', '/sdk/flags'),
  summary: 'LaunchDarkly: get all flags, without segments; server keys only',
  response: LaunchDarklyItems,
  errors: ['STORE_UNAVAILABLE'],
});
export const launchDarklyFlag = route({
  ...polled('launchdarkly.flag', '/sdk/flags/{key}'),
  ...oneFlag,
  summary: 'LaunchDarkly: get one flag; server keys only',
});
export const launchDarklySegment = route({
  ...polled('launchdarkly.segment', '/sdk/segments/{key}'),
  ...oneSegment,
  summary: 'LaunchDarkly: get one segment; server keys only',
});
export const launchDarklyLatestFlag = route({
  ...polled('launchdarkly.latest_flag', '/sdk/latest-flags/{key}'),
  ...oneFlag,
  summary: 'LaunchDarkly: get one flag, for older SDKs; server keys only',
});
export const launchDarklyLatestSegment = route({
  ...polled('launchdarkly.latest_segment', '/sdk/latest-segments/{key}'),
  ...oneSegment,
  summary: 'LaunchDarkly: get one segment, for older SDKs; server keys only',
});
export const launchDarklyAll = route({
  id: 'launchdarkly.all',
  example: { query: { seconds: '0' } },
  method: 'GET',
  prefix: '',
  path: '/all',
  summary: 'LaunchDarkly: stream all flags and segments (server-sent events); server keys only',
  description:
    'Sends a `put` event with everything at the start; after a change, a `patch` or `delete` event with one flag or segment, or a `put` event if several have changed.',
  auth: 'sdk',
  bodies: 'protocol',
  isForeign: true,
  media: 'text/event-stream',
  query: { seconds: StreamSeconds },
  response: z.string().meta({ examples: ['event: put\ndata: {"path":"/","data":{"flags":{},"segments":{}}}\n\n'] }),
  errors: ['STORE_UNAVAILABLE', 'LIMIT_REACHED'],
});

/** Parameter of the second generation of the protocol. */
export const transferQuery = {
  basis: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'the `state` of the last `payload-transferred` that the SDK has' }),
};
const Transfer = z.object({ event: z.string().meta({ examples: ['server-intent'] }), data: z.looseObject({}) });
export const LaunchDarklyTransfers = z.object({ events: z.array(Transfer) });

export const launchDarklyPoll = route({
  ...polled('launchdarkly.poll', '/sdk/poll'),
  summary: 'LaunchDarkly: poll by the second generation of the protocol (FDv2); server keys only',
  description: 'The events of a whole transfer, or one `server-intent` with `none` if the SDK has this version.',
  query: transferQuery,
  response: LaunchDarklyTransfers,
  errors: ['STORE_UNAVAILABLE'],
});
export const launchDarklyStream = route({
  id: 'launchdarkly.stream',
  example: { query: { seconds: '0' } },
  method: 'GET',
  prefix: '',
  path: '/sdk/stream',
  summary: 'LaunchDarkly: stream by the second generation of the protocol (FDv2, server-sent events); server keys only',
  description:
    'Sends what `/sdk/poll` returns at the start; after a change, a `put-object` or `delete-object` event with one flag or segment and `payload-transferred`, or a whole transfer if several have changed.',
  auth: 'sdk',
  bodies: 'protocol',
  isForeign: true,
  media: 'text/event-stream',
  query: { ...transferQuery, seconds: StreamSeconds },
  response: z
    .string()
    .meta({ examples: ['event: payload-transferred\ndata: {"id":"flags","state":"…","version":2}\n\n'] }),
  errors: ['STORE_UNAVAILABLE', 'LIMIT_REACHED'],
});
