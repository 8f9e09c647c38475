import { getMe, listEnvironments, listProjects, logOut } from '@fanion/contract';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { call } from '../api/client.ts';
import { listQuery, routeQuery } from '../api/queries.ts';
import { announceAccount } from './ended-session.ts';
import { queryClient } from './query-client.ts';

export const meQuery = { ...routeQuery(getMe, {}), staleTime: 60_000 };
export const projectsQuery = (ws: string) => ({ ...listQuery(listProjects, { params: { ws } }), staleTime: 60_000 });
export const environmentsQuery = (ws: string, p: string) => ({
  ...listQuery(listEnvironments, { params: { ws, p } }),
  staleTime: 60_000,
});

/** Workspace slug and project key from the URL of the current page. */
export interface Scope {
  ws: string;
  project: string;
}

export function useScope(): Scope {
  const { ws, project } = useParams({ from: '/w/$ws/$project' });
  return { ws, project };
}

export function useMe() {
  return useSuspenseQuery(meQuery).data;
}

/** The workspace of the page with the caller's role and permissions in it. */
export function useWorkspace() {
  const { ws } = useScope();
  const { workspaces } = useMe();
  const workspace = workspaces.find((candidate) => candidate.slug === ws || candidate.id === ws);
  if (!workspace) throw new Error(`workspace ${ws} is not one of the caller's`);
  return workspace;
}

/**
 * Whether the caller's role has a permission. Use it only to decide what to offer: grants for single projects can
 * differ, and the server decides.
 */
export function useCan(permission: string): boolean {
  return useWorkspace().permissions.includes(permission);
}

/** The same for loaders, which run when the account is known. */
export function can(ws: string, permission: string): boolean {
  const { workspaces = [] } = queryClient.getQueryData(meQuery.queryKey) ?? {};
  const workspace = workspaces.find((candidate) => candidate.slug === ws || candidate.id === ws);
  return workspace?.permissions.includes(permission) ?? false;
}

const LAST_SCOPE = 'fanion-last-scope';

export function rememberScope(scope: Scope): void {
  try {
    localStorage.setItem(LAST_SCOPE, JSON.stringify(scope));
  } catch {
    // Storage may be unavailable; then the first workspace opens next time.
  }
}

function recallScope(): Partial<Scope> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(LAST_SCOPE) ?? '{}');
    return typeof stored === 'object' && stored !== null ? stored : {};
  } catch {
    return {};
  }
}

/** The workspace for URLs that name none: the last one used, else the first. Null if there is none. */
export async function homeScope(): Promise<Scope | null> {
  const { workspaces } = await queryClient.ensureQueryData(meQuery);
  const last = recallScope();
  const workspace = workspaces.find((candidate) => candidate.slug === last.ws) ?? workspaces[0];
  if (!workspace) return null;
  const projects = await queryClient.ensureQueryData(projectsQuery(workspace.slug));
  const project = projects.find((candidate) => candidate.key === last.project) ?? projects[0];
  return { ws: workspace.slug, project: project?.key ?? NO_PROJECT };
}

/** Replaces the project in the URL of a workspace without projects; never a valid key. */
export const NO_PROJECT = '-';

/** Ends the session and drops all data loaded in it. */
export async function signOut(): Promise<void> {
  await call(logOut, {});
  queryClient.clear();
  announceAccount();
}
