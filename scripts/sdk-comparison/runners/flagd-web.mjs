import { FlagdWebProvider } from '@openfeature/flagd-web-provider';
import { OpenFeature } from '@openfeature/web-sdk';
import { changing, compare, contexts, settings, silent, watch } from './common.mjs';

OpenFeature.setLogger(silent);
const withKey = (next) => (request) => {
  request.header.set('authorization', `Bearer ${settings.serverKey}`);
  return next(request);
};
await OpenFeature.setContext(contexts[0]);
await OpenFeature.setProviderAndWait(
  new FlagdWebProvider({ host: '127.0.0.1', port: settings.flagdPort, tls: false, interceptors: [withKey] }),
);
const client = OpenFeature.getClient();
const read = ({ key, kind }) => {
  const details =
    kind === 'boolean'
      ? client.getBooleanDetails(key, false)
      : kind === 'string'
        ? client.getStringDetails(key, '')
        : kind === 'number'
          ? client.getNumberDetails(key, 0)
          : client.getObjectDetails(key, {});
  return details.errorCode !== undefined ? undefined : details.value;
};
const evaluatorOf = async (context) => {
  await OpenFeature.setContext(context);
  return read;
};
await compare(evaluatorOf, { local: false });
await OpenFeature.setContext(contexts[0]);
await watch(() => read(changing));
