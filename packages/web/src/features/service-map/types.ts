import type { getServiceMap, RouteResponse } from '@fanion/contract';

export type ServiceMap = RouteResponse<typeof getServiceMap>;
export type ServiceNode = ServiceMap['nodes'][number];
export type ServiceEdge = ServiceMap['edges'][number];
