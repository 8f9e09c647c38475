import { InMemStorageProvider, Unleash } from 'unleash-client';
import { changing, compare, contexts, settings, watch } from './common.mjs';

const client = new Unleash({
  ...{ url: `${settings.base}/unleash/api`, appName: 'shop', customHeaders: { authorization: settings.serverKey } },
  ...{ disableMetrics: true, storageProvider: new InMemStorageProvider(), skipInstanceCountWarning: true },
  experimentalMode: { type: 'streaming' },
});
await new Promise((resolve, reject) => client.once('synchronized', resolve).once('error', reject));

const parse = ({ type, value }) => (type === 'string' || type === undefined ? value : JSON.parse(value));
const served = (variant) => (variant.payload === undefined ? variant.name : parse(variant.payload));
const evaluatorOf = ({ targetingKey, sessionId, remoteAddress, ...properties }) => {
  const context = { userId: targetingKey, sessionId, remoteAddress, properties };
  return ({ key, kind }) => {
    if (kind === 'boolean') {
      const value = client.isEnabled(key, context, () => true);
      return value === client.isEnabled(key, context, () => false) ? value : undefined;
    }
    const variant = client.getVariant(key, context);
    return variant.feature_enabled && variant.name !== 'disabled' ? served(variant) : undefined;
  };
};
await compare(evaluatorOf, { local: true });
await watch(() => evaluatorOf(contexts[0])(changing));
