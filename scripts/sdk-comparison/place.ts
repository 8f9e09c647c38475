import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compileRuleset, type Evaluation, evaluate, type Ruleset } from '@fanion/flag-engine';
import { complete } from '../../packages/server/src/platform/steps.ts';
import { flagdConfiguration } from '../../packages/server/src/protocols/flagd/convert-rules.ts';
import { newWorkspace, type SignedUp, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { runProcess } from '../../test/support/server-process.ts';
import { type Context, contextsOf } from './contexts.ts';
import { flagdFile } from './flags/flagd.ts';
import { growthBookFile } from './flags/growthbook.ts';
import { launchDarklyFile } from './flags/launchdarkly.ts';
import { nativeFlags, nativeSegments } from './flags/native.ts';
import { unleashFile } from './flags/unleash.ts';
import { type Random, randomOf } from './random.ts';

export const products = ['launchdarkly', 'unleash', 'growthbook', 'flagd'] as const;
export type Product = (typeof products)[number];

const files: Readonly<Record<Product, (count: number, random: Random) => object>> = {
  launchdarkly: launchDarklyFile,
  unleash: unleashFile,
  growthbook: growthBookFile,
  flagd: flagdFile,
};

const hashes = {
  launchdarkly: 'fanion',
  unleash: 'unleash_variants',
  growthbook: 'growthbook_v2',
  flagd: 'flagd',
} as const;

/** How many flags come from a file of the product, and how many are Fanion's own. */
const imported = 145;
const native = 55;
/** The flag whose changes SDKs must receive. */
export const changing = 'changing';
export const changes = 20;

/** The value at a position of `values`, or nothing: the caller's default. */
export const nothing = 255;

export interface FlagUnderTest {
  readonly key: string;
  readonly kind: string;
  readonly values: readonly unknown[];
  /** Why SDKs that evaluate in their process do not get it. */
  readonly reasons: readonly string[];
  /** Has a percentage in flagd's form, so evaluators with another hash serve the caller's default. */
  readonly isDivided: boolean;
}

/** A project with the flags of one product, and what Fanion answers. */
export interface Place {
  readonly product: Product;
  readonly user: SignedUp;
  readonly serverKey: string;
  readonly clientKey: string;
  /** A server key whose features are encrypted for GrowthBook's SDKs, and what decrypts them. */
  readonly encryptedKey: string;
  readonly decryptionKey: string;
  readonly flags: readonly FlagUnderTest[];
  readonly contexts: readonly Context[];
  /** By context and flag. */
  readonly answers: Uint8Array;
  /** Answers of the engine in this process that differ from those of OFREP, in the first contexts. */
  readonly engineDifferences: number;
}

export async function preparePlace(
  product: Product,
  {
    owner,
    count,
    asked,
    seed,
    directory,
  }: { owner: SignedUp; count: number; asked: number; seed: number; directory: string },
): Promise<Place> {
  const user = await newWorkspace(owner, product);
  await writeFlags(user, product, seed, join(directory, product));
  const serverKey = await user.sdkKey('production');
  const clientKey = await user.sdkKey('production', { kind: 'client', allowed_origins: ['https://shop.example'] });
  const encrypted = await user.post(`${user.project}/flag-keys`, {
    ...{ environment: 'production', name: 'encrypted', growthbook_encryption: true },
  });
  if (encrypted.status !== 201) throw new Error(encrypted.text);
  const { key: encryptedKey, growthbook_decryption_key: decryptionKey } = encrypted.data;
  const ruleset = await rulesetOf(user.base, serverKey);
  const forFlagd = JSON.parse(complete(flagdConfiguration(ruleset))).flags;
  const flags = await Promise.all(
    Object.values(ruleset.flags)
      .filter(({ key }) => key !== changing)
      .map(async ({ key, kind, variants }): Promise<FlagUnderTest> => {
        const { data } = await user.get(`${user.project}/environments/production/flags/${key}`);
        const isDivided = JSON.stringify(forFlagd[key] ?? {}).includes('"fractional":[');
        const values = variants.map(({ value }) => value);
        return { key, kind, values, reasons: data.compatibility[product], isDivided };
      }),
  );
  const contexts = contextsOf(count, seed + 1, product === 'unleash');
  const ask = await askerOf(user.base, serverKey);
  const compiled = compileRuleset(ruleset, { clock: Date.now });
  const answers = new Uint8Array(contexts.length * flags.length);
  let engineDifferences = 0;
  for (const [at, context] of contexts.entries())
    for (const [j, flag] of flags.entries())
      answers[at * flags.length + j] = answerOf(flag, ofrepForm(evaluate(compiled, flag.key, context)), product);
  await inParallel(contexts.slice(0, asked), 8, async (context, at) => {
    const answered = await ask(context);
    for (const [j, flag] of flags.entries())
      if (answers[at * flags.length + j] !== answerOf(flag, answered.get(flag.key), product)) engineDifferences++;
  });
  const keys = { serverKey, clientKey, encryptedKey, decryptionKey };
  return { product, user, ...keys, flags, contexts, answers, engineDifferences };
}

async function writeFlags(user: SignedUp, product: Product, seed: number, directory: string): Promise<void> {
  const token = await user.token(['flags:read', 'flags:write'], { project: user.projectId });
  const env = { FANION_ENDPOINT: user.base, FANION_TOKEN: token };
  const run = async (...args: string[]) => {
    const { code, output } = await runProcess(args, env);
    if (code !== 0) throw new Error(`fanion ${args.join(' ')}: ${output}`);
  };
  const random = randomOf(seed);
  for (const folder of ['flags', 'segments']) await mkdir(join(directory, folder), { recursive: true });
  const file = join(directory, `${product}.json`);
  await writeFile(file, JSON.stringify(files[product](imported, random)));
  await run('import', product, file, '--environment-map', 'default=production', '--yes');
  const write = (folder: string, item: object & { readonly key: string }) =>
    writeFile(join(directory, folder, `${item.key}.yaml`), JSON.stringify(item));
  for (const segment of nativeSegments) await write('segments', segment);
  for (const flag of nativeFlags(native, random, hashes[product])) await write('flags', flag);
  const variants = Array.from({ length: changes + 1 }, (_, i) => ({ key: `v${i}`, value: `v${i}` }));
  const environments = { production: changingTo('v0') };
  const flag = { key: changing, kind: 'string', variants, off_variant: 'v0', environments };
  await write('flags', flag);
  await run('apply', '-f', directory, '--yes');
}

const changingTo = (variant: string) => ({ enabled: true, fallthrough: { variant } });

/** Serves another variant of the flag that changes. */
export async function change(user: SignedUp, variant: string): Promise<void> {
  const path = `${user.project}/environments/production/flags/${changing}`;
  const { version } = (await user.get(path)).data;
  const body = { ...changingTo(variant), off_variant: 'v0', targets: [], rules: [], version };
  const answer = await user.put(path, body);
  if (answer.status !== 200) throw new Error(answer.text);
}

async function rulesetOf(base: string, key: string): Promise<Ruleset> {
  const client = testClient(base, { bearer: key });
  return until(async () => {
    const { json } = await client.get('/api/v1/sdk/flags/ruleset');
    const ruleset: Ruleset | undefined = json?.data ?? json;
    return ruleset?.flags?.[changing] !== undefined && ruleset;
  });
}

interface OfrepFlag {
  readonly key: string;
  readonly value?: unknown;
  readonly variant?: string;
  readonly reason?: string;
  readonly errorCode?: string;
}

async function askerOf(base: string, key: string) {
  const client = testClient(base, { bearer: key });
  return async (context: Context): Promise<ReadonlyMap<string, OfrepFlag>> => {
    const send = () => client.post('/ofrep/v1/evaluate/flags', { context });
    // A connection that was idle may be closed while it is used.
    const { json, status, text } = await send().catch(send);
    if (status !== 200) throw new Error(text);
    return new Map(json.flags.map((flag: OfrepFlag) => [flag.key, flag]));
  };
}

function ofrepForm({ key, value, variant, reason, error }: Evaluation): OfrepFlag {
  if (error !== undefined) return { key, errorCode: error.code };
  const isOff = reason === 'OFF' || reason === 'PREREQUISITE_FAILED';
  return { key, reason: isOff ? 'DISABLED' : reason, ...(variant !== null && { variant, value }) };
}

/** Unleash's SDKs return the fallback of their caller for a feature that is off, or has no variant. */
function answerOf({ kind, values }: FlagUnderTest, answer: OfrepFlag | undefined, product: Product): number {
  if (answer === undefined || answer.errorCode !== undefined || answer.value === undefined) return nothing;
  if (product === 'unleash' && kind !== 'boolean' && (answer.reason === 'DISABLED' || answer.variant === 'disabled'))
    return nothing;
  const text = JSON.stringify(answer.value);
  const position = values.findIndex((value) => JSON.stringify(value) === text);
  if (position === -1) throw new Error(`unknown value ${text} of ${answer.key}`);
  return position;
}

async function inParallel<T>(items: readonly T[], workers: number, work: (item: T, at: number) => Promise<void>) {
  const queue = items.entries();
  const worker = async () => {
    for (const [at, item] of queue) await work(item, at);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}
