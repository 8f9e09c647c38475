import { launchDarklyEventRoutes } from '@fanion/contract';
import type { CompiledRuleset } from '@fanion/flag-engine';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SdkCaller } from '../../../http/caller.ts';
import { implement, type MountedRoute } from '../../../http/context.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Rulesets, requireFewBytes, servedTo } from '../evaluation/index.ts';
import { type Exposures, exposuresAtOnce, Recent } from '../exposures/index.ts';
import { reported } from './event-rules.ts';
import { sendLaunchDarklyFailure } from './failure.ts';

export interface LaunchDarklyEventDependencies {
  readonly rulesets: Rulesets;
  readonly exposures: Exposures;
  readonly clock: Clock;
}

/** Batches remembered in each of two generations, so that one that an SDK repeats counts once at this server. */
const rememberedPayloads = 50_000;
const rememberedMs = 3_600_000;

interface Report {
  readonly caller: SdkCaller;
  readonly body: unknown;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Takes the events of LaunchDarkly's SDKs. They are durable when they are answered. */
export function launchDarklyEventHandlers(dependencies: LaunchDarklyEventDependencies): MountedRoute[] {
  const { rulesets, exposures, clock } = dependencies;
  const payloads = new Recent(rememberedPayloads, rememberedMs);

  async function count(caller: SdkCaller, ruleset: CompiledRuleset, body: unknown): Promise<void> {
    const told = reported(body, ruleset, clock.now());
    exposures.ignore(told.ignored);
    for (const { answer, times } of told.counts) exposures.add(caller, answer, times);
    for (const [at, exposure] of told.exposures.entries()) {
      const evaluation = { ...exposure.answer, value: null };
      exposures.saw(caller, ruleset, { evaluation, bucketed: true }, exposure.context, undefined, exposure.at);
      if ((at + 1) % exposuresAtOnce === 0) await exposures.flush();
    }
    if (told.counts.length > 0 || told.exposures.length > 0) await exposures.flush();
  }

  async function report({ caller, body, request, reply }: Report): Promise<undefined> {
    const payload = request.headers['x-launchdarkly-payload-id'];
    requireFewBytes(caller, request);
    // It may fail. The SDK then repeats the batch, which must count.
    const ruleset = await servedTo(rulesets, caller);
    const isNew = typeof payload !== 'string' || payloads.isNew(`${caller.environmentId} ${payload}`, clock.now());
    if (isNew) await count(caller, ruleset, body);
    return accept({ reply });
  }

  return implement(
    launchDarklyEventRoutes,
    {
      launchDarklyEvents: report,
      launchDarklyBrowserEvents: report,
      launchDarklyMobileEvents: report,
      launchDarklyMobile: report,
      launchDarklyDiagnostic: accept,
      launchDarklyBrowserDiagnostic: accept,
      launchDarklyMobileDiagnostic: accept,
    },
    sendLaunchDarklyFailure,
  );
}

/** SDKs take the time of the server from the header `Date`. */
async function accept({ reply }: Pick<Report, 'reply'>): Promise<undefined> {
  reply.code(202).send();
  return undefined;
}
