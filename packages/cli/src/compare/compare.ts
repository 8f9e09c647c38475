import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import type { Call } from '../commands/command.ts';
import { endpointOf } from '../files/connection-options.ts';
import { count } from '../files/part.ts';
import { plainText } from '../files/plain-text.ts';
import { secretVariable } from '../files/secret-variable.ts';
import type { Terminal } from '../files/terminal.ts';
import { UsageError } from '../files/usage-error.ts';
import { createComparison, type FlagDifference, type OwnAnswer } from './differences.ts';
import { askFanion } from './own.ts';
import { merged, type RecordedContext, readRecords } from './records.ts';
import { isProduct, openVendor, type Product, type Vendor } from './vendors.ts';

/** Contexts that are compared at the same time. */
const concurrency = 6;

/** `fanion compare`: the answers of another product and of Fanion for the same contexts. */
export async function compare({ texts, flags, operands }: Call, terminal: Terminal): Promise<number> {
  const { from, contexts: name } = texts;
  if (from === undefined || !isProduct(from))
    throw new UsageError('name the product: --from launchdarkly, unleash, growthbook or flagd');
  if (name === undefined) throw new UsageError('name the recorded contexts: --contexts FILE');
  if (operands.length > 1) throw new UsageError('name at most one file of the product');
  const sdkKey = texts['sdk-key'] ?? secretVariable('FANION_SDK_KEY', terminal.env);
  if (sdkKey === undefined) throw new UsageError('name an SDK key of the environment: --sdk-key or FANION_SDK_KEY');
  const endpoint = endpointOf(texts, terminal.env);
  const records = merged(await readRecords(await textOfFile(name), name));
  if (records.length === 0) throw new UsageError(`${name}: no contexts`);
  const vendor = await openedVendor(from, operands[0]);
  try {
    if (vendor === undefined && records.every(({ answers }) => answers === undefined))
      throw new UsageError(`${name} has no answers of ${from}: record them, or name a file of ${from} to evaluate`);
    const ignored = new Set(texts.ignore?.split(','));
    const comparison = createComparison(from);
    await forEach(records, async (record) => {
      const theirs = await answersOf(record, vendor, ignored);
      comparison.add(theirs, await askFanion(endpoint, sdkKey, theirs.context));
    });
    tell(comparison, from, flags.has('json'), terminal);
    return comparison.differences.length > 0 ? 1 : 0;
  } finally {
    vendor?.close();
  }
}

async function openedVendor(product: Product, file: string | undefined): Promise<Vendor | undefined> {
  if (file === undefined) return undefined;
  return openVendor(product, parse(await textOfFile(file)), process.cwd());
}

async function textOfFile(name: string): Promise<string> {
  return readFile(name, 'utf8').catch((error: Error) => {
    throw new UsageError(`${name}: ${error.message}`);
  });
}

async function answersOf(
  { context, answers }: RecordedContext,
  vendor: Vendor | undefined,
  ignored: ReadonlySet<string>,
): Promise<RecordedContext> {
  const known = new Map(answers);
  for (const flag of vendor?.flags ?? []) known.set(flag, await vendor?.evaluate(flag, context));
  for (const flag of ignored) known.delete(flag);
  return { context, answers: known };
}

async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

function tell(
  { contexts, flags, differences }: ReturnType<typeof createComparison>,
  product: Product,
  asJson: boolean,
  terminal: Terminal,
): void {
  if (asJson) {
    for (const difference of differences) terminal.out(JSON.stringify(difference));
    return;
  }
  for (const line of differences.flatMap((difference) => linesOf(difference, product))) terminal.out(plainText(line));
  const what = `${count(flags, 'flag')} in ${count(contexts, 'context')}`;
  terminal.out(differences.length === 0 ? `no difference: ${what}` : `${differences.length} of ${what} differ`);
}

function linesOf({ flag, kind, differing, compared, first }: FlagDifference, product: Product): string[] {
  if (kind === 'missing') return [`- ${flag}: Fanion does not have it`];
  return [
    `~ ${flag}: ${differing} of ${compared} answers differ, the first for ${short(first.context)}`,
    `    ${product}: ${short(first.theirs)}`,
    `    Fanion: ${first.ours === undefined ? 'nothing' : toldAnswer(first.ours)}`,
  ];
}

function toldAnswer({ value, reason, error }: OwnAnswer): string {
  return error === undefined ? `${short(value)}${reason === undefined ? '' : ` (${reason})`}` : `error: ${error}`;
}

function short(value: unknown): string {
  const text = value === undefined ? 'the default in the code' : JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}
