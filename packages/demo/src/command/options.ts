/** The options of `fanion demo`, as they were given. */
export interface DemoCall {
  readonly endpoint?: string | undefined;
  readonly backfill?: string | undefined;
  readonly rate?: string | undefined;
  readonly 'backfill-rate'?: string | undefined;
  readonly seed?: string | undefined;
  readonly once?: boolean;
  readonly email?: string | undefined;
  readonly password?: string | undefined;
  readonly workspace?: string | undefined;
  readonly token?: string | undefined;
  readonly 'sdk-key'?: string | undefined;
}

export interface CommandOptions {
  endpoint: string;
  /** Undefined means a day for a new account, else nothing. */
  backfillMs: number | undefined;
  rate: number;
  backfillRate: number | undefined;
  seed: number;
  once: boolean;
  token: string | undefined;
  sdkKey: string | undefined;
  email: string;
  password: string | undefined;
  workspace: string | undefined;
}

/** An invalid command line; the message names the option. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Fills in the defaults. @throws UsageError */
export function readOptions(given: DemoCall): CommandOptions {
  const { token, 'sdk-key': sdkKey, backfill, rate = '2', 'backfill-rate': backfillRate, seed = '1' } = given;
  if (sdkKey !== undefined && token === undefined) throw new UsageError('--sdk-key needs --token');
  return {
    endpoint: url(given.endpoint ?? 'http://127.0.0.1:8080'),
    backfillMs: backfill === undefined ? undefined : duration('--backfill', backfill),
    rate: number('--rate', rate, 0.01, 500),
    backfillRate: backfillRate === undefined ? undefined : number('--backfill-rate', backfillRate, 0.01, 500),
    seed: number('--seed', seed, 0, Number.MAX_SAFE_INTEGER),
    once: given.once ?? false,
    token,
    sdkKey,
    email: given.email ?? 'demo@fanion.example',
    password: given.password,
    workspace: given.workspace,
  };
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
