import { z } from 'zod';
import { type ErrorName, errors } from '../errors.ts';
import type { AnyRoute } from '../route.ts';

/** Errors that every route of this kind can return, besides those it declares. */
function implied(route: AnyRoute): ErrorName[] {
  const hasBody = !(route.body instanceof z.ZodUndefined);
  if (route.bodies === 'protocol' && route.auth === 'ingest')
    return [
      'MALFORMED_BODY',
      'UNAUTHENTICATED',
      'PERMISSION_DENIED',
      'BODY_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
      'RATE_LIMITED',
      'STORE_UNAVAILABLE',
    ];
  if (route.bodies === 'protocol' && route.auth !== 'sdk')
    return [
      'UNAUTHENTICATED',
      'INVALID_QUERY',
      'HOST_UNKNOWN',
      'RATE_LIMITED',
      'INTERNAL',
      'STORE_UNAVAILABLE',
      'SHUTTING_DOWN',
    ];
  if (route.bodies === 'protocol')
    return [
      'UNAUTHENTICATED',
      'WRONG_CREDENTIAL',
      'RATE_LIMITED',
      'STORE_UNAVAILABLE',
      'SHUTTING_DOWN',
      'INVALID_QUERY',
      ...(hasBody
        ? (['MALFORMED_BODY', 'INVALID_INPUT', 'BODY_TOO_LARGE', 'BODIES_LIMITED', 'UNSUPPORTED_MEDIA_TYPE'] as const)
        : []),
    ];
  return [
    'RATE_LIMITED',
    'INTERNAL',
    'INVALID_QUERY',
    'HOST_UNKNOWN',
    'STORE_UNAVAILABLE',
    'SHUTTING_DOWN',
    // Also of public routes: they require no credential, but reject an invalid one.
    'UNAUTHENTICATED',
    ...(route.auth === 'public' ? [] : (['WRONG_CREDENTIAL'] as const)),
    ...(route.permission ? (['PERMISSION_DENIED'] as const) : []),
    ...(/\{(ws|p|e|id)\}/.test(route.path) || route.callerWorkspace ? (['NOT_FOUND'] as const) : []),
    ...(route.callerWorkspace ? (['WORKSPACE_REQUIRED'] as const) : []),
    ...(hasBody
      ? ([
          'MALFORMED_BODY',
          'INVALID_INPUT',
          'JSON_TOO_DEEP',
          'BODY_TOO_LARGE',
          'BODY_TOO_COMPLEX',
          'BODIES_LIMITED',
          'UNSUPPORTED_MEDIA_TYPE',
        ] as const)
      : []),
    ...(route.list ? (['INVALID_CURSOR'] as const) : []),
    ...(route.reads ? [] : (['CROSS_ORIGIN'] as const)),
    ...(route.method === 'POST' && !route.reads ? (['IDEMPOTENCY_CONFLICT'] as const) : []),
  ];
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
