import { parseArgs } from 'node:util';

export interface CommandOptions {
  endpoint: string;
  /** Undefined means a day for a new account, else nothing. */
  backfillMs: number | undefined;
  rate: number;
  backfillRate: number | undefined;
  seed: number;
  once: boolean;
  help: boolean;
  token: string | undefined;
  sdkKey: string | undefined;
  email: string;
  password: string | undefined;
  workspace: string | undefined;
}

export const HELP = `Usage: fanion demo [options]

Runs a small shop of five services that sends OpenTelemetry to a Fanion server and evaluates its flags.
Without --token it signs up a demo account on the server (or logs in to it) and prints how to sign in.

  --endpoint <url>       URL of the server                            (http://127.0.0.1:8080)
  --backfill <duration>  write this much history first, such as 90m, 24h, 7d; 0 for none
                         (24h if the demo account is new, else 0)
  --rate <n>             visits per second at the busiest time of day; each leaves 5 to 25 spans (2)
  --backfill-rate <n>    visits per second of the history                 (--rate, at most 2)
  --seed <n>             equal seeds give equal traffic                                     (1)
  --once                 after the history, make one visit of each kind and exit
  --email, --password    credentials of the demo account
  --workspace <slug>     the workspace of that account to use                  (its first one)
  --token <token>        an API token with telemetry:ingest; the demo then creates nothing
  --sdk-key <key>        an SDK key, with --token; without it the flags keep their defaults
  --help
`;

/** An invalid command line; the message names the option. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Reads the command line. @throws UsageError */
export function parseOptions(argv: readonly string[]): CommandOptions {
  const values = parse(argv);
  if (values['sdk-key'] !== undefined && values.token === undefined) {
    throw new UsageError('--sdk-key needs --token');
  }
  return {
    endpoint: url(values.endpoint),
    backfillMs: values.backfill === undefined ? undefined : duration('--backfill', values.backfill),
    rate: number('--rate', values.rate, 0.01, 500),
    backfillRate:
      values['backfill-rate'] === undefined ? undefined : number('--backfill-rate', values['backfill-rate'], 0.01, 500),
    seed: number('--seed', values.seed, 0, Number.MAX_SAFE_INTEGER),
    once: values.once,
    help: values.help,
    token: values.token,
    sdkKey: values['sdk-key'],
    email: values.email,
    password: values.password,
    workspace: values.workspace,
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        endpoint: { type: 'string', default: 'http://127.0.0.1:8080' },
        backfill: { type: 'string' },
        rate: { type: 'string', default: '2' },
        'backfill-rate': { type: 'string' },
        seed: { type: 'string', default: '1' },
        once: { type: 'boolean', default: false },
        email: { type: 'string', default: 'demo@fanion.example' },
        password: { type: 'string' },
        workspace: { type: 'string' },
        token: { type: 'string' },
        'sdk-key': { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    // parseArgs throws a TypeError with a good message for unknown options.
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function url(value: string): string {
  let parsed: URL;
  try {
    parsed = new URL(value);
  } catch {
    throw new UsageError(`--endpoint ${value} is not a URL`);
  }
  if (!/^https?:$/.test(parsed.protocol)) throw new UsageError('--endpoint must be an http or https URL');
  return parsed.origin;
}

function number(name: string, value: string, least: number, most: number): number {
  const parsed = value.trim() === '' ? Number.NaN : Number(value);
  if (!(parsed >= least && parsed <= most)) throw new UsageError(`${name} must be a number from ${least} to ${most}`);
  return parsed;
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const MAX_BACKFILL_MS = 90 * 86_400_000;

/** `90m`, `24h`, `7d` or `0`, in milliseconds. */
export function duration(name: string, value: string): number {
  if (value === '0') return 0;
  const match = /^(\d+(?:\.\d+)?)([smhd])$/.exec(value);
  const ms = Number(match?.[1]) * (UNIT_MS[match?.[2] ?? ''] ?? Number.NaN);
  if (!(ms <= MAX_BACKFILL_MS)) throw new UsageError(`${name} must be a duration such as 90m, 24h or 7d, at most 90d`);
  return ms;
}
