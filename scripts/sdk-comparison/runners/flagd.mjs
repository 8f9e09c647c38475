import { FlagdProvider } from '@openfeature/flagd-provider';
import { OpenFeature } from '@openfeature/server-sdk';
import { changing, compare, contexts, settings, silent, watch } from './common.mjs';

const [, resolverType] = process.argv.slice(2);
const local = resolverType === 'in-process';
OpenFeature.setLogger(silent);
const port = local ? settings.flagdSyncPort : settings.flagdPort;
await OpenFeature.setProviderAndWait(
  new FlagdProvider({ host: '127.0.0.1', port, selector: settings.serverKey, resolverType, deadlineMs: 20_000 }),
);
const client = OpenFeature.getClient();
const evaluatorOf =
  (context) =>
  async ({ key, kind }) => {
    const details =
      kind === 'boolean'
        ? await client.getBooleanDetails(key, false, context)
        : kind === 'string'
          ? await client.getStringDetails(key, '', context)
          : kind === 'number'
            ? await client.getNumberDetails(key, 0, context)
            : await client.getObjectDetails(key, {}, context);
    // For a flag that serves nothing, the provider returns the default without an error.
    return details.errorCode !== undefined || !details.variant ? undefined : details.value;
  };
await compare(evaluatorOf, { local, most: local ? undefined : settings.fewer });
await watch(() => evaluatorOf(contexts[0])(changing));
