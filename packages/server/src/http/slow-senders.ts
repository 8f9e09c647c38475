/** An idle connection is closed after this time. */
export const keepAliveMs = 65_000;

/** Headers within 15 s, the whole request within 60 s; by default, Node checks only every 30 s. */
export const slowSenders = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  keepAliveTimeout: keepAliveMs,
  connectionsCheckingInterval: 5_000,
} as const;
