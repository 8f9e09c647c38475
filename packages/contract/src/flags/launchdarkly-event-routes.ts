import { z } from 'zod';
import { route } from '../route.ts';

/*
 * What LaunchDarkly's SDKs send. Servers name the SDK key alone in `Authorization`, as mobile applications do; browsers
 * have it in the path. Bodies may be compressed with gzip. The schemas are documentation: unknown events and fields are ignored.
 */

const Event = z.looseObject({ kind: z.string().optional() });
const example = {
  body: [
    {
      kind: 'summary',
      startDate: 1_767_225_600_000,
      endDate: 1_767_225_605_000,
      features: { 'new-checkout': { default: false, counters: [{ variation: 0, version: 2, value: true, count: 3 }] } },
    },
  ],
};
const common = {
  method: 'POST',
  prefix: '',
  auth: 'sdk',
  bodies: 'protocol',
  isForeign: true,
  status: 202,
} as const;
const events = {
  ...common,
  description:
    'Counters of `summary` count evaluations. `feature` events of tracked rollouts are exposures of their units. `custom` events are not stored. A repeated `X-LaunchDarkly-Payload-ID` counts once.',
  body: z.array(Event),
  bodyLimit: 'bulk',
  example,
  errors: ['STORE_UNAVAILABLE'],
} as const;
const diagnostic = { ...common, body: Event, example: { body: { kind: 'diagnostic-init' } } } as const;

export const launchDarklyEvents = route({
  ...events,
  id: 'launchdarkly.events',
  path: '/bulk',
  summary: 'LaunchDarkly: report evaluations',
});
export const launchDarklyDiagnostic = route({
  ...diagnostic,
  id: 'launchdarkly.diagnostic',
  path: '/diagnostic',
  summary: 'LaunchDarkly: accept facts about an SDK, which are not stored',
});
export const launchDarklyBrowserEvents = route({
  ...events,
  id: 'launchdarkly.browser_events',
  keyParameter: 'sdk_key',
  path: '/events/bulk/{sdk_key}',
  summary: 'LaunchDarkly: report evaluations in a browser',
});
export const launchDarklyBrowserDiagnostic = route({
  ...diagnostic,
  id: 'launchdarkly.browser_diagnostic',
  keyParameter: 'sdk_key',
  path: '/events/diagnostic/{sdk_key}',
  summary: 'LaunchDarkly: accept facts about an SDK in a browser, which are not stored',
});
export const launchDarklyMobileEvents = route({
  ...events,
  id: 'launchdarkly.mobile_events',
  path: '/mobile/events/bulk',
  summary: 'LaunchDarkly: report evaluations in a mobile application',
});
export const launchDarklyMobile = route({
  ...events,
  id: 'launchdarkly.mobile',
  path: '/mobile',
  summary: 'LaunchDarkly: report evaluations in a mobile application, to the address of older SDKs',
});
export const launchDarklyMobileDiagnostic = route({
  ...diagnostic,
  id: 'launchdarkly.mobile_diagnostic',
  path: '/mobile/events/diagnostic',
  summary: 'LaunchDarkly: accept facts about an SDK in a mobile application, which are not stored',
});
