import { routesOf } from '../route.ts';
import * as audit from './audit.ts';
import * as auth from './auth.ts';
import * as invitations from './invitations.ts';
import * as members from './members.ts';
import * as projects from './projects.ts';
import * as removals from './removals.ts';
import * as roles from './roles.ts';
import * as tokens from './tokens.ts';
import * as workspaces from './workspaces.ts';

export * from './audit.ts';
export * from './auth.ts';
export * from './invitations.ts';
export * from './members.ts';
export * from './projects.ts';
export * from './removals.ts';
export * from './roles.ts';
export * from './tokens.ts';
export * from './workspaces.ts';
export {
  audit as auditRoutes,
  auth as authRoutes,
  invitations as invitationsRoutes,
  members as membersRoutes,
  projects as projectsRoutes,
  removals as removalsRoutes,
  roles as rolesRoutes,
  tokens as tokensRoutes,
  workspaces as workspacesRoutes,
};

/** The routes of this area, in the order of the API document. */
export const identityArea = routesOf(auth, workspaces, members, invitations, roles, projects, removals, tokens, audit);
