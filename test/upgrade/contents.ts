/** What a data directory of an earlier version contains, beside the three log records, the span and the two points of `make-data-directory.ts`. */
export interface Contents {
  /** Time of the telemetry. */
  readonly at: string;
  readonly email: string;
  /** Paths of the API. */
  readonly workspace: string;
  readonly project: string;
  readonly token: string;
  readonly sdkKey: string;
}
