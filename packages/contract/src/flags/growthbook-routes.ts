import { z } from 'zod';
import { JsonValue } from '../json.ts';
import { Count } from '../primitives.ts';
import { route } from '../route.ts';
import { StreamSeconds } from './delivery.ts';

/*
 * What GrowthBook's SDKs call. The schemas are documentation only, and unknown parameters are ignored. The SDK key is part
 * of the URL.
 */

const Status = z.number().int().min(100).max(599);
/** SDKs read only the status. */
export const GrowthBookFailure = z.object({
  status: Status.meta({ examples: [401] }),
  error: z.string().meta({ examples: ['what is wrong'] }),
});

/** The units of experiments are in `tracks`: the SDK reports them when it uses the value. */
const GrowthBookFeature = z.looseObject({ defaultValue: JsonValue.optional() });
export const GrowthBookFeatures = z.object({
  status: Status.meta({ examples: [200] }),
  features: z.record(z.string(), GrowthBookFeature).meta({ examples: [{ 'new-checkout': { defaultValue: true } }] }),
  encryptedFeatures: z.string().optional().meta({
    description:
      'the features as `<initialization vector>.<ciphertext>`, with AES-128 in CBC mode; `features` is then empty',
  }),
});

export const GrowthBookContext = z.looseObject({
  attributes: z.record(z.string(), z.unknown()).optional(),
  forcedFeatures: z.array(z.array(JsonValue)).optional(),
  forcedVariations: z.record(z.string(), Count).optional(),
});

export const growthBookEvaluate = route({
  id: 'growthbook.evaluate',
  example: { body: { attributes: { id: 'user-1', country: 'DE' }, forcedFeatures: [], forcedVariations: {}, url: '' } },
  method: 'POST',
  prefix: '',
  path: '/growthbook/api/eval/{sdk_key}',
  summary: 'GrowthBook: evaluate every flag (remote evaluation)',
  description: 'The targeting key is the attribute `id`. Forced features and variations apply as in GrowthBook.',
  auth: 'sdk',
  keyParameter: 'sdk_key',
  bodies: 'protocol',
  isForeign: true,
  reads: true,
  status: 200,
  body: GrowthBookContext,
  response: GrowthBookFeatures,
  errors: ['STORE_UNAVAILABLE'],
});

export const growthBookFeatures = route({
  id: 'growthbook.features',
  method: 'GET',
  prefix: '',
  path: '/growthbook/api/features/{sdk_key}',
  summary: 'GrowthBook: get the features for evaluation in the SDK; server keys only',
  description:
    'With a key that was created with `growthbook_encryption`, the features are encrypted, here and in events.',
  auth: 'sdk',
  keyParameter: 'sdk_key',
  bodies: 'protocol',
  isForeign: true,
  status: 200,
  otherStatus: 304,
  response: GrowthBookFeatures,
  errors: ['STORE_UNAVAILABLE'],
});
export const growthBookEvents = route({
  id: 'growthbook.events',
  example: { query: { seconds: '0' } },
  method: 'GET',
  prefix: '',
  path: '/growthbook/sub/{sdk_key}',
  summary: 'GrowthBook: stream changes (server-sent events)',
  description:
    'Sends an event at the start and after each change: `features` with all features, or `features-updated` to clients with a client key, and where a feature needs remote evaluation.',
  auth: 'sdk',
  keyParameter: 'sdk_key',
  bodies: 'protocol',
  isForeign: true,
  media: 'text/event-stream',
  query: { seconds: StreamSeconds },
  response: z.string().meta({ examples: ['event: features-updated\ndata: {}\n\n'] }),
  errors: ['STORE_UNAVAILABLE', 'LIMIT_REACHED'],
});

const Properties = z.record(z.string(), z.unknown()).optional();
export const GrowthBookEvent = z.looseObject({
  event_name: z.string().meta({ examples: ['Experiment Viewed'] }),
  properties_json: Properties.meta({
    examples: [{ experimentId: 'new-checkout', variationId: 'true', hashAttribute: 'id', hashValue: 'user-1' }],
  }),
  context_json: Properties.meta({ examples: [{ country: 'DE' }] }),
  device_id: z
    .string()
    .nullable()
    .optional()
    .meta({ examples: ['user-1'] }),
  user_id: z
    .string()
    .nullable()
    .optional()
    .meta({ examples: [null] }),
});
export const growthBookTrack = route({
  id: 'growthbook.track',
  example: { body: [{ event_name: 'Feature Evaluated', properties_json: { feature: 'new-checkout', value: true } }] },
  method: 'POST',
  prefix: '',
  path: '/growthbook/track',
  summary: 'GrowthBook: report evaluated features and viewed experiments',
  description: 'They become exposures. Other events are ignored.',
  auth: 'sdk',
  keyParameter: 'client_key',
  bodies: 'protocol',
  isForeign: true,
  requestMedia: ['application/json', 'text/plain'],
  bodyLimit: 'document',
  status: 204,
  query: {
    client_key: z
      .string()
      .max(300)
      .meta({ description: 'the SDK key', examples: ['svc_sdk_…'] }),
  },
  body: z.array(GrowthBookEvent),
  errors: ['STORE_UNAVAILABLE'],
});
