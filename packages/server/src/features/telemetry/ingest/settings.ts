import { atLeast, count, mebibyte, setting } from '../../../platform/settings.ts';

/** Of each server. */
export const ingestSettings = {
  rate: {
    itemsPerSecond: setting('FANION_PROJECT_ITEMS_PER_SECOND', atLeast(1).default(1_000_000), {
      help: 'Spans, log records, points and samples per second that one project may send to one server, on average over 10 s. Requests beyond it get 429 with `Retry-After` (over gRPC, `RESOURCE_EXHAUSTED` with `RetryInfo`)',
    }),
    bytesPerSecond: setting('FANION_PROJECT_BYTES_PER_SECOND', atLeast(1024).default(256 * mebibyte), {
      help: 'The same for uncompressed bytes',
    }),
  },
  seriesPerDay: setting('FANION_PROJECT_SERIES_PER_DAY', count(1, 10_000_000).default(1_000_000), {
    help: 'New metric series that one project may start per day. Points of further series are rejected and counted as dropped in `/usage`; known series continue',
  }),
  repeats: setting('FANION_INGEST_REPEATS', count(0, 10_000_000).default(100_000), {
    help: 'Acknowledged ingest requests of all projects that the server remembers for 15 minutes. It acknowledges an equal request again without storing it again. `0`: every request is stored',
  }),
};
