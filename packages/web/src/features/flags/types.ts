import type { getFlag, listEnvironments, RouteResponse } from '@fanion/contract';

export type Flag = RouteResponse<typeof getFlag>;
export type Environment = RouteResponse<typeof listEnvironments>[number];
