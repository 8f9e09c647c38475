import { initialize } from 'launchdarkly-node-client-sdk';
import { changing, compare, contexts, fallback, launchDarklyContext, settings, silent, watch } from './common.mjs';

const { base } = settings;
const client = initialize(settings.clientKey, launchDarklyContext(contexts[0]), {
  ...{ baseUrl: base, streamUrl: base, eventsUrl: base, streaming: false },
  ...{ sendEvents: false, diagnosticOptOut: true, logger: silent },
});
await client.waitForInitialization(20);
const read = ({ key }) => {
  const value = client.variation(key, fallback);
  return value === fallback ? undefined : value;
};
await compare(
  async (context) => {
    await client.identify(launchDarklyContext(context));
    return read;
  },
  { local: false },
);
client.setStreaming(true);
await watch(() => read(changing));
