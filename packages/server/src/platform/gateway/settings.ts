import { availableParallelism } from 'node:os';
import { bytes, count, gibibyte, kibibyte, mebibyte, type SettingsOf, setting, text } from '../settings.ts';
import type { LaneShares } from './run/lanes.ts';

export type QuerySettings = SettingsOf<typeof querySettings>;

const lanes = text(
  /^(interactive|dashboard|alert|background)=[1-9]\d?(,(interactive|dashboard|alert|background)=[1-9]\d?)*$/,
  'such as interactive=6,dashboard=3,alert=2,background=1',
).transform((given): Partial<LaneShares> => {
  const shares = given.split(',').map((share) => share.split('='));
  return Object.fromEntries(shares.map(([lane, running]) => [lane, Number(running)]));
});

export const querySettings = {
  concurrency: setting('FANION_QUERY_CONCURRENCY', count(1, 100).default(Math.max(4, availableParallelism())), {
    default: 'the number of processors, at least 4',
    help: 'Concurrent interactive queries of one workspace. 32 more wait for up to 5 s; further queries get 429 with `Retry-After`',
  }),
  lanes: setting('FANION_QUERY_LANES', lanes.default({}), {
    default:
      '`interactive=6,dashboard=3,alert=2,background=1`; with your own ClickHouse, the interactive lane has 2 slots more than one workspace may take',
    help: 'Concurrent queries on this server, by lane. Each lane has its own slots, so a flood in one lane never delays another. Omitted lanes keep their default',
  }),
  bytes: {
    result: setting('FANION_QUERY_RESULT_BYTES', bytes(mebibyte, 48 * mebibyte).default(16 * mebibyte), {
      help: 'Largest JSON result of a query. A larger one is `RESULT_TOO_LARGE` (422). A whole trace may have 128 MiB, the stacks of a flame graph 64 MiB',
    }),
    row: setting('FANION_QUERY_ROW_BYTES', bytes(64 * kibibyte, 8 * mebibyte).default(4 * mebibyte), {
      help: 'Largest row of a result, in every format',
    }),
    export: setting('FANION_QUERY_EXPORT_BYTES', bytes(mebibyte, 1024 * gibibyte).default(4 * gibibyte), {
      help: 'Largest result as NDJSON, CSV or Arrow, measured as JSON. The server closes the connection at the limit',
    }),
    cache: setting('FANION_QUERY_CACHE_BYTES', bytes(0, 4 * gibibyte).default(32 * mebibyte), {
      help: 'Size of the result cache for clients that accept older results, with `Cache-Control: max-age`. `0`: no cache',
    }),
  },
  recentBytes: setting('FANION_QUERY_RECENT_BYTES', bytes(0, 64 * gibibyte).optional(), {
    default: 'a sixteenth of the memory',
    range: '`0` to `64GiB`, such as `256MiB`',
    help: 'Memory for the recent points of repeatedly queried metrics, from which their rates and aggregates are computed. Only with the embedded telemetry store. `0`: off',
  }),
  seconds: setting('FANION_QUERY_SECONDS', count(1, 50).default(30), {
    help: 'Maximum run time of a query. A longer one fails with `QUERY_TOO_EXPENSIVE` (422). Alert rules and exports have separate limits',
  }),
  compileMs: setting('FANION_QUERY_COMPILE_MS', count(100, 30_000).default(5_000), {
    help: 'Maximum time to compile one OQL query, in milliseconds. Queries of more than 128 characters are compiled in separate threads',
  }),
};
