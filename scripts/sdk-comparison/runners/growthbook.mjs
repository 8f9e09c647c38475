import { GrowthBookClient, setPolyfills } from '@growthbook/growthbook';
import { EventSource } from 'eventsource';
import { changing, compare, contexts, fallback, settings, watch } from './common.mjs';

setPolyfills({ EventSource });
const [, form] = process.argv.slice(2);
const keys =
  form === 'encrypted'
    ? { clientKey: settings.encryptedKey, decryptionKey: settings.decryptionKey }
    : { clientKey: settings.serverKey };
const client = new GrowthBookClient({ apiHost: `${settings.base}/growthbook`, ...keys });
await client.init({ timeout: 20_000, streaming: true });
const evaluatorOf = ({ targetingKey, ...attributes }) => {
  const context = { attributes: { ...attributes, id: targetingKey } };
  return ({ key }) => {
    const value = client.getFeatureValue(key, fallback, context);
    return value === fallback ? undefined : value;
  };
};
await compare(evaluatorOf, { local: true });
await watch(() => evaluatorOf(contexts[0])(changing));
