import { z } from 'zod';
import { JsonValue } from '../json.ts';
import { route } from '../route.ts';
import { StreamSeconds } from './delivery.ts';
import { LaunchDarklyTransfers, transferQuery } from './launchdarkly-routes.ts';

/*
 * What LaunchDarkly's client-side and mobile SDKs read: values that the server has evaluated. Browsers have the SDK key in the
 * path, and mobile applications alone in `Authorization`. The context is Base64 of its JSON, or a body.
 */

const Evaluation = z.looseObject({
  value: JsonValue.meta({ description: 'null where the caller uses its own default' }),
  variation: z.number().nullable().meta({ description: 'the place of the variant' }),
  version: z.number(),
  flagVersion: z.number(),
  trackEvents: z.boolean().optional().meta({ description: 'true where each unit is an exposure' }),
  trackReason: z.boolean().optional(),
  reason: z.looseObject({ kind: z.string() }).optional(),
});
export const LaunchDarklyValues = z
  .record(z.string(), Evaluation)
  .meta({ examples: [{ 'new-checkout': { value: true, variation: 0, version: 2, flagVersion: 2 } }] });
/** Clicks and page views. */
export const LaunchDarklyGoals = z.array(z.looseObject({ key: z.string() }).meta({ examples: [{ key: 'bought' }] }));
const Context = z.looseObject({ kind: z.string().optional(), key: z.string().optional() });
const body = { kind: 'user', key: 'user-1', country: 'DE' };

const query = {
  withReasons: z.string().optional().meta({ description: '`true`: with the reason of each value' }),
};
const common = {
  prefix: '',
  auth: 'sdk',
  bodies: 'protocol',
  isForeign: true,
  reads: true,
  status: 200,
} as const;
const evaluating = {
  ...common,
  query,
  otherStatus: 304,
  response: LaunchDarklyValues,
  errors: ['STORE_UNAVAILABLE', 'CONTEXT_INVALID'],
} as const;
const streaming = {
  ...common,
  query: { ...query, seconds: StreamSeconds },
  media: 'text/event-stream',
  description:
    'Sends a `put` event with every value at the start; after a change, a `patch` or `delete` event with one value, or a `put` event if several may have changed.',
  response: z.string().meta({ examples: ['event: put\ndata: {"new-checkout":{"value":true,"variation":0}}\n\n'] }),
  errors: ['STORE_UNAVAILABLE', 'LIMIT_REACHED', 'CONTEXT_INVALID'],
} as const;
const inPath = { method: 'GET', longParameter: true } as const;
const inBody = { method: 'POST', takesReport: true, body: Context } as const;
const ended = { query: { seconds: '0' } };

export const launchDarklyValues = route({
  ...evaluating,
  ...inPath,
  id: 'launchdarkly.values',
  keyParameter: 'sdk_key',
  path: '/sdk/evalx/{sdk_key}/contexts/{context}',
  summary: 'LaunchDarkly: evaluate every flag for a browser; client keys only',
});
export const launchDarklyValuesByBody = route({
  ...evaluating,
  ...inBody,
  example: { body },
  id: 'launchdarkly.values_by_body',
  keyParameter: 'sdk_key',
  path: '/sdk/evalx/{sdk_key}/context',
  summary: 'LaunchDarkly: evaluate every flag for a browser, also with the method REPORT; client keys only',
});
export const launchDarklyValueStream = route({
  ...streaming,
  ...inPath,
  example: ended,
  id: 'launchdarkly.value_stream',
  keyParameter: 'sdk_key',
  path: '/eval/{sdk_key}/{context}',
  summary: 'LaunchDarkly: stream every value for a browser (server-sent events); client keys only',
});
export const launchDarklyValueStreamByBody = route({
  ...streaming,
  ...inBody,
  example: { ...ended, body },
  id: 'launchdarkly.value_stream_by_body',
  keyParameter: 'sdk_key',
  path: '/eval/{sdk_key}',
  summary: 'LaunchDarkly: stream every value for a browser, also with the method REPORT; client keys only',
});
export const launchDarklyGoals = route({
  ...common,
  method: 'GET',
  id: 'launchdarkly.goals',
  keyParameter: 'sdk_key',
  path: '/sdk/goals/{sdk_key}',
  summary: 'LaunchDarkly: list the goals of a page; always empty',
  response: LaunchDarklyGoals,
});
export const launchDarklyMobileValues = route({
  ...evaluating,
  ...inPath,
  id: 'launchdarkly.mobile_values',
  path: '/msdk/evalx/contexts/{context}',
  summary: 'LaunchDarkly: evaluate every flag for a mobile application',
});
export const launchDarklyMobileValuesByBody = route({
  ...evaluating,
  ...inBody,
  example: { body },
  id: 'launchdarkly.mobile_values_by_body',
  path: '/msdk/evalx/context',
  summary: 'LaunchDarkly: evaluate every flag for a mobile application, also with the method REPORT',
});
export const launchDarklyMobileStream = route({
  ...streaming,
  ...inPath,
  example: ended,
  id: 'launchdarkly.mobile_stream',
  path: '/meval/{context}',
  summary: 'LaunchDarkly: stream every value for a mobile application (server-sent events)',
});
export const launchDarklyMobileStreamByBody = route({
  ...streaming,
  ...inBody,
  example: { ...ended, body },
  id: 'launchdarkly.mobile_stream_by_body',
  path: '/meval',
  summary: 'LaunchDarkly: stream every value for a mobile application, also with the method REPORT',
});

/*
 * The second generation of the protocol (FDv2). Browsers have the SDK key in the query, and mobile applications alone in
 * `Authorization`.
 */
const transferring = {
  ...common,
  keyParameter: 'auth',
  keyInHeaderToo: true,
  query: {
    ...query,
    ...transferQuery,
    auth: z
      .string()
      .max(300)
      .optional()
      .meta({ description: 'the SDK key, if no header has it; client keys only', examples: ['svc_sdk_…'] }),
  },
} as const;
const pollingTransfers = {
  ...transferring,
  otherStatus: 304,
  description: 'The events of a whole transfer, or one `server-intent` with `none` if the SDK has these values.',
  response: LaunchDarklyTransfers,
  errors: ['STORE_UNAVAILABLE', 'CONTEXT_INVALID'],
} as const;
const streamingTransfers = {
  ...transferring,
  query: { ...transferring.query, seconds: StreamSeconds },
  media: 'text/event-stream',
  description:
    'Sends what `/sdk/poll/eval` returns at the start; after a change, a `put-object` or `delete-object` event with one value and `payload-transferred`, or a whole transfer if several may have changed.',
  response: z
    .string()
    .meta({ examples: ['event: payload-transferred\ndata: {"id":"flags","state":"…","version":2}\n\n'] }),
  errors: ['STORE_UNAVAILABLE', 'LIMIT_REACHED', 'CONTEXT_INVALID'],
} as const;
const inPost = { method: 'POST', body: Context } as const;

export const launchDarklyValuePoll = route({
  ...pollingTransfers,
  ...inPath,
  id: 'launchdarkly.value_poll',
  path: '/sdk/poll/eval/{context}',
  summary: 'LaunchDarkly: evaluate every flag by the second generation of the protocol (FDv2)',
});
export const launchDarklyValuePollByBody = route({
  ...pollingTransfers,
  ...inPost,
  example: { body },
  id: 'launchdarkly.value_poll_by_body',
  path: '/sdk/poll/eval',
  summary:
    'LaunchDarkly: evaluate every flag for the context of the body by the second generation of the protocol (FDv2)',
});
export const launchDarklyValueTransfers = route({
  ...streamingTransfers,
  ...inPath,
  example: ended,
  id: 'launchdarkly.value_transfers',
  path: '/sdk/stream/eval/{context}',
  summary: 'LaunchDarkly: stream every value by the second generation of the protocol (FDv2, server-sent events)',
});
export const launchDarklyValueTransfersByBody = route({
  ...streamingTransfers,
  ...inPost,
  example: { ...ended, body },
  id: 'launchdarkly.value_transfers_by_body',
  path: '/sdk/stream/eval',
  summary:
    'LaunchDarkly: stream every value for the context of the body by the second generation of the protocol (FDv2, server-sent events)',
});
