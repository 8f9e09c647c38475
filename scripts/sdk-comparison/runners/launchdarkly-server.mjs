import { init } from '@launchdarkly/node-server-sdk';
import { changing, compare, contexts, fallback, launchDarklyContext, settings, silent, watch } from './common.mjs';

const { base } = settings;
const client = init(settings.serverKey, {
  baseUri: base,
  streamUri: base,
  eventsUri: base,
  sendEvents: false,
  logger: silent,
});
await client.waitForInitialization({ timeout: 20 });
const evaluatorOf = (context) => {
  const own = launchDarklyContext(context);
  return async ({ key }) => {
    const value = await client.variation(key, own, fallback);
    return value === fallback ? undefined : value;
  };
};
await compare(evaluatorOf, { local: true });
await watch(() => evaluatorOf(contexts[0])(changing));
