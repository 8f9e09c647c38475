import type { Product } from './place.ts';

export type Language = 'Node' | 'Python' | 'Go' | 'Java';

export interface Sdk {
  readonly name: string;
  readonly language: Language;
  readonly version: string;
  readonly product: Product;
  /** The program in `runners`, and its arguments. */
  readonly program: string;
  readonly args?: readonly string[];
  /** Receives changes by asking again, so their time is its own. */
  readonly polls?: boolean;
  /** The variable with the file of a program that no registry has; without it, the SDK is not compared. */
  readonly needs?: string;
}

/** By the name under which the language's registry has it. */
export const packages = {
  Node: {
    '@launchdarkly/node-server-sdk': '9.13.7',
    'launchdarkly-node-client-sdk': '3.4.3',
    '@launchdarkly/js-client-sdk': '4.10.3',
    '@launchdarkly/react-native-client-sdk': '10.20.3',
    'unleash-client': '6.12.1',
    'unleash-proxy-client': '3.8.2',
    '@growthbook/growthbook': '1.8.0',
    '@openfeature/core': '1.12.0',
    '@openfeature/flagd-core': '4.0.1',
    '@openfeature/flagd-provider': '0.16.1',
    '@openfeature/flagd-web-provider': '0.7.4',
    '@openfeature/server-sdk': '1.23.0',
    '@openfeature/web-sdk': '1.10.0',
    '@grpc/grpc-js': '1.14.4',
    eventsource: '3.0.7',
  },
  Python: {
    'launchdarkly-server-sdk': '9.20.0',
    UnleashClient: '6.9.1',
    growthbook: '4.0.0',
    'openfeature-provider-flagd': '0.6.1',
    'openfeature-sdk': '0.10.0',
  },
  Go: {
    'github.com/launchdarkly/go-server-sdk/v7': 'v7.14.6',
    'github.com/Unleash/unleash-go-sdk/v5': 'v5.0.3',
    'github.com/growthbook/growthbook-golang': 'v0.7.0',
    'github.com/open-feature/go-sdk': 'v1.17.0',
    'github.com/open-feature/go-sdk-contrib/providers/flagd': 'v0.6.0',
  },
  Java: {
    'dev.openfeature.contrib.providers:flagd': '0.11.15',
    'dev.openfeature:sdk': '1.19.2',
  },
} as const satisfies Record<Language, Readonly<Record<string, string>>>;

function sdkOf(language: 'Node', name: keyof (typeof packages)['Node'], more: Details): Sdk;
function sdkOf(language: 'Python', name: keyof (typeof packages)['Python'], more: Details): Sdk;
function sdkOf(language: 'Go', name: keyof (typeof packages)['Go'], more: Details): Sdk;
function sdkOf(language: 'Java', name: keyof (typeof packages)['Java'], more: Details): Sdk;
function sdkOf(language: Language, name: string, { form, ...more }: Details): Sdk {
  const version = Object.entries(packages[language]).find(([known]) => known === name)?.[1] ?? '';
  return { name: form === undefined ? name : `${name}, ${form}`, language, version, ...more };
}

type Details = Pick<Sdk, 'product' | 'program' | 'args' | 'polls'> & { readonly form?: string };

const encrypted = { product: 'growthbook', args: ['encrypted'], form: 'encrypted' } as const;

export const sdks: readonly Sdk[] = [
  sdkOf('Node', '@launchdarkly/node-server-sdk', { product: 'launchdarkly', program: 'launchdarkly-server.mjs' }),
  sdkOf('Node', 'launchdarkly-node-client-sdk', { product: 'launchdarkly', program: 'launchdarkly-client.mjs' }),
  sdkOf('Node', '@launchdarkly/js-client-sdk', {
    ...{ product: 'launchdarkly', program: 'launchdarkly-browser.mjs', form: 'second protocol' },
  }),
  sdkOf('Node', '@launchdarkly/react-native-client-sdk', {
    ...{ product: 'launchdarkly', program: 'launchdarkly-mobile.mjs' },
  }),
  sdkOf('Node', '@launchdarkly/react-native-client-sdk', {
    ...{ product: 'launchdarkly', program: 'launchdarkly-mobile.mjs', args: ['second'], form: 'second protocol' },
  }),
  sdkOf('Python', 'launchdarkly-server-sdk', { product: 'launchdarkly', program: 'launchdarkly_server.py' }),
  sdkOf('Go', 'github.com/launchdarkly/go-server-sdk/v7', { product: 'launchdarkly', program: 'launchdarkly' }),
  sdkOf('Node', 'unleash-client', { product: 'unleash', program: 'unleash-server.mjs' }),
  sdkOf('Node', 'unleash-proxy-client', { product: 'unleash', program: 'unleash-frontend.mjs', polls: true }),
  sdkOf('Python', 'UnleashClient', { product: 'unleash', program: 'unleash_server.py' }),
  sdkOf('Go', 'github.com/Unleash/unleash-go-sdk/v5', { product: 'unleash', program: 'unleash', polls: true }),
  sdkOf('Node', '@growthbook/growthbook', { product: 'growthbook', program: 'growthbook.mjs' }),
  sdkOf('Node', '@growthbook/growthbook', {
    product: 'growthbook',
    program: 'growthbook-remote.mjs',
    form: 'remote evaluation',
  }),
  sdkOf('Python', 'growthbook', { product: 'growthbook', program: 'growthbook_server.py' }),
  sdkOf('Go', 'github.com/growthbook/growthbook-golang', { product: 'growthbook', program: 'growthbook' }),
  sdkOf('Node', '@growthbook/growthbook', { ...encrypted, program: 'growthbook.mjs' }),
  sdkOf('Python', 'growthbook', { ...encrypted, program: 'growthbook_server.py' }),
  sdkOf('Go', 'github.com/growthbook/growthbook-golang', { ...encrypted, program: 'growthbook' }),
  sdkOf('Node', '@openfeature/flagd-provider', { product: 'flagd', program: 'flagd.mjs', args: ['rpc'], form: 'rpc' }),
  sdkOf('Node', '@openfeature/flagd-provider', {
    product: 'flagd',
    program: 'flagd.mjs',
    args: ['in-process'],
    form: 'in-process',
  }),
  sdkOf('Python', 'openfeature-provider-flagd', {
    product: 'flagd',
    program: 'flagd_provider.py',
    args: ['rpc'],
    form: 'rpc',
  }),
  sdkOf('Python', 'openfeature-provider-flagd', {
    product: 'flagd',
    program: 'flagd_provider.py',
    args: ['in-process'],
    form: 'in-process',
  }),
  sdkOf('Go', 'github.com/open-feature/go-sdk-contrib/providers/flagd', {
    ...{ product: 'flagd', program: 'flagd', args: ['rpc'], form: 'rpc' },
  }),
  sdkOf('Go', 'github.com/open-feature/go-sdk-contrib/providers/flagd', {
    ...{ product: 'flagd', program: 'flagd', args: ['in-process'], form: 'in-process' },
  }),
  sdkOf('Java', 'dev.openfeature.contrib.providers:flagd', {
    ...{ product: 'flagd', program: 'Flagd', args: ['rpc'], form: 'rpc' },
  }),
  sdkOf('Java', 'dev.openfeature.contrib.providers:flagd', {
    ...{ product: 'flagd', program: 'Flagd', args: ['in-process'], form: 'in-process' },
  }),
  {
    ...{ name: 'flagd itself, asked over OFREP', language: 'Node', version: 'v0.16.0' },
    ...{ product: 'flagd', program: 'flagd-daemon.mjs', needs: 'FLAGD' },
  },
  sdkOf('Node', '@openfeature/flagd-web-provider', { product: 'flagd', program: 'flagd-web.mjs', form: 'Connect' }),
];
