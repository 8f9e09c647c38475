import { z } from 'zod';
import { JsonValue } from '../json.ts';
import { Count } from '../primitives.ts';
import { route } from '../route.ts';

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
});

export const GrowthBookContext = z.looseObject({
  attributes: z.record(z.string(), z.unknown()).optional(),
  forcedFeatures: z.array(z.tuple([z.string(), JsonValue])).optional(),
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
