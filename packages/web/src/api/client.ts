import {
  type AnyRoute,
  ApiError,
  type CallOptions,
  createClient,
  type Meta,
  type RouteResponse,
} from '@fanion/contract';
import { connection } from './connection.ts';

const client = createClient({ baseUrl: '' });

/** Whether the session is missing, expired, or was ended elsewhere. A wrong password is also a 401, but does not count. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'SVC-2001';
}

let onSignedOut: () => void = () => {};

/** Sets the handler for calls that find no valid session. The application shell calls this once. */
export function whenSignedOut(handler: () => void): void {
  onSignedOut = handler;
}

let onWritten: (area: string) => void = () => {};

/** Sets the handler for writes that the server accepted; it gets the area, such as `alert_rules`. */
export function whenWritten(handler: (area: string) => void): void {
  onWritten = handler;
}

/** Previews and evaluations are POSTs too, but need only a permission to read. */
export function isWrite({ method, reads, permission }: AnyRoute): boolean {
  return method !== 'GET' && !reads && permission !== undefined && !/:(read|query)$/.test(permission);
}

/** `alert_rules.update` → `alert_rules` */
export function areaOf(routeId: string): string {
  return routeId.slice(0, routeId.indexOf('.'));
}

/** Calls a route of the contract. Throws `ApiError`. */
export async function call<R extends AnyRoute>(
  route: R,
  options: CallOptions<R>,
): Promise<{ data: RouteResponse<R>; meta: Meta; status: number }> {
  try {
    const answer = await client.call(route, options);
    connection.answered();
    if (isWrite(route)) onWritten(areaOf(route.id));
    return answer;
  } catch (error) {
    if (error instanceof ApiError) {
      if (error.status === 0) connection.failed();
      else connection.answered();
    }
    noteRefusal(error);
    throw error;
  }
}

/** For errors of requests that are not made with `call`: notices that the session ended. */
export function noteRefusal(error: unknown): void {
  if (isSignedOut(error)) onSignedOut();
}
