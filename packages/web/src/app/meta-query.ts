import { getMeta } from '@fanion/contract';
import { routeQuery } from '../api/queries.ts';

/** What the server is and can; it changes only when the server does. */
export const metaQuery = { ...routeQuery(getMeta, {}), staleTime: 5 * 60_000 };
