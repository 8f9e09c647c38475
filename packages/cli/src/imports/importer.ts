import { parseArgs } from 'node:util';
import { guarded, helped } from '../files/command.ts';
import { type Connection, connect } from '../files/connect.ts';
import { connectionOptions } from '../files/connection-options.ts';
import { carryOut, type Part } from '../files/part.ts';
import { type Note, tellReport } from '../files/report.ts';
import type { Terminal } from '../files/terminal.ts';

/** What the files of a product become, and how `fanion import` reads them. */
export interface Importer {
  /** What it imports, and its own options, each in a line. */
  readonly usage: string;
  /** Names of its own options. Each has a text, and can be repeated. */
  readonly options: readonly string[];
  read(asked: Asked): Promise<Imported>;
}

/** How an importer was called. */
export interface Asked {
  readonly product: string;
  readonly files: readonly string[];
  /** The texts of an option of its own. */
  texts(option: string): readonly string[];
  /** The last text of an option of its own. */
  text(option: string): string | undefined;
  /** Where files are written; undefined: the server is changed. */
  readonly output: string | undefined;
  /** Whether a token is known, so that a server can be asked even if files are written. */
  readonly hasToken: boolean;
  /** Connects once. */
  connect(): Promise<Connection>;
}

/** What an import found. */
export interface Imported {
  /** `3 channels, 12 routing policies`. */
  readonly summary: string;
  readonly notes: readonly Note[];
  /** Variables that hold the secrets of the imported file, which are never written to files. */
  readonly variables?: readonly string[];
  /** Where files are written; undefined: where `--output` says. */
  readonly output?: string | undefined;
  /** Writes files for `fanion apply`. */
  write(directory: string): Promise<void>;
  /** What brings the server in line with what was found. */
  plan(connection: Connection, env: Terminal['env']): Promise<Part>;
}

const usage = `  --output DIR           write files for fanion apply instead; needs no server
  --strict               write nothing if something has no equivalent, with the exit code 3
  --dry-run              show what would change and write nothing
  -y, --yes              do not ask for confirmation

Exit codes: 0 imported, also with losses in the report; 1 a problem or a failed change; 2 a mistake in the call; 3 losses with --strict`;

/**
 * Runs an import: reads the files, prints the report, then writes files, or shows the difference to the server, asks and writes.
 *
 * @returns the exit code
 */
export function importWith(
  importer: Importer,
  product: string,
  argv: readonly string[],
  terminal: Terminal,
): Promise<number> {
  return guarded('import', terminal, async () => {
    if (helped(argv, `${importer.usage}\n${usage}`, terminal)) return 0;
    const own = Object.fromEntries(
      importer.options.map((name) => [name, { type: 'string', multiple: true } as const] as const),
    );
    const { positionals, values } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        ...own,
        ...connectionOptions,
        output: { type: 'string' },
        'dry-run': { type: 'boolean', default: false },
        yes: { type: 'boolean', short: 'y', default: false },
        strict: { type: 'boolean', default: false },
      },
    });
    const given: Readonly<Record<string, unknown>> = values;
    const texts = (option: string) => {
      const value = given[option];
      return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
    };
    let connected: Promise<Connection> | undefined;
    const once = () => {
      connected ??= connect(values, terminal.env);
      return connected;
    };
    const imported = await importer.read({
      product,
      files: positionals,
      texts,
      text: (option) => texts(option).at(-1),
      output: values.output,
      hasToken: (values.token ?? terminal.env.FANION_TOKEN ?? '') !== '',
      connect: once,
    });
    const { 'dry-run': dryRun, yes, strict, output } = values;
    return finish(imported, { output: imported.output ?? output, dryRun, yes, strict }, once, terminal);
  });
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
