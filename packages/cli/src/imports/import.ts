import type { Call } from '../commands/command.ts';
import { type Connection, connect, UsageError } from '../files/connect.ts';
import { carryOut } from '../files/part.ts';
import { tellReport } from '../files/report.ts';
import type { Terminal } from '../files/terminal.ts';
import type { Imported, Importer } from './importer.ts';

const flags = async () => (await import('../flags/importer.ts')).flagsImporter;

/** Importers by the name of the product on the command line; only the one that is used is loaded. */
const importers: Readonly<Record<string, () => Promise<Importer>>> = {
  launchdarkly: flags,
  unleash: flags,
  flagd: flags,
  growthbook: flags,
  'growthbook-experiments': async () => (await import('../growthbook-experiments/importer.ts')).growthBookImporter,
  'prometheus-rules': async () => (await import('../prometheus-rules/importer.ts')).prometheusImporter,
  alertmanager: async () => (await import('../alertmanager/importer.ts')).alertmanagerImporter,
};

/** `fanion import`: imports what another product has, with a report of what has no equivalent. */
export async function importFiles(
  { texts, flags: given, operands: [product = '', ...files] }: Call,
  productOptions: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const load = Object.hasOwn(importers, product) ? importers[product] : undefined;
  if (load === undefined) throw new UsageError(`name the product of the file: ${Object.keys(importers).join(', ')}`);
  const importer = await load();
  const [foreign] = productOptions.filter(
    (option) => texts[option] !== undefined && !importer.options.includes(option),
  );
  if (foreign !== undefined) throw new UsageError(`fanion import ${product} has no option --${foreign}`);
  let connected: Promise<Connection> | undefined;
  const once = () => {
    connected ??= connect(texts, terminal.env);
    return connected;
  };
  const imported = await importer.read({ product, files, texts, connect: once });
  const { output } = texts;
  const options = { output, dryRun: given.has('dry-run'), yes: given.has('yes'), strict: given.has('strict') };
  return finish(imported, options, once, terminal);
}

interface Options {
  readonly output: string | undefined;
  readonly dryRun: boolean;
  readonly yes: boolean;
  /** Writes nothing if something has no equivalent. */
  readonly strict: boolean;
}

async function finish(
  { summary, notes, variables = [], write, plan }: Imported,
  { output, dryRun, yes, strict }: Options,
  ready: () => Promise<Connection>,
  terminal: Terminal,
): Promise<number> {
  terminal.out(`Kept: ${summary}`);
  tellReport(notes, terminal.out);
  if (strict && notes.some(({ level }) => level === 'lost')) {
    terminal.err('nothing was written: --strict allows no losses');
    return 3;
  }
  if (output === undefined) return carryOut([await plan(await ready(), terminal.env)], { dryRun, yes }, terminal);
  if (!dryRun) await write(output);
  for (const variable of variables) terminal.out(`set ${variable} before you apply: files hold no secrets`);
  terminal.out(
    dryRun ? 'nothing was written, this was a dry run' : `files in ${output}: review them, then run fanion apply`,
  );
  return 0;
}
