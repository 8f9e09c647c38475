import type { Signal } from '@fanion/telemetry';

/** Whose telemetry it is: what an API token with `telemetry:ingest` stands for. */
export interface IngestPrincipal {
  workspaceId: string;
  /** The never-reused integer that stands for the workspace in the telemetry store. */
  workspace: number;
  projectId: string;
  project: number;
  /** Of the token, for resources that name none. */
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

/** Called for every request, so its implementer caches. `ip` is the caller's address, for limits of wrong tokens. */
export type Authenticate = (authorization: string | undefined, ip: string) => Promise<IngestPrincipal | IngestDenied>;
