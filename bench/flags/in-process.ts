import { loadavg } from 'node:os';
import { compileRuleset, evaluate } from '@fanion/flag-engine';
import { FanionProvider } from '@fanion/sdk';
import { GrowthBookClient } from '@growthbook/growthbook';
import { basicLogger, init } from '@launchdarkly/node-server-sdk';
import { TestData } from '@launchdarkly/node-server-sdk/integrations';
import { FlagdCore } from '@openfeature/flagd-core';
import { OpenFeature, type Provider } from '@openfeature/server-sdk';
import { InMemStorageProvider, Unleash } from 'unleash-client';
import { Operator } from 'unleash-client/lib/strategy/strategy.js';
import { flag, ruleset } from '../../packages/flag-engine/src/testing/flags.ts';
import { startFlagServer } from '../../packages/sdk/src/testing/flag-server.ts';
import { median } from '../support/load.ts';
import { engine } from './engine.ts';
import { contexts, simpleRule } from './shapes.ts';

const rounds = Number(process.env.ROUNDS ?? 9);
const calls = 100_000;

interface Contender {
  readonly name: string;
  readonly isOurs?: true;
  /** Evaluates for the context of that number; returns whether the flag is on. */
  readonly run: (i: number) => boolean | Promise<boolean>;
  readonly stop?: () => unknown;
}

/*
 * The same rule everywhere: on if `plan` is `pro`. Each contender gets contexts in its own form, created beforehand. A
 * client is compared with clients, and a bare engine with a bare engine: a client also checks types, runs hooks,
 * collects what it reports and builds the details of the answer.
 */
const rules = ruleset([flag('simple', simpleRule)]);

async function clients(): Promise<Contender[]> {
  return [...(await fanionClient()), await launchdarkly(), growthbook(), await unleash()];
}

function engines(): Contender[] {
  const compiled = compileRuleset(rules);
  return [
    {
      name: '`evaluate`',
      isOurs: true,
      run: (i) => evaluate(compiled, 'simple', contexts[i & 1_023] ?? {}).value === true,
    },
    flagd(),
  ];
}

/**
 * Used as in the guide: through OpenFeature's client, with the ruleset from a server and its stream open. Also the
 * provider called directly, and OpenFeature's client with an empty provider, to separate our cost from theirs.
 */
async function fanionClient(): Promise<Contender[]> {
  const server = await startFlagServer(rules);
  const provider = new FanionProvider({ endpoint: server.endpoint, sdkKey: server.key });
  const constant: Provider = {
    metadata: { name: 'constant' },
    resolveBooleanEvaluation: (_key, _value, context) => Promise.resolve({ value: context.plan === 'pro' }),
    resolveStringEvaluation: (_key, value) => Promise.resolve({ value }),
    resolveNumberEvaluation: (_key, value) => Promise.resolve({ value }),
    resolveObjectEvaluation: (_key, value) => Promise.resolve({ value }),
  };
  await OpenFeature.setProviderAndWait('fanion', provider);
  await OpenFeature.setProviderAndWait('constant', constant);
  const [client, bare] = [OpenFeature.getClient('fanion'), OpenFeature.getClient('constant')];
  const users = contexts.map((context) => ({ ...context }));
  const user = (i: number) => users[i & 1_023] ?? {};
  return [
    {
      name: "`@fanion/sdk` through OpenFeature's client",
      isOurs: true,
      run: (i) => client.getBooleanValue('simple', false, user(i)),
      async stop() {
        await OpenFeature.close();
        await server.stop();
      },
    },
    {
      name: '`@fanion/sdk`, the provider called directly',
      isOurs: true,
      run: async (i) => (await provider.resolveBooleanEvaluation('simple', false, user(i))).value,
    },
    {
      name: "limit: OpenFeature's client with a provider that does nothing",
      run: (i) => bare.getBooleanValue('simple', false, user(i)),
    },
  ];
}

function flagd(): Contender {
  const core = new FlagdCore();
  core.setConfigurations(
    JSON.stringify({
      flags: {
        simple: {
          state: 'ENABLED',
          variants: { on: true, off: false },
          defaultVariant: 'off',
          targeting: { if: [{ in: [{ var: 'plan' }, ['pro']] }, 'on', 'off'] },
        },
      },
    }),
  );
  const users = contexts.map((context) => ({ ...context }));
  return {
    name: '`@openfeature/flagd-core`',
    run: (i) => core.resolveBooleanEvaluation('simple', false, users[i & 1_023] ?? {}).value,
  };
}

function growthbook(): Contender {
  const client = new GrowthBookClient({}).initSync({
    payload: {
      features: { simple: { defaultValue: false, rules: [{ condition: { plan: { $in: ['pro'] } }, force: true }] } },
    },
  });
  const users = contexts.map((attributes) => ({ attributes }));
  return { name: '`@growthbook/growthbook`', run: (i) => client.isOn('simple', users[i & 1_023] ?? {}) };
}

async function unleash(): Promise<Contender> {
  const constraint = {
    contextName: 'plan',
    operator: Operator.IN,
    values: ['pro'],
    inverted: false,
    caseInsensitive: false,
  };
  const strategy = { name: 'default', parameters: {}, constraints: [constraint] };
  const feature = { name: 'simple', enabled: true, type: 'release', stale: false, impressionData: false, project: '' };
  const client = new Unleash({
    url: 'http://127.0.0.1:9/',
    appName: 'bench',
    disableAutoStart: false,
    disableMetrics: true,
    refreshInterval: 0,
    skipInstanceCountWarning: true,
    storageProvider: new InMemStorageProvider(),
    bootstrap: { data: [{ ...feature, strategies: [strategy], variants: [] }] },
  });
  client.on('error', () => {});
  client.on('warn', () => {});
  if (!client.isSynchronized()) await new Promise((resolve) => client.once('ready', resolve));
  const users = contexts.map(({ targetingKey, ...properties }) => ({
    userId: targetingKey,
    properties,
  }));
  return {
    name: '`unleash-client`, no metrics',
    run: (i) => client.isEnabled('simple', users[i & 1_023] ?? {}),
    stop: () => client.destroy(),
  };
}

async function launchdarkly(): Promise<Contender> {
  const data = new TestData();
  await data.update(
    data.flag('simple').booleanFlag().fallthroughVariation(false).ifMatch('user', 'plan', 'pro').thenReturn(true),
  );
  const client = init('sdk-key', {
    updateProcessor: data.getFactory(),
    sendEvents: false,
    diagnosticOptOut: true,
    logger: basicLogger({ level: 'none' }),
  });
  await client.waitForInitialization({ timeout: 10 });
  const users = contexts.map(({ targetingKey, ...more }) => ({ kind: 'user', key: targetingKey, ...more }));
  return {
    name: '`@launchdarkly/node-server-sdk`, test data, no events',
    run: (i) => client.boolVariation('simple', users[i & 1_023] ?? { key: '' }, false),
    stop: () => client.close(),
  };
}

/** Nanoseconds of processor time a call. A contender that returns promises is awaited, as by its callers. */
async function measure({ run }: Contender): Promise<number> {
  const start = process.cpuUsage();
  let on = 0;
  for (let i = 0; i < calls; i++) {
    const answer = run(i);
    if (typeof answer === 'boolean' ? answer : await answer) on++;
  }
  const { user, system } = process.cpuUsage(start);
  if (on !== calls / 2) throw new Error(`on for ${on} of ${calls}: another rule than the others'`);
  return ((user + system) / calls) * 1e3;
}

/** Measures all contenders in turns and prints a table, with each of our times divided by theirs. */
async function compare(title: string, contenders: readonly Contender[]): Promise<void> {
  const times = contenders.map((): number[] => []);
  for (let round = -1; round < rounds; round++)
    for (const [i, contender] of contenders.entries()) {
      const time = await measure(contender);
      if (round >= 0) times[i]?.push(time);
    }
  const medians = times.map(median);
  console.log(
    `\n## ${title}: one rule, processor time, median of ${rounds} rounds in turns, load ${loadavg()[0]?.toFixed(0)}\n`,
  );
  console.log('| what | time | per second | ours divided by it |\n|---|---|---|---|');
  for (const [i, { name, isOurs }] of contenders.entries()) {
    const ns = medians[i] ?? Number.NaN;
    const ours = medians.filter((_, at) => contenders[at]?.isOurs);
    const ratio = isOurs ? '' : ours.map((time) => (time / ns).toFixed(2)).join(' and ');
    console.log(`| ${name} | ${ns.toFixed(0)} ns | ${(1_000 / ns).toFixed(2)} M | ${ratio} |`);
  }
  for (const { stop } of contenders) await stop?.();
}

export async function inProcess(): Promise<void> {
  await compare('Whole clients', await clients());
  await compare('Bare engines', engines());
  engine();
}
