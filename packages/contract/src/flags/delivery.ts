import { z } from 'zod';
import { Count, Version } from '../primitives.ts';
import { route } from '../route.ts';

/** A parameter of streams. */
export const StreamSeconds = z.coerce
  .number()
  .int()
  .min(0)
  .max(86_400)
  .optional()
  .meta({ description: 'ends the stream after this many seconds; unlimited by default' });

export const RulesetEntry = z.looseObject({ key: z.string(), version: Version });
export const Ruleset = z.object({
  version: Count.meta({ description: 'counts every change of what the environment serves' }),
  environment: z.string(),
  project: z.string(),
  flags: z.record(z.string(), RulesetEntry),
  segments: z.record(z.string(), RulesetEntry),
});

export const ofrepEvents = route({
  id: 'ofrep.events',
  method: 'GET',
  prefix: '',
  path: '/ofrep/v1/events',
  summary: 'OFREP: notify web clients when to evaluate again (server-sent events)',
  description: 'The URL comes from `eventStreams` of a bulk response; its token replaces the SDK key.',
  auth: 'public',
  bodies: 'protocol',
  media: 'text/event-stream',
  query: { token: z.string().min(1).max(500), seconds: StreamSeconds },
  response: z.string().meta({ examples: ['data: {"type":"refetchEvaluation"}\n\n'] }),
  errors: ['UNAUTHENTICATED', 'STORE_UNAVAILABLE', 'LIMIT_REACHED'],
});

export const getRuleset = route({
  id: 'sdk.ruleset',
  method: 'GET',
  path: '/sdk/flags/ruleset',
  summary: 'Get the ruleset of an environment, for evaluation in the SDK; server keys only',
  auth: 'sdk',
  bodies: 'protocol',
  enveloped: true,
  status: 200,
  otherStatus: 304,
  response: Ruleset,
  errors: ['STORE_UNAVAILABLE'],
});
export const streamRuleset = route({
  id: 'sdk.stream',
  example: { query: { seconds: '0' } },
  method: 'GET',
  path: '/sdk/flags/stream',
  summary: 'Stream the ruleset and its changes (server-sent events); server keys only',
  description:
    'Events: `put` (the whole ruleset), `patch` (`{version, flags?, segments?}`: each entry replaces the one with its key, null removes it). The id of an event is the version after it; `Last-Event-ID` resumes the stream. An event larger than 512 KiB is replaced by `{version, refetch: true}`.',
  auth: 'sdk',
  bodies: 'protocol',
  media: 'text/event-stream',
  query: { seconds: StreamSeconds },
  response: z
    .string()
    .meta({ examples: ['id: 8\nevent: patch\ndata: {"version":8,"flags":{"new-checkout":null}}\n\n'] }),
  errors: ['STORE_UNAVAILABLE', 'LIMIT_REACHED'],
});
