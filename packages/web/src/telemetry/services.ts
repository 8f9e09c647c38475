import { getService, listServices } from '@fanion/contract';
import { inWorkspace, listQuery, routeQuery } from '../api/queries.ts';

export const servicesQuery = (workspace: string, project: string, environment: string | undefined) =>
  listQuery(listServices, { query: { workspace, project, ...(environment !== undefined && { environment }) } });
export const serviceQuery = (workspace: string, name: string) =>
  routeQuery(getService, { params: { name }, query: inWorkspace(workspace) });
