import { type ParseArgsConfig, parseArgs } from 'node:util';
import { connectionOptions, connectionUsage, UsageError } from '../files/connection-options.ts';
import type { Terminal } from '../files/terminal.ts';

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** What its value is, for the usage: `FILE`. */
  readonly value?: string;
  readonly help: string;
}

/** How a command was called. */
export interface Call {
  /** Texts of options that have a value. */
  readonly texts: Readonly<Record<string, string | undefined>>;
  /** Options without a value that were given. */
  readonly flags: ReadonlySet<string>;
  readonly operands: readonly string[];
}

interface Named {
  /** One word, or two: `token create`. */
  readonly name: string;
  readonly summary: string;
  /** Runs until it is stopped. */
  readonly lasts?: boolean;
}

/** One declaration, from which parsing, the usage and completion follow. */
export interface Command extends Named {
  /** `FILE…`; absent: it takes none. */
  readonly operands?: string;
  readonly options: Readonly<Record<string, Option>>;
  /** Has the options that connect to a server, too. */
  readonly connects?: boolean;
  /** Below the options, such as exit codes. */
  readonly notes?: string;
  /** @returns the exit code */
  run(call: Call, terminal: Terminal): Promise<number>;
}

/** A command that reads its arguments itself, and prints its usage at `--help`. */
export interface OwnCommand extends Named {
  runWith(argv: readonly string[], terminal: Terminal): Promise<number>;
}

/** Runs a command with what follows its name. */
export async function runCommand(
  command: Command | OwnCommand,
  argv: readonly string[],
  terminal: Terminal,
): Promise<number> {
  try {
    if ('runWith' in command) return await command.runWith(argv, terminal);
    const call = await parse(command, argv);
    if (call !== 'help') return await command.run(call, terminal);
    terminal.out(usageOf(command));
    return 0;
  } catch (error) {
    // Loaded only now: a server that evaluates flags in a process of its own keeps that process small.
    const { explained } = await import('../files/command.ts');
    return explained(error, command.name, terminal);
  }
}

/** @throws UsageError */
async function parse(command: Command, argv: readonly string[]): Promise<Call | 'help'> {
  const declared = { ...optionsOf(command), help: { type: 'boolean', short: 'h' } } as const;
  try {
    const options: NonNullable<ParseArgsConfig['options']> = Object.fromEntries(
      Object.entries(declared).map(([name, { type, short }]) => [name, { type, ...(short && { short }) }]),
    );
    const allowPositionals = command.operands !== undefined;
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals });
    if (values.help === true) return 'help';
    const given = Object.entries(values);
    return {
      texts: Object.fromEntries(given.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []))),
      flags: new Set(given.flatMap(([name, value]) => (value === true ? [name] : []))),
      operands: positionals,
    };
  } catch (error) {
    throw new UsageError(await mistake(error, Object.keys(declared)));
  }
}

/** The first sentence of what `parseArgs` says, and the nearest option to an unknown one. */
async function mistake(error: unknown, names: readonly string[]): Promise<string> {
  const [sentence = ''] = (error instanceof Error ? error.message : String(error)).split(/\. (?=[A-Z])/);
  const unknown = /^Unknown option '--([^']+)'/.exec(sentence)?.[1];
  if (unknown === undefined) return sentence;
  const { nearest } = await import('@fanion/oql');
  const meant = nearest(unknown, names);
  return meant === undefined ? sentence : `${sentence}; did you mean --${meant}?`;
}

/** The options of a command by their names, those for the connection included. */
export function optionsOf({ options, connects }: Command): Readonly<Record<string, Pick<Option, 'type' | 'short'>>> {
  return connects ? { ...options, ...connectionOptions } : options;
}

export function usageOf(command: Command): string {
  const { name, operands, summary, options, connects, notes } = command;
  const lines = Object.entries(options).map(([option, { short, value, help }]) => {
    const left = `${short === undefined ? '' : `-${short}, `}--${option}${value === undefined ? '' : ` ${value}`}`;
    return `  ${left.padEnd(22)} ${help}`;
  });
  const parts = [
    `fanion ${name}${operands === undefined ? '' : ` ${operands}`}: ${summary}\n`,
    ...lines,
    ...(connects ? [connectionUsage.trimStart().replace(/^/, '  ')] : []),
    ...(notes === undefined ? [] : [`\n${notes}`]),
  ];
  return parts.join('\n');
}
