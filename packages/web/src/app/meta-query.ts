import { getMeta } from '@fanion/contract';
import { routeQuery } from '../api/queries.ts';

/** Version and capabilities of the server; they change only when the server is replaced. */
export const metaQuery = { ...routeQuery(getMeta, {}), staleTime: 5 * 60_000 };
