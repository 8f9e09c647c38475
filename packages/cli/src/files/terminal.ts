import { createInterface } from 'node:readline/promises';

/** Output and input of a command. */
export interface Terminal {
  out(line: string): void;
  err(line: string): void;
  /** Undefined when nobody can answer. */
  readonly ask: ((question: string) => Promise<boolean>) | undefined;
  /** Whether lines may have colors. */
  readonly colors?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function processTerminal(): Terminal {
  const isInteractive = process.stdin.isTTY === true && process.stdout.isTTY === true;
  return {
    out: (line) => console.log(line),
    err: (line) => console.error(line),
    // https://no-color.org
    colors: process.stdout.isTTY === true && !process.env.NO_COLOR,
    env: process.env,
    ask: isInteractive
      ? async (question) => {
          const lines = createInterface({ input: process.stdin, output: process.stdout });
          try {
            return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
          } finally {
            lines.close();
          }
        }
      : undefined,
  };
}
