import type { Signal } from '@fanion/telemetry';

/** The sender of telemetry, identified by an API token with `telemetry:ingest`. */
export interface IngestPrincipal {
  workspaceId: string;
  /** The never-reused integer of the workspace in the telemetry store. */
  workspace: number;
  projectId: string;
  project: number;
  /** Environment of the token, for resources that do not name one. */
  environment: string | undefined;
  /** Retention class of new data. */
  retentionDays: Readonly<Record<Signal, number>>;
  tokenId: string;
}

export interface IngestDenied {
  denied: 401 | 403 | 429;
  message: string;
  /** Seconds, with 429. */
  retryAfter?: number;
}

/** Called for every request, so implementations cache. `ip` is the caller's address, for rate limits on wrong tokens. */
export type Authenticate = (authorization: string | undefined, ip: string) => Promise<IngestPrincipal | IngestDenied>;
