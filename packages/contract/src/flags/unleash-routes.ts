import { z } from 'zod';
import { type Method, route } from '../route.ts';
import { StreamSeconds } from './delivery.ts';

/*
 * What Unleash's SDKs send and read. The schemas are documentation only, and unknown parameters are ignored. The SDK key
 * stands alone in `Authorization`.
 */

/** SDKs read only the status. */
export const UnleashFailure = z.object({
  id: z.string().meta({ description: 'id of the request', examples: ['0b0a8c1e-2f6d-4a53-9a51-6a1b7d3f9f10'] }),
  name: z.string().meta({ examples: ['UNAUTHENTICATED'] }),
  message: z.string().meta({ examples: ['what is wrong'] }),
});

const Payload = z.object({ type: z.enum(['string', 'number', 'json']), value: z.string() });
const UnleashToggle = z.object({
  name: z.string(),
  enabled: z.boolean(),
  impressionData: z.boolean(),
  variant: z.object({
    name: z.string(),
    enabled: z.boolean(),
    feature_enabled: z.boolean(),
    payload: Payload.optional(),
  }),
});
export const UnleashToggles = z.object({ toggles: z.array(UnleashToggle) });

const contextFields = {
  userId: z.string().optional().meta({ description: 'the targeting key' }),
  sessionId: z.string().optional(),
  appName: z.string().optional(),
  environment: z.string().optional().meta({ description: 'an attribute; the key selects the environment' }),
  remoteAddress: z.string().optional().meta({ description: "the client's address by default" }),
  currentTime: z.string().optional().meta({ description: 'evaluates the flags as of this time; by default now' }),
};
const contextDescription =
  'All flags for one context, evaluated by the server: `userId` is the targeting key, every other parameter and `properties[name]` is an attribute. Every value is text. Flags that are not enabled are absent.';
const UnleashContextBody = z.object({
  context: z.looseObject({ ...contextFields, properties: z.record(z.string(), z.string()).optional() }).optional(),
});

function foreign<const M extends Method, const Path extends string>(id: string, method: M, path: Path) {
  return { id, method, prefix: '', path, auth: 'sdk', bodies: 'protocol', isForeign: true, reads: true } as const;
}

export const unleashFrontend = route({
  ...foreign('unleash.frontend', 'GET', '/unleash/api/frontend'),
  trailingSlash: true,
  example: { query: { userId: 'user-1', 'properties[country]': 'DE' } },
  summary: 'Unleash: get the enabled flags for one context',
  description: contextDescription,
  query: contextFields,
  otherStatus: 304,
  status: 200,
  response: UnleashToggles,
  errors: ['STORE_UNAVAILABLE'],
});
export const unleashFrontendPost = route({
  ...foreign('unleash.frontend_post', 'POST', '/unleash/api/frontend'),
  trailingSlash: true,
  example: { body: { context: { userId: 'user-1', properties: { country: 'DE' } } } },
  summary: 'Unleash: get the enabled flags for one context, sent in the body',
  description: contextDescription,
  body: UnleashContextBody.optional(),
  otherStatus: 304,
  status: 200,
  response: UnleashToggles,
  errors: ['STORE_UNAVAILABLE'],
});

const UnleashFeature = z.looseObject({
  name: z.string(),
  enabled: z.boolean(),
  strategies: z.array(z.looseObject({})),
});
export const UnleashFeatures = z.object({
  version: z.literal(2),
  features: z.array(UnleashFeature),
  segments: z.array(z.looseObject({ id: z.number() })),
});

export const unleashFeatures = route({
  ...foreign('unleash.features', 'GET', '/unleash/api/client/features'),
  summary: 'Unleash: get all flags and their strategies; server keys only',
  description: 'A flag that the SDK would evaluate differently is absent.',
  otherStatus: 304,
  status: 200,
  response: UnleashFeatures,
  errors: ['STORE_UNAVAILABLE'],
});
export const unleashFeature = route({
  ...foreign('unleash.feature', 'GET', '/unleash/api/client/features/{key}'),
  summary: 'Unleash: get one flag and its strategies; server keys only',
  status: 200,
  response: UnleashFeature,
  errors: ['STORE_UNAVAILABLE', 'FLAG_NOT_FOUND'],
});
export const unleashDelta = route({
  ...foreign('unleash.delta', 'GET', '/unleash/api/client/delta'),
  summary: 'Unleash: get changed flags and their strategies; server keys only',
  description: 'After each change, one `hydration` event with all flags.',
  otherStatus: 304,
  status: 200,
  response: z.object({ events: z.array(z.looseObject({ type: z.literal('hydration'), eventId: z.number() })) }),
  errors: ['STORE_UNAVAILABLE'],
});
export const unleashStreaming = route({
  ...foreign('unleash.streaming', 'GET', '/unleash/api/client/streaming'),
  example: { query: { seconds: '0' } },
  summary: 'Unleash: stream all flags and their strategies (server-sent events); server keys only',
  description:
    'Sends everything as `unleash-connected` at the start and as `unleash-updated` after each change. An event larger than 512 KiB is replaced by `fetch-mode` `polling`.',
  media: 'text/event-stream',
  query: { seconds: StreamSeconds },
  response: z.string().meta({ examples: ['event: unleash-updated\ndata: {"events":[]}\n\n'] }),
  errors: ['STORE_UNAVAILABLE', 'LIMIT_REACHED'],
});

const count = z.number().optional();
const metrics = {
  description:
    'Counts of a bucket become evaluation counts. A bucket that is sent again, with the same start, counts only what is new in it.',
  example: {
    body: {
      appName: 'shop',
      instanceId: 'shop-1',
      bucket: {
        start: '2026-11-29T10:00:00.000Z',
        stop: '2026-11-29T10:01:00.000Z',
        toggles: { 'new-checkout': { yes: 3, no: 2, variants: {} } },
      },
    },
  },
  body: z.looseObject({
    appName: z.string().optional(),
    instanceId: z.string().optional(),
    bucket: z
      .looseObject({
        start: z.string().optional(),
        stop: z.string().optional(),
        toggles: z.record(z.string(), z.looseObject({ yes: count, no: count })).optional(),
      })
      .optional(),
  }),
  bodyLimit: 'document',
  status: 202,
  errors: ['STORE_UNAVAILABLE'],
} as const;

export const unleashMetrics = route({
  ...foreign('unleash.metrics', 'POST', '/unleash/api/client/metrics'),
  ...metrics,
  summary: 'Unleash: report how often a backend SDK evaluated flags',
});
export const unleashFrontendMetrics = route({
  ...foreign('unleash.frontend_metrics', 'POST', '/unleash/api/frontend/client/metrics'),
  ...metrics,
  summary: 'Unleash: report how often a frontend SDK evaluated flags',
});

const Registration = z.looseObject({ appName: z.string().optional(), interval: z.number().optional() });
const registration = {
  example: { body: { appName: 'shop', instanceId: 'shop-1', strategies: ['default'], interval: 60_000 } },
  body: Registration,
  status: 202,
} as const;

export const unleashRegister = route({
  ...foreign('unleash.register', 'POST', '/unleash/api/client/register'),
  ...registration,
  summary: 'Unleash: accept facts about a backend SDK, which are not stored',
});
export const unleashFrontendRegister = route({
  ...foreign('unleash.frontend_register', 'POST', '/unleash/api/frontend/client/register'),
  ...registration,
  summary: 'Unleash: accept facts about a frontend SDK, which are not stored',
});
