/** How often something may be tried by one subject within a window of fixed length. */
export interface AttemptLimit {
  /** What is counted, such as `login:account`. */
  readonly kind: string;
  readonly attempts: number;
  readonly windowMs: number;
}

export interface AuthLimits {
  /** Of one account from one address, on devices that it was never signed in with. */
  readonly loginAccountAddress: AttemptLimit;
  /** Of one account from all such addresses; beyond it, each address has `loginPressed` attempts. */
  readonly loginAccount: AttemptLimit;
  readonly loginPressed: number;
  /** Of one account on a device that it was signed in with before, and of its password in a session. */
  readonly loginDevice: AttemptLimit;
  readonly loginAddress: AttemptLimit;
  readonly signupAddress: AttemptLimit;
  readonly oidcAddress: AttemptLimit;
}

const minute = 60_000;

/**
 * Guessing is slow from one address, and for all accounts from one address. Nobody can use up the attempts of somebody else:
 * those on a known device are counted by themselves, and however many addresses guess at an account, an address that
 * comes anew has attempts of its own. Many addresses together have fewer each.
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

/** What a workspace is called whose founder gave no name. At most 200 characters, as names are. */
export function defaultWorkspaceName(userName: string): string {
  return `${userName.slice(0, 180)}'s workspace`;
}

const nowhere = 'http://origin.invalid';

/**
 * A path to go to after signing in, on this origin and nowhere else; `/` for whatever is not one. The path is given back
 * as browsers would read it: `/..//evil.example` is `//evil.example` to them, an address on another host.
 */
export function safeReturnPath(text: string | undefined): string {
  if (text === undefined || !text.startsWith('/') || !URL.canParse(text, nowhere)) return '/';
  const url = new URL(text, nowhere);
  if (url.origin !== nowhere || url.pathname.startsWith('//')) return '/';
  return url.pathname + url.search + url.hash;
}
