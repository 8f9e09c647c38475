import { createClient } from '@launchdarkly/js-client-sdk';
import { EventSource } from 'eventsource';
import { changing, compare, contexts, fallback, launchDarklyContext, settings, silent, watch } from './common.mjs';

// Browsers have it.
globalThis.EventSource = EventSource;
const at = settings.base;
const client = createClient(settings.clientKey, launchDarklyContext(contexts[0]), {
  ...{ baseUri: at, streamUri: at, eventsUri: at, streaming: true, dataSystem: {} },
  ...{ sendEvents: false, diagnosticOptOut: true, fetchGoals: false, logger: silent },
});
await client.start();
await client.waitForInitialization({ timeout: 20 });
const read = ({ key }) => {
  const value = client.variation(key, fallback);
  return value === fallback ? undefined : value;
};
const evaluatorOf = async (context) => {
  await client.identify(launchDarklyContext(context));
  return read;
};
await compare(evaluatorOf, { local: false });
await client.identify(launchDarklyContext(contexts[0]));
await watch(() => read(changing));
