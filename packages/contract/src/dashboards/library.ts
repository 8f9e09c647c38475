import { z } from 'zod';
import { route } from '../route.ts';
import { DashboardModel } from './model.ts';

export const LibraryDashboard = z.object({
  key: z.string(),
  name: z.string(),
  description: z.string(),
  sent_by: z.string().meta({ description: 'what sends the data that it shows' }),
  needs: z.array(
    z.object({
      name: z.string().meta({ description: 'a metric, or `spans`' }),
      arrived: z.boolean().meta({ description: 'within the last day' }),
    }),
  ),
  available: z.boolean().meta({ description: 'whether some of what it needs has arrived' }),
  model: DashboardModel.meta({ description: 'create a dashboard with it' }),
});
export type LibraryDashboard = z.output<typeof LibraryDashboard>;

export const listLibraryDashboards = route({
  id: 'dashboards.library',
  method: 'GET',
  path: '/workspaces/{ws}/dashboards/library',
  summary: 'List the ready dashboards, and which of them have data',
  description:
    'Ready dashboards for services, hosts, Kubernetes, the JVM, Node.js, PostgreSQL and Fanion itself. To use one, create a dashboard with its `model`.',
  auth: 'user',
  scopeIn: 'query',
  permission: 'dashboards:read',
  alsoNeeds: 'telemetry:query',
  query: {
    project: z.string().max(128).optional(),
    environment: z.string().max(128).optional(),
  },
  list: true,
  pageSize: 500,
  response: LibraryDashboard,
});
