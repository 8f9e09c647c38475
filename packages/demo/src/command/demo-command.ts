import { setTimeout as sleep } from 'node:timers/promises';
import { DiagLogLevel, diag } from '@opentelemetry/api';
import { runDemo } from '../run/run-demo.ts';
import { type DemoCredentials, setUpDemo } from '../setup/set-up-demo.ts';
import { type CommandOptions, type DemoCall, readOptions, UsageError } from './options.ts';

const DAY = 86_400_000;
/** A server that is built and started in another terminal takes a while. */
const READY_WITHIN_MS = 120_000;
/** Publicly known, so it is used only on a server that nobody else can reach. */
const LOOPBACK_PASSWORD = 'fanion-demo-shop';

/** Output and interruption of the command: the process by default, replaced in tests. */
export interface CommandSurroundings {
  print: (line: string) => void;
  /** Aborting it ends the demo gracefully. */
  signal: AbortSignal;
}

/**
 * `fanion demo`: runs the shop until Ctrl-C. Returns the exit code: 0 on success, 1 on failure, 2 for an invalid command
 * line. A second Ctrl-C ends the process at once.
 */
export async function demoCommand(given: DemoCall, surroundings?: CommandSurroundings): Promise<number> {
  if (surroundings) return run(given, surroundings);
  const interrupt = new AbortController();
  const onSignal = () => {
    if (interrupt.signal.aborted) process.exit(130);
    process.stderr.write('\nsending the remaining data; press Ctrl-C again to exit at once\n');
    interrupt.abort();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('SIGHUP', onSignal);
  try {
    return await run(given, {
      print: (line) => void process.stdout.write(`${line}\n`),
      signal: interrupt.signal,
    });
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal).off('SIGHUP', onSignal);
  }
}

async function run(given: DemoCall, { print, signal }: CommandSurroundings): Promise<number> {
  let credentials: DemoCredentials | undefined;
  try {
    const options = readOptions(given);
    const account = options.token === undefined ? accountOf(options) : undefined;
    await untilReady(options.endpoint, signal);
    if (signal.aborted) return 0;
    credentials = account && (await setUpDemo(account));
    if (credentials) introduce(credentials, print);

    listenToExporters(print);
    const token = options.token ?? credentials?.token;
    const sdkKey = options.token === undefined ? credentials?.sdkKey : options.sdkKey;
    const result = await runDemo({
      endpoint: options.endpoint,
      ...(token === undefined ? {} : { token }),
      ...(sdkKey === undefined ? {} : { sdkKey }),
      backfillMs: options.backfillMs ?? (credentials?.created ? DAY : 0),
      ratePerSecond: options.rate,
      ...(options.backfillRate === undefined ? {} : { backfillRatePerSecond: options.backfillRate }),
      seed: options.seed,
      once: options.once,
      ...(credentials && { onHistory: openShop(credentials, print) }),
      signal,
      log: print,
    });
    const count = (value: number) => value.toLocaleString('en-US');
    print(`delivered ${count(result.spans)} spans and ${count(result.logs)} log records`);
    if (result.lost > 0) print(`${count(result.lost)} items could not be delivered`);
    return 0;
  } catch (error) {
    print(error instanceof Error ? error.message : String(error));
    if (!(error instanceof UsageError)) return 1;
    print('run fanion demo --help for the options');
    return 2;
  } finally {
    diag.disable();
    await credentials?.revoke().catch((error: unknown) => print(`the demo's token was not revoked: ${String(error)}`));
  }
}

/** The exporters report partly rejected batches through the SDK's diagnostics; each message is printed once. */
function listenToExporters(print: (line: string) => void): void {
  let last = '';
  const warn = (...words: unknown[]) => {
    const line = words.map(String).join(' ');
    if (line !== last) print(`  ${line}`);
    last = line;
  };
  const ignore = () => {};
  diag.setLogger(
    { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

function accountOf(options: CommandOptions) {
  const { endpoint, email, workspace } = options;
  const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(endpoint).hostname);
  const password = options.password ?? (loopback ? LOOPBACK_PASSWORD : undefined);
  if (password === undefined) {
    throw new UsageError('for a server on another machine, set --token, or --password for the demo account');
  }
  return { endpoint, email, password, ...(workspace === undefined ? {} : { workspace }) };
}

function introduce(credentials: DemoCredentials, print: (line: string) => void): void {
  print(`${credentials.created ? 'signed up' : 'logged in'}; sign in to see the shop:`);
  print(`  address   ${credentials.endpoint}`);
  print(`  e-mail    ${credentials.email}`);
  print(`  password  ${credentials.password}`);
}

function openShop({ afterHistory }: DemoCredentials, print: (line: string) => void): () => Promise<void> {
  return async () => {
    await afterHistory();
    print(
      'to look at: the dashboard Shop, three alert rules of which one fires, and two SLOs of which one burns its budget',
    );
    print(
      'to watch: the guarded release of the flag image-cdn, which is rolled back within minutes, under Ramps and releases',
    );
  };
}

/** Waits for a server that is starting. @throws Error when none responds. */
async function untilReady(endpoint: string, signal: AbortSignal): Promise<void> {
  const limit = Date.now() + READY_WITHIN_MS;
  while (!signal.aborted) {
    const ready = await fetch(new URL('/readyz', endpoint), { signal: AbortSignal.timeout(5000) }).then(
      (response) => response.ok,
      () => false,
    );
    if (ready) return;
    if (Date.now() > limit) throw new Error(`no Fanion server is ready at ${endpoint}; npm start starts one`);
    await sleep(500, undefined, { signal }).catch((reason: unknown) => {
      if (!signal.aborted) throw reason;
    });
  }
}
