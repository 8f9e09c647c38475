import { bodyLimits, createDashboard, type DashboardModel, type RouteBody } from '@fanion/contract';
import type { BodyThread } from '../../../../http/body-thread.ts';
import { type Egress, EgressError } from '../../../../platform/egress/index.ts';
import { Failure, fail } from '../../../../platform/fail.ts';
import { downloadUrl, problemOf } from './url-rules.ts';

/** Documents that are fetched at the same time: each takes memory until it is parsed. */
const most = { ofWorkspace: 2, onServer: 8 };
const retryAfterSeconds = 5;

/** The JSON of another product's dashboard, or the model of an exported one of our own. */
type Fetched = { readonly foreign: unknown } | { readonly own: DashboardModel };

interface Parts {
  readonly egress: Egress;
  readonly thread: BodyThread;
  readonly maxBytes: number;
}

export type Documents = ReturnType<typeof createDocuments>;

/** Fetches the documents of dashboards from addresses that users give. */
export function createDocuments(parts: Parts) {
  const running = new Map<string, number>();

  /** Throws `IMPORTS_LIMITED`. */
  async function limited<T>(workspaceId: string, step: () => Promise<T>): Promise<T> {
    const own = running.get(workspaceId) ?? 0;
    const all = [...running.values()].reduce((sum, count) => sum + count, 0);
    if (own >= most.ofWorkspace || all >= most.onServer)
      throw fail('IMPORTS_LIMITED', { seconds: retryAfterSeconds }, { retryAfterSeconds });
    running.set(workspaceId, own + 1);
    try {
      return await step();
    } finally {
      const left = (running.get(workspaceId) ?? 1) - 1;
      if (left === 0) running.delete(workspaceId);
      else running.set(workspaceId, left);
    }
  }

  return {
    /** Throws `DASHBOARD_NOT_FETCHED`, `DASHBOARD_INVALID` and `IMPORTS_LIMITED`. */
    fetch: (workspaceId: string, url: string, signal: AbortSignal): Promise<Fetched> =>
      limited(workspaceId, async () => parsed(parts, await download(parts, downloadUrl(url), signal))),
  };
}

async function download({ egress, maxBytes }: Parts, url: string, signal: AbortSignal): Promise<Buffer> {
  // A compressed answer would not be unpacked.
  const headers = { accept: 'application/json', 'accept-encoding': 'identity' };
  const answer = await egress
    .send({ url, method: 'GET', headers, answerBytes: maxBytes }, signal)
    .catch((error: unknown) => {
      throw error instanceof EgressError ? notFetched(error.message) : error;
    });
  const problem = problemOf(answer, url, maxBytes);
  if (problem !== undefined) throw notFetched(problem);
  return answer.body;
}

async function parsed({ thread, maxBytes }: Parts, bytes: Buffer): Promise<Fetched> {
  const limit = { ...bodyLimits.document, bytes: maxBytes };
  const read = (route: string | undefined) =>
    thread.read({ route, bytes, limit, ifMatch: undefined }, () => {
      // No budget of bodies: the number of documents at the same time is limited.
    });
  const json = await read(undefined).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    // The reason would quote the document.
    if (error.error === 'MALFORMED_BODY') throw notFetched('the document is not valid JSON');
    throw error.error === 'BODIES_LIMITED' ? error : notFetched(error.message);
  });
  if (typeof json !== 'object' || json === null || !('schema_version' in json)) return { foreign: json };
  const body = (await read(createDashboard.id).catch((error: unknown) => {
    if (!(error instanceof Failure && error.error === 'INVALID_INPUT')) throw error;
    throw fail('DASHBOARD_INVALID', { reason: String(error.parameters.reason) });
  })) as RouteBody<typeof createDashboard>;
  const { schema_version, name, description, tags, panels, variables, links, time } = body;
  return { own: { schema_version, name, description, tags, panels, variables, links, time } };
}

function notFetched(reason: string): Failure {
  return fail('DASHBOARD_NOT_FETCHED', { reason }, { details: [{ path: 'url', message: reason }] });
}
