import { contexts } from './shapes.ts';

/** What is asked: one flag for one context, all of them for it, or all of them for many contexts in turn. */
export type Question = 'single' | 'bulk' | 'contexts';

/** A started server that evaluates the flags of `flagKeys`. */
export interface Contender {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  /** Whole HTTP requests, sent in turn. */
  readonly requests: Readonly<Record<Question, readonly string[]>>;
  /** Before the bulk rounds, where single ones are asked of a server with one flag. */
  readonly prepareBulk?: () => Promise<void>;
  /** Least ratios of its processor time to ours. */
  readonly target: Readonly<Record<Question, number>>;
  readonly stop: () => unknown;
}

export const bulkFlags = 200;

/**
 * The same flags everywhere: on where the country is one of two. Every second one is also on for half of the other units,
 * so that no two contexts get the same answer.
 */
export const flagKeys: readonly string[] = Array.from({ length: bulkFlags }, (_, i) => `flag-${i}`);
export const countries = ['DE', 'AT'];
export const isDivided = (key: string): boolean => flagKeys.indexOf(key) % 2 === 1;

export interface Context {
  readonly targetingKey: string;
  readonly country: string;
  readonly plan: string;
}

export const oneContext: Context = { targetingKey: 'user-1', country: 'DE', plan: 'pro' };
export const manyContexts: readonly Context[] = contexts.map(({ targetingKey, country, plan }) => ({
  targetingKey,
  country,
  plan,
}));

/** The requests of a server, from how it is asked for one flag and for all. */
export function requestsOf(ask: {
  readonly single: (context: Context) => string;
  readonly bulk: (context: Context) => string;
}): Contender['requests'] {
  return { single: [ask.single(oneContext)], bulk: [ask.bulk(oneContext)], contexts: manyContexts.map(ask.bulk) };
}
