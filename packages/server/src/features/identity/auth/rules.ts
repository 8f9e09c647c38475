/** How many attempts one subject has within a window of fixed length. */
export interface AttemptLimit {
  /** What is counted, such as `login:account`. */
  readonly kind: string;
  readonly attempts: number;
  readonly windowMs: number;
}

export interface AuthLimits {
  /** Per account and address, on devices on which the account never signed in. */
  readonly loginAccountAddress: AttemptLimit;
  /** Per account from all such addresses. Beyond it, each address has `loginPressed` attempts. */
  readonly loginAccount: AttemptLimit;
  readonly loginPressed: number;
  /** Per account on a device on which it signed in before, and for its password within a session. */
  readonly loginDevice: AttemptLimit;
  readonly loginAddress: AttemptLimit;
  readonly signupAddress: AttemptLimit;
  readonly oidcAddress: AttemptLimit;
}

const minute = 60_000;

/**
 * Limits guessing per account and per address. Nobody can use up another person's attempts: those on a known device are
 * counted separately, and however many addresses guess at an account, a new address has attempts of its own. When many
 * addresses guess together, each has fewer.
 */
export const defaultLimits: AuthLimits = {
  loginAccountAddress: { kind: 'login:account-address', attempts: 10, windowMs: 15 * minute },
  loginAccount: { kind: 'login:account', attempts: 50, windowMs: 15 * minute },
  loginPressed: 2,
  loginDevice: { kind: 'login:device', attempts: 10, windowMs: 15 * minute },
  loginAddress: { kind: 'login:address', attempts: 100, windowMs: 15 * minute },
  signupAddress: { kind: 'signup:address', attempts: 100, windowMs: 60 * minute },
  oidcAddress: { kind: 'oidc:address', attempts: 100, windowMs: 15 * minute },
};

export interface AttemptWindow {
  readonly start: Date;
  /** Until the next window, rounded up, at least 1. */
  readonly secondsLeft: number;
}

export function windowAt(limit: AttemptLimit, now: number): AttemptWindow {
  const start = now - (now % limit.windowMs);
  return { start: new Date(start), secondsLeft: Math.max(1, Math.ceil((start + limit.windowMs - now) / 1000)) };
}

/** The name of a workspace whose founder gave none. At most 200 characters, the limit of names. */
export function defaultWorkspaceName(userName: string): string {
  return `${userName.slice(0, 180)}'s workspace`;
}

const nowhere = 'http://origin.invalid';

/**
 * The path to open after sign-in, always on this origin; `/` for anything else. The path is normalized as browsers do
 * it: `/..//evil.example` is `//evil.example` to them, an address on another host.
 */
export function safeReturnPath(text: string | undefined): string {
  if (text === undefined || !text.startsWith('/') || !URL.canParse(text, nowhere)) return '/';
  const url = new URL(text, nowhere);
  if (url.origin !== nowhere || url.pathname.startsWith('//')) return '/';
  return url.pathname + url.search + url.hash;
}
