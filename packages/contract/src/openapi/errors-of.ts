import { z } from 'zod';
import { type ErrorName, errors } from '../errors.ts';
import type { AnyRoute } from '../route.ts';

const ofIngest: readonly ErrorName[] = [
  'MALFORMED_BODY',
  'UNAUTHENTICATED',
  'PERMISSION_DENIED',
  'BODY_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'RATE_LIMITED',
  'STORE_UNAVAILABLE',
];
const ofForeignReads: readonly ErrorName[] = [
  'UNAUTHENTICATED',
  'INVALID_QUERY',
  'HOST_UNKNOWN',
  'RATE_LIMITED',
  'INTERNAL',
  'STORE_UNAVAILABLE',
  'SHUTTING_DOWN',
];
const ofSdkRoutes: readonly ErrorName[] = [
  'UNAUTHENTICATED',
  'WRONG_CREDENTIAL',
  'RATE_LIMITED',
  'STORE_UNAVAILABLE',
  'SHUTTING_DOWN',
  'INVALID_QUERY',
];
const ofBodies = [
  'MALFORMED_BODY',
  'INVALID_INPUT',
  'BODY_TOO_LARGE',
  'BODIES_LIMITED',
  'UNSUPPORTED_MEDIA_TYPE',
] as const satisfies readonly ErrorName[];

/** Errors that every route of this kind can return, besides those it declares. */
function implied(route: AnyRoute): readonly ErrorName[] {
  const hasBody = !(route.body instanceof z.ZodUndefined);
  if (route.bodies === 'protocol' && route.auth === 'ingest') return ofIngest;
  if (route.bodies === 'protocol' && route.auth !== 'sdk') return ofForeignReads;
  if (route.bodies === 'protocol') return hasBody ? [...ofSdkRoutes, ...ofBodies] : ofSdkRoutes;
  const kinds: readonly (false | readonly ErrorName[])[] = [
    ['RATE_LIMITED', 'INTERNAL', 'INVALID_QUERY', 'HOST_UNKNOWN', 'STORE_UNAVAILABLE', 'SHUTTING_DOWN'],
    // Also of public routes: they require no credential, but reject an invalid one.
    ['UNAUTHENTICATED'],
    route.auth !== 'public' && ['WRONG_CREDENTIAL'],
    route.permission !== undefined && ['PERMISSION_DENIED'],
    (/\{(ws|p|e|id)\}/.test(route.path) || route.callerWorkspace) && ['NOT_FOUND'],
    route.callerWorkspace && ['WORKSPACE_REQUIRED'],
    hasBody && [...ofBodies, 'JSON_TOO_DEEP', 'BODY_TOO_COMPLEX'],
    route.list && ['INVALID_CURSOR'],
    !route.reads && ['CROSS_ORIGIN'],
    route.method === 'POST' && !route.reads && ['IDEMPOTENCY_CONFLICT'],
  ];
  return kinds.flatMap((names) => names || []);
}

/** The errors that a route can return, by status. */
export function errorsOf(route: AnyRoute): ReadonlyMap<number, readonly ErrorName[]> {
  const byStatus = new Map<number, ErrorName[]>();
  for (const name of new Set([...route.errors, ...implied(route)])) {
    const { status } = errors[name];
    byStatus.set(status, [...(byStatus.get(status) ?? []), name]);
  }
  return new Map([...byStatus].sort(([a], [b]) => a - b));
}
