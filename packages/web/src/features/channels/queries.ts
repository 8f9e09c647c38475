import { listChannels, type RouteResponse } from '@fanion/contract';
import { listQuery } from '../../api/queries.ts';
import { invalidate } from '../../app/query-client.ts';

export type Channel = RouteResponse<typeof listChannels>[number];

export const channelsQuery = (ws: string) => listQuery(listChannels, { params: { ws } });

/** After a write. */
export const refreshChannels = () => invalidate(listChannels);
