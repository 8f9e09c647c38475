/*
 * The same users get the same values: compares published SDKs of other products, unchanged but for address and key, with OFREP, over 200 flags
 * with all operators and 10,000 contexts, and measures how soon a change arrives through their streams. Prints docs/sdk-comparison.md:
 *
 *     npx tsc -b && npx tsx scripts/sdk-comparison/index.ts DIRECTORY > docs/sdk-comparison.md
 *
 * SDKs are installed in DIRECTORY from npm, PyPI, Maven Central and Go's proxy, at exact versions (`sdks.ts`). CONTEXTS, ASKED and SEED change the run, ONLY selects
 * SDKs whose product, name or language contains one of several texts (`flagd,Go`); results of former runs stay in the page. FLAGD is the file of
 * flagd itself, which is not in a registry. Differences are printed with an example each on standard error, and the exit code is then 1.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { signUp } from '../../packages/server/src/testing/test-client.ts';
import { freePort, serveProcess } from '../../test/support/server-process.ts';
import { install } from './install.ts';
import { pageOf, type Result } from './page.ts';
import { changes, changing, type Place, preparePlace, products } from './place.ts';
import { runSdk } from './run.ts';
import { sdks } from './sdks.ts';

const [given] = process.argv.slice(2);
if (given === undefined) throw new Error('name a directory for the SDKs');
const directory = resolve(given);
const count = Number(process.env.CONTEXTS ?? 10_000);
/** Contexts for OFREP itself, and for SDKs that send a request for each. */
const asked = Math.min(count, Number(process.env.ASKED ?? 2_000));
const seed = Number(process.env.SEED ?? 28);
const say = (line: string) => process.stderr.write(`${line}\n`);
const chosen = sdks
  .filter(({ name, language, product }) =>
    (process.env.ONLY ?? '').split(',').some((text) => `${product} ${name} ${language}`.includes(text)),
  )
  .filter(({ name, version, needs }) => {
    const isHere = needs === undefined || process.env[needs] !== undefined;
    if (!isHere) say(`${name} is left out: set ${needs} to the file of its version ${version}`);
    return isHere;
  });

await install(directory, new Set(chosen.map(({ language }) => language)));
const dataDir = await mkdtemp(join(tmpdir(), 'fanion-sdks-'));
const [flagdPort, flagdSyncPort] = [await freePort(), await freePort()];
const server = await serveProcess(dataDir, await freePort(), {
  FANION_FLAGD_PORT: String(flagdPort),
  FANION_FLAGD_SYNC_PORT: String(flagdSyncPort),
});
const results: Result[] = [];
const failures: string[] = [];
try {
  const owner = await signUp(server.base, 'comparison');
  for (const product of products) {
    const own = chosen.filter((sdk) => sdk.product === product);
    if (own.length === 0) continue;
    const place = await preparePlace(product, { owner, count, asked, seed, directory: join(directory, 'flags') });
    say(
      `${product}: ${place.flags.length} flags, ${place.flags.filter(({ reasons }) => reasons.length > 0).length} listed`,
    );
    results.push(engineResult(place));
    const folder = await written(place);
    for (const sdk of own) {
      const result = await runSdk(sdk, { directory, folder, user: place.user }).catch((error: Error) => error.message);
      if (typeof result === 'string') {
        failures.push(result);
        say(result);
        continue;
      }
      for (const example of result.examples) say(`  ${JSON.stringify(example)}`);
      say(`${sdk.name} (${sdk.language}): ${JSON.stringify({ ...result, sdk: undefined, examples: undefined })}`);
      results.push(result);
    }
  }
} finally {
  await server.end('SIGTERM');
  await rm(dataDir, { recursive: true, force: true });
}
process.stdout.write(pageOf(await kept(results), seed));
const isWrong = ({ differences, slowestMs = 0 }: Result) => differences > 0 || slowestMs > 1_000;
process.exitCode = failures.length > 0 || results.some(isWrong) ? 1 : 0;

function engineResult({ product, flags, contexts, engineDifferences }: Place): Result {
  const evaluations = flags.length * Math.min(asked, contexts.length);
  const sdk = {
    name: `OFREP and Fanion's engine, flags of ${product}`,
    language: 'Node',
    version: '',
    product,
  } as const;
  return {
    sdk,
    contexts: Math.min(asked, contexts.length),
    evaluations,
    listed: 0,
    differences: engineDifferences,
    examples: [],
  };
}

/** What the programs read. */
async function written({ product, flags, contexts, answers, ...keys }: Place): Promise<string> {
  const folder = join(directory, 'places', product);
  await mkdir(folder, { recursive: true });
  const { serverKey, clientKey, encryptedKey, decryptionKey } = keys;
  const places = { base: server.base, flagdPort, flagdSyncPort, serverKey, clientKey, encryptedKey, decryptionKey };
  const settings = {
    ...places,
    changing,
    last: `v${changes}`,
    asked,
    fewer: Math.min(200, count),
    listedContexts: Math.min(1_000, count),
  };
  await writeFile(join(folder, 'place.json'), JSON.stringify({ settings, flags, contexts }));
  await writeFile(join(folder, 'answers.bin'), answers);
  return folder;
}

/** The results of all runs in this directory, in the order of the page. */
async function kept(now: readonly Result[]): Promise<Result[]> {
  const file = join(directory, 'results.json');
  const former: Result[] = JSON.parse(await readFile(file, 'utf8').catch(() => '[]'));
  const idOf = ({ sdk }: Result) => `${sdk.product} ${sdk.name} ${sdk.language}`;
  const all = new Map([...former, ...now].map((result) => [idOf(result), result]));
  const order = products.flatMap((product) => [
    ...[...all.values()].filter(({ sdk }) => sdk.product === product && sdk.version === ''),
    ...sdks
      .filter((sdk) => sdk.product === product)
      .flatMap(({ name, language }) => all.get(`${product} ${name} ${language}`) ?? []),
  ]);
  await writeFile(file, JSON.stringify(order));
  return order;
}
