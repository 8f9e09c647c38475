import './react-native.mjs';
import { changing, compare, contexts, fallback, launchDarklyContext, settings, silent, watch } from './common.mjs';

// The package's main file also has React's components.
const sdk = './node_modules/@launchdarkly/react-native-client-sdk/dist/src/ReactNativeLDClient.js';
const { default: ReactNativeLDClient } = await import(sdk);
const isSecond = process.argv.includes('second');
const { base } = settings;
const client = new ReactNativeLDClient(settings.clientKey, 0, {
  ...{ baseUri: base, streamUri: base, eventsUri: base, sendEvents: false, diagnosticOptOut: true, logger: silent },
  ...(isSecond ? { dataSystem: {} } : { initialConnectionMode: 'polling' }),
});
const read = ({ key }) => {
  const value = client.variation(key, fallback);
  return value === fallback ? undefined : value;
};
// Of a user whose key it knows, the SDK first has the values of the last time.
const identify = (context) => client.identify(launchDarklyContext(context), { waitForNetworkResults: true });
const evaluatorOf = async (context) => {
  await identify(context);
  return read;
};
await compare(evaluatorOf, { local: false });
await client.setConnectionMode('streaming');
await identify(contexts[0]);
await watch(() => read(changing));
