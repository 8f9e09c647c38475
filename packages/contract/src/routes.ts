import * as audit from './audit.ts';
import * as auth from './auth.ts';
import * as contrast from './contrast.ts';
import * as delivery from './delivery.ts';
import * as evaluation from './evaluation.ts';
import * as exemplars from './exemplars.ts';
import * as fields from './fields.ts';
import * as flagChanges from './flag-changes.ts';
import * as flagTest from './flag-test.ts';
import * as flags from './flags.ts';
import * as invitations from './invitations.ts';
import * as logPatterns from './log-patterns.ts';
import * as members from './members.ts';
import * as platform from './platform.ts';
import * as profiles from './profiles.ts';
import * as projects from './projects.ts';
import * as ramps from './ramps.ts';
import * as roles from './roles.ts';
import type { AnyRoute } from './route.ts';
import * as savedQueries from './saved-queries.ts';
import * as segments from './segments.ts';
import * as serviceMap from './service-map.ts';
import * as services from './services.ts';
import * as tail from './tail.ts';
import * as telemetry from './telemetry.ts';
import * as tokens from './tokens.ts';
import * as usage from './usage.ts';
import * as workspaces from './workspaces.ts';

function isRoute(value: unknown): value is AnyRoute {
  return typeof value === 'object' && value !== null && 'prefix' in value && 'method' in value && 'bodies' in value;
}

/** Every declared route, in the order of the files: what is not in here does not exist. */
export const allRoutes: readonly AnyRoute[] = [
  platform,
  auth,
  workspaces,
  members,
  invitations,
  roles,
  projects,
  tokens,
  services,
  audit,
  telemetry,
  fields,
  exemplars,
  logPatterns,
  serviceMap,
  contrast,
  tail,
  profiles,
  usage,
  savedQueries,
  flags,
  segments,
  flagChanges,
  ramps,
  evaluation,
  flagTest,
  delivery,
].flatMap((file) => Object.values(file).filter(isRoute));
