import { guarded, helped } from '../files/command.ts';
import { UsageError } from '../files/connect.ts';
import { processTerminal, type Terminal } from '../files/terminal.ts';
import { type Importer, importWith } from './importer.ts';

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

/** `fanion import <product> FILE…`: imports what another product has, with a report of what has no equivalent. */
export async function importCommand(argv: readonly string[], terminal: Terminal = processTerminal()): Promise<number> {
  const [product = '', ...rest] = argv;
  const load = Object.hasOwn(importers, product) ? importers[product] : undefined;
  if (load !== undefined) return importWith(await load(), product, rest, terminal);
  const products = Object.keys(importers).join(', ');
  const usage = `fanion import <product> FILE…: imports what another product has; --help after its name shows its options

Products: ${products}
`;
  if (helped([product], usage, terminal)) return 0;
  return guarded('import', terminal, async () => {
    throw new UsageError(`name the product of the file: ${products}`);
  });
}
