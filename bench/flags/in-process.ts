import { compileRuleset, evaluate } from '@fanion/flag-engine';
import { flag, ruleset } from '../../packages/flag-engine/src/testing/flags.ts';
import { median } from '../support/load.ts';
import { engine } from './engine.ts';
import { peer } from './peers.ts';
import { contexts, simpleRule } from './shapes.ts';

const rounds = Number(process.env.ROUNDS ?? 9);
const calls = 100_000;

interface Contender {
  readonly name: string;
  /** Least ratio to reach, of its time to ours. */
  readonly target?: number;
  /** Evaluates for the context of that number; whether it is on. */
  readonly run: (i: number) => boolean | Promise<boolean>;
  readonly stop?: () => unknown;
}

/** The same rule everywhere: on where `plan` is `pro`. Each engine is given contexts in its own form, made beforehand. */
async function contenders(): Promise<Contender[]> {
  const compiled = compileRuleset(ruleset([flag('simple', simpleRule)]));
  const ours: Contender = {
    name: 'Fanion',
    run: (i) => evaluate(compiled, 'simple', contexts[i & 1_023] ?? {}).value === true,
  };
  const found = [ours, flagd(), growthbook(), await unleash(), await launchdarkly()];
  return found.filter((each) => each !== undefined);
}

function flagd(): Contender | undefined {
  const module = peer('@openfeature/flagd-core');
  if (module === undefined) return undefined;
  const core = new module.FlagdCore();
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
  const name = '@openfeature/flagd-core';
  return {
    name,
    target: 2.5,
    run: (i) => core.resolveBooleanEvaluation('simple', false, contexts[i & 1_023]).value,
  };
}

function growthbook(): Contender | undefined {
  const module = peer('@growthbook/growthbook');
  if (module === undefined) return undefined;
  const client = new module.GrowthBookClient({}).initSync({
    payload: {
      features: { simple: { defaultValue: false, rules: [{ condition: { plan: { $in: ['pro'] } }, force: true }] } },
    },
  });
  const users = contexts.map((attributes) => ({ attributes }));
  return {
    name: '@growthbook/growthbook',
    target: 10,
    run: (i) => client.isOn('simple', users[i & 1_023]),
  };
}

async function unleash(): Promise<Contender | undefined> {
  const module = peer('unleash-client');
  if (module === undefined) return undefined;
  const strategy = { name: 'default', constraints: [{ contextName: 'plan', operator: 'IN', values: ['pro'] }] };
  const client = new module.Unleash({
    url: 'http://127.0.0.1:9/',
    appName: 'bench',
    disableAutoStart: false,
    disableMetrics: true,
    refreshInterval: 0,
    skipInstanceCountWarning: true,
    storageProvider: new module.InMemStorageProvider(),
    bootstrap: { data: [{ name: 'simple', enabled: true, type: 'release', strategies: [strategy], variants: [] }] },
  });
  client.on('error', () => {});
  client.on('warn', () => {});
  if (!client.isSynchronized()) await new Promise((resolve) => client.once('ready', resolve));
  const users = contexts.map(({ targetingKey, ...properties }) => ({ userId: targetingKey, properties }));
  return {
    name: 'unleash-client',
    target: 10,
    run: (i) => client.isEnabled('simple', users[i & 1_023]),
    stop: () => client.destroy(),
  };
}

async function launchdarkly(): Promise<Contender | undefined> {
  const module = peer('@launchdarkly/node-server-sdk');
  const integrations = module === undefined ? undefined : peer('@launchdarkly/node-server-sdk/integrations');
  if (module === undefined || integrations === undefined) return undefined;
  const data = new integrations.TestData();
  await data.update(
    data.flag('simple').booleanFlag().fallthroughVariation(false).ifMatch('user', 'plan', 'pro').thenReturn(true),
  );
  const client = module.init('sdk-key', {
    updateProcessor: data.getFactory(),
    sendEvents: false,
    diagnosticOptOut: true,
    logger: module.basicLogger({ level: 'none' }),
  });
  await client.waitForInitialization({ timeout: 10 });
  const users = contexts.map(({ targetingKey, ...more }) => ({ kind: 'user', key: targetingKey, ...more }));
  return {
    name: '@launchdarkly/node-server-sdk',
    target: 10,
    run: (i) => client.boolVariation('simple', users[i & 1_023], false),
    stop: () => client.close(),
  };
}

/** Nanoseconds of processor time a call. A contender that answers with promises is awaited, as its callers have to. */
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

export async function inProcess(): Promise<void> {
  console.log(`\n## In process, one rule, processor time, median of ${rounds} rounds in turns\n`);
  const all = await contenders();
  const times = all.map((): number[] => []);
  for (let round = -1; round < rounds; round++)
    for (const [i, contender] of all.entries()) {
      const time = await measure(contender);
      if (round >= 0) times[i]?.push(time);
    }
  const medians = times.map(median);
  console.log('| engine | time | per second | Fanion is | target |\n|---|---|---|---|---|');
  for (const [i, { name, target }] of all.entries()) {
    const ns = medians[i] ?? Number.NaN;
    const ratio = i === 0 ? '' : `${(ns / (medians[0] ?? 1)).toFixed(1)} times as fast`;
    const wanted = target === undefined ? '' : `${target} times`;
    console.log(`| ${name} | ${ns.toFixed(0)} ns | ${(1_000 / ns).toFixed(2)} M | ${ratio} | ${wanted} |`);
  }
  for (const { stop } of all) await stop?.();
  engine();
}
