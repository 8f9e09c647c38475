import { GrowthBook, setPolyfills } from '@growthbook/growthbook';
import { EventSource } from 'eventsource';
import { changing, compare, contexts, fallback, settings, watch } from './common.mjs';

setPolyfills({ EventSource });
const own = ({ targetingKey, ...attributes }) => ({ ...attributes, id: targetingKey });
const client = new GrowthBook({
  ...{ apiHost: `${settings.base}/growthbook`, clientKey: settings.clientKey, remoteEval: true },
  attributes: own(contexts[0]),
});
await client.init({ timeout: 20_000, streaming: true });
const read = ({ key }) => {
  const value = client.getFeatureValue(key, fallback);
  return value === fallback ? undefined : value;
};
await compare(
  async (context) => {
    await client.setAttributes(own(context));
    return read;
  },
  { local: false },
);
await client.setAttributes(own(contexts[0]));
await watch(() => read(changing));
