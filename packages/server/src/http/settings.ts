import { atLeast, count, mebibyte, type SettingsOf, setting } from '../platform/settings.ts';

export type HttpSettings = SettingsOf<typeof httpSettings>;

export const httpSettings = {
  requestsPerMinute: setting('FANION_REQUESTS_PER_MINUTE', atLeast(10).default(6000), {
    help: 'Requests per minute on the JSON API for one person, API token or (without a valid credential) address. Flag evaluation and ingest do not count',
  }),
  maxBodyBytes: setting('FANION_MAX_BODY_BYTES', atLeast(65_536).default(32 * mebibyte), {
    help: 'Largest body of the JSON API. Most routes have lower limits: see [limits of bodies](guides/security.md#limits-of-bodies)',
  }),
  /** On average over ten seconds. */
  bodyRates: {
    anonymous: {
      bytesPerSecond: setting('FANION_ANONYMOUS_BYTES_PER_SECOND', atLeast(1_024).default(262_144), {
        help: 'Bytes of JSON bodies that the server reads from one address without a credential, on average over ten seconds. Beyond it, the address gets 429 with `Retry-After`',
      }),
      millisecondsPerSecond: setting('FANION_ANONYMOUS_MS_PER_SECOND', count(1, 1_000).default(100), {
        help: 'The same for the milliseconds that the server spends on parsing and checking these bodies',
      }),
    },
    caller: {
      bytesPerSecond: setting('FANION_CALLER_BYTES_PER_SECOND', atLeast(1_024).default(8_388_608), {
        help: 'Bytes of JSON bodies that the server reads from one user, token or SDK key, on average over ten seconds. Evaluation contexts of at most 4 KiB do not count',
      }),
      millisecondsPerSecond: setting('FANION_CALLER_MS_PER_SECOND', count(1, 1_000).default(500), {
        help: 'The same for milliseconds',
      }),
    },
  },
};
