import { type ParseArgsConfig, parseArgs } from 'node:util';
import { connectionOptions, UsageError } from '../files/connection-options.ts';
import type { Terminal } from '../files/terminal.ts';

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** Can be given more than once; its values are joined by commas. */
  readonly repeats?: boolean;
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

/** One declaration, from which parsing, the usage and completion follow. */
export interface Command {
  /** One word, or two: `token create`. */
  readonly name: string;
  readonly summary: string;
  /** A call that is useful as it is. */
  readonly example?: string;
  /** Runs until it is stopped. */
  readonly lasts?: boolean;
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

/** Runs a command with what follows its name. */
export async function runCommand(command: Command, argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const call = await parse(command, argv);
    if (call !== 'help') return await command.run(call, terminal);
    terminal.out(usageOf(command));
    return 0;
  } catch (error) {
    // Loaded only now: a server that evaluates flags in a process of its own keeps that process small.
    const { explained } = await import('./explained.ts');
    return explained(error, command.name, terminal);
  }
}

/** @throws UsageError */
async function parse(command: Command, argv: readonly string[]): Promise<Call | 'help'> {
  const declared = { ...optionsOf(command), help: { type: 'boolean', short: 'h' } } as const;
  try {
    const options: NonNullable<ParseArgsConfig['options']> = Object.fromEntries(
      Object.entries<Omit<Option, 'help'>>(declared).map(([name, { type, short, repeats = false }]) => [
        name,
        { type, multiple: repeats, ...(short && { short }) },
      ]),
    );
    const allowPositionals = command.operands !== undefined;
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals });
    if (values.help === true) return 'help';
    const given = Object.entries(values);
    return {
      texts: Object.fromEntries(
        given.flatMap(([name, value]) =>
          value === undefined || typeof value === 'boolean' ? [] : [[name, [value].flat().join(',')]],
        ),
      ),
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
export function optionsOf({ options, connects }: Command): Readonly<Record<string, Option>> {
  return connects ? { ...options, ...connectionOptions } : options;
}

export function usageOf(command: Command): string {
  const { name, operands, summary, example, notes } = command;
  const lines = Object.entries(optionsOf(command)).map(([option, { short, value, help }]) => {
    const left = `${short === undefined ? '' : `-${short}, `}--${option}${value === undefined ? '' : ` ${value}`}`;
    return `  ${left.padEnd(22)} ${help}`;
  });
  const parts = [
    `fanion ${name}${operands === undefined ? '' : ` ${operands}`}: ${summary}\n`,
    ...lines,
    ...(example === undefined ? [] : [`\nExample: ${example}`]),
    ...(notes === undefined ? [] : [`\n${notes}`]),
  ];
  return parts.join('\n');
}
