import { UnleashClient } from 'unleash-proxy-client';
import { changing, compare, settings, watch } from './common.mjs';

const client = new UnleashClient({
  ...{ url: `${settings.base}/unleash/api/frontend`, clientKey: settings.clientKey, appName: 'shop' },
  ...{ disableRefresh: true, disableMetrics: true },
});
await client.start();
const parse = ({ type, value }) => (type === 'string' ? value : JSON.parse(value));
const read = ({ key, kind }) => {
  if (kind === 'boolean') return client.isEnabled(key);
  const variant = client.getVariant(key);
  if (!client.isEnabled(key) || variant.name === 'disabled') return undefined;
  return variant.payload === undefined ? variant.name : parse(variant.payload);
};
const become = ({ targetingKey, sessionId, remoteAddress, ...properties }) =>
  client.updateContext({ userId: targetingKey, sessionId, remoteAddress, properties });
await compare(
  async (context) => {
    await become(context);
    return read;
  },
  { local: false, without: ({ kind }) => (kind === 'boolean' ? false : undefined) },
);
// It polls: the interval is the program's own.
await watch(async () => {
  await client.updateToggles();
  return read(changing);
});
