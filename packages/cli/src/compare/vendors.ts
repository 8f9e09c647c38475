import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Fields, fieldsListOf, fieldsOf, isFields, textOf } from '../files/fields.ts';
import { UsageError } from '../files/usage-error.ts';
import { attributesOf, keyOfContext, openFeatureContext } from './contexts.ts';

/** The evaluator of another product over its own file. */
export interface Vendor {
  readonly flags: readonly string[];
  /** Undefined: it serves nothing, so that callers get their default. */
  evaluate(flag: string, context: Fields): Promise<unknown>;
  close(): void;
}

type Load = (name: string) => unknown;

const packages = {
  launchdarkly: '@launchdarkly/node-server-sdk',
  unleash: 'unleash-client',
  growthbook: '@growthbook/growthbook',
  flagd: '@openfeature/flagd-core',
} as const;

export type Product = keyof typeof packages;

export function isProduct(name: string): name is Product {
  return Object.hasOwn(packages, name);
}

/**
 * The product's own SDK, installed in this folder: Fanion brings none of them.
 *
 * @throws UsageError that names the package to install
 */
export async function openVendor(product: Product, file: unknown, folder: string): Promise<Vendor> {
  const load: Load = (name) => {
    try {
      return createRequire(join(folder, 'package.json'))(name);
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error) || error.code !== 'MODULE_NOT_FOUND') throw error;
      throw new UsageError(
        `the evaluator of ${product} is not installed here: npm install ${packages[product]}, or compare recorded answers`,
      );
    }
  };
  return openers[product](file, load);
}

const openers: Readonly<Record<Product, (file: unknown, load: Load) => Vendor | Promise<Vendor>>> = {
  launchdarkly: openLaunchDarkly,
  unleash: openUnleash,
  growthbook: openGrowthBook,
  flagd: openFlagd,
};

const silent = { error() {}, warn() {}, info() {}, debug() {} };

interface LaunchDarklyClient {
  waitForInitialization(options: object): Promise<unknown>;
  variation(key: string, context: object, fallback: unknown): Promise<unknown>;
  close(): void;
}

/** The data of its SDKs (`{flags, segments}`), as `GET /sdk/latest-all` answers it. */
async function openLaunchDarkly(file: unknown, load: Load): Promise<Vendor> {
  const { flags, segments } = fieldsOf(file);
  if (!isFields(flags)) throw new UsageError('LaunchDarkly: expected the data of an SDK: {"flags": …, "segments": …}');
  const { init } = load(packages.launchdarkly) as { init(key: string, options: object): LaunchDarklyClient };
  const { TestData } = load(`${packages.launchdarkly}/integrations`) as {
    TestData: new () => {
      usePreconfiguredFlag(flag: object): void;
      usePreconfiguredSegment(segment: object): void;
      getFactory(): object;
    };
  };
  const data = new TestData();
  for (const [key, flag] of Object.entries(flags)) data.usePreconfiguredFlag({ key, version: 1, ...fieldsOf(flag) });
  for (const [key, segment] of Object.entries(fieldsOf(segments)))
    data.usePreconfiguredSegment({ key, version: 1, ...fieldsOf(segment) });
  const client = init('key', { updateProcessor: data.getFactory(), sendEvents: false, logger: silent });
  await client.waitForInitialization({ timeout: 10 });
  return {
    flags: Object.keys(flags),
    async evaluate(flag, context) {
      const key = keyOfContext(context);
      const own = textOf(context.kind) !== undefined ? context : { kind: 'user', key, ...attributesOf(context) };
      return (await client.variation(flag, own, null)) ?? undefined;
    },
    close: () => client.close(),
  };
}

interface UnleashClient {
  isEnabled(name: string, context: object, fallback: () => boolean): boolean;
  getVariant(name: string, context: object): { readonly name: string };
}

/** Its file of features. A feature with variants answers with the name of one, and others with whether it is on. */
function openUnleash(file: unknown, load: Load): Vendor {
  const { features, segments } = fieldsOf(file);
  const byName = new Map(fieldsListOf(features).map((feature) => [textOf(feature.name) ?? '', feature]));
  const byId = new Map(fieldsListOf(segments).map((segment) => [segment.id, segment]));
  const { default: Client } = load('unleash-client/lib/client') as {
    default: new (repository: object, strategies: unknown) => UnleashClient;
  };
  const { defaultStrategies } = load('unleash-client/lib/strategy') as { defaultStrategies: unknown };
  const repository = {
    getToggle: (name: string) => byName.get(name),
    getSegment: (id: unknown) => byId.get(id),
  };
  const client = new Client(repository, defaultStrategies);
  return {
    flags: [...byName.keys()],
    async evaluate(name, given) {
      const { sessionId, remoteAddress, environment, ...properties } = attributesOf(given);
      const context = { userId: keyOfContext(given), sessionId, remoteAddress, environment, properties };
      if (!client.isEnabled(name, context, () => false)) return false;
      return hasVariants(byName.get(name)) ? client.getVariant(name, context).name : true;
    },
    close() {},
  };
}

function hasVariants(feature: Fields | undefined): boolean {
  const lists = [feature?.variants, ...fieldsListOf(feature?.strategies).map(({ variants }) => variants)];
  return lists.some((list) => Array.isArray(list) && list.length > 0);
}

/** The payload of its SDKs. */
function openGrowthBook(file: unknown, load: Load): Vendor {
  const payload = fieldsOf(file);
  if (!isFields(payload.features)) throw new UsageError('GrowthBook: expected the payload of an SDK: {"features": …}');
  const { GrowthBookClient } = load(packages.growthbook) as {
    GrowthBookClient: new () => {
      initSync(options: object): { evalFeature(key: string, context: object): { readonly value: unknown } };
    };
  };
  const client = new GrowthBookClient().initSync({ payload });
  return {
    flags: Object.keys(payload.features),
    async evaluate(flag, context) {
      const attributes = { id: keyOfContext(context), ...attributesOf(context) };
      return client.evalFeature(flag, { attributes }).value ?? undefined;
    },
    close() {},
  };
}

interface FlagdAnswer {
  readonly value: unknown;
  readonly errorCode?: string;
}

/** Its flag definitions. */
function openFlagd(file: unknown, load: Load): Vendor {
  const { flags } = fieldsOf(file);
  const { FlagdCore } = load(packages.flagd) as {
    FlagdCore: new (
      storage: undefined,
      logger: object,
    ) => { setConfigurations(text: string): unknown } & Record<
      `resolve${'Boolean' | 'String' | 'Number' | 'Object'}Evaluation`,
      (key: string, fallback: unknown, context: object, logger: object) => FlagdAnswer
    >;
  };
  const core = new FlagdCore(undefined, silent);
  core.setConfigurations(JSON.stringify(file));
  return {
    flags: Object.keys(fieldsOf(flags)),
    async evaluate(flag, given) {
      const [value] = Object.values(fieldsOf(fieldsOf(fieldsOf(flags)[flag]).variants));
      const context = openFeatureContext(given);
      const answer =
        typeof value === 'boolean'
          ? core.resolveBooleanEvaluation(flag, false, context, silent)
          : typeof value === 'string'
            ? core.resolveStringEvaluation(flag, '', context, silent)
            : typeof value === 'number'
              ? core.resolveNumberEvaluation(flag, 0, context, silent)
              : core.resolveObjectEvaluation(flag, {}, context, silent);
      return answer.errorCode === undefined ? answer.value : undefined;
    },
    close() {},
  };
}
