import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { SignedUp } from '../../packages/server/src/testing/test-client.ts';
import type { Result } from './page.ts';
import { change, changes } from './place.ts';
import type { Sdk } from './sdks.ts';

interface Where {
  readonly directory: string;
  readonly folder: string;
  readonly user: SignedUp;
}

/** How long the program may take to compare everything, and to see one change. */
const comparingMs = 1_200_000;
const arrivingMs = 10_000;

/** Runs the program of an SDK: first it compares, then it reports changes. */
export async function runSdk(sdk: Sdk, { directory, folder, user }: Where): Promise<Result> {
  await change(user, 'v0');
  const child = startProgram(sdk, directory, folder);
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors = `${errors}${chunk}`.slice(-4_000);
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (withinMs: number) => {
    const line = await Promise.race([
      lines.next(),
      new Promise<undefined>((resolve) => setTimeout(resolve, withinMs, undefined).unref()),
    ]);
    if (line === undefined || line.done) throw new Error(`${sdk.name} (${sdk.language}) stopped: ${errors}`);
    return JSON.parse(line.value);
  };
  try {
    const compared = await next(comparingMs);
    const times = await arrivals(user, next);
    return { sdk, ...compared, arrived: times.length, slowestMs: Math.max(...times) };
  } finally {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
}

/** Milliseconds from the request that changes the flag until the SDK returns the new value. */
async function arrivals(user: SignedUp, next: (withinMs: number) => Promise<{ seen?: string; at?: number }>) {
  const see = async (variant: string) => {
    for (;;) {
      const { seen, at = 0 } = await next(arrivingMs);
      if (seen === variant) return at;
    }
  };
  await see('v0');
  const times: number[] = [];
  for (let i = 1; i <= changes; i++) {
    const sent = Date.now();
    await change(user, `v${i}`);
    times.push((await see(`v${i}`)) - sent);
  }
  return times;
}

/** Of the SDKs for Java, if they are installed. */
function classpathIn(directory: string): string {
  const file = join(directory, 'classpath.txt');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function startProgram({ language, program, args = [] }: Sdk, directory: string, folder: string) {
  const own = join(directory, language.toLowerCase());
  const [command, ...first] = {
    Node: [process.execPath, join(own, program)],
    Python: [join(own, 'venv/bin/python'), join(own, 'python', program)],
    Go: [join(own, 'bin', program)],
    Java: ['java', '-cp', `${join(own, 'classes')}:${classpathIn(own)}`, program],
  }[language];
  if (command === undefined) throw new Error(language);
  return spawn(command, [...first, folder, ...args], { cwd: own, stdio: ['ignore', 'pipe', 'pipe'] });
}
