import { parentPort } from 'node:worker_threads';
import { allRoutes } from '@fanion/contract';
import { Failure } from '../platform/fail.ts';
import { lowerThreadPriority } from '../platform/thread-priority.ts';
import type { BodyProblem, FromBodyWorker, ToBodyWorker } from './body-messages.ts';
import { withIfMatch } from './if-match.ts';
import { checkBody, parseJson } from './json-body.ts';
import { type JsonPart, splitJson } from './json-parts.ts';

lowerThreadPriority(5);

const routes = new Map(allRoutes.map((route) => [route.id, route]));

/** The thread that reads large bodies. */
parentPort?.on('message', ({ id, route, bytes, limit, ifMatch }: ToBodyWorker) => {
  const began = performance.now();
  const answer = (read: { body: JsonPart } | { problem: BodyProblem }) =>
    parentPort?.postMessage({ id, milliseconds: performance.now() - began, ...read } satisfies FromBodyWorker);
  try {
    const declared = routes.get(route);
    if (declared === undefined) throw new Error(`unknown route ${route}`);
    const body = withIfMatch(declared, { headers: { 'if-match': ifMatch }, body: parseJson(bytes, limit) });
    answer({ body: splitJson(checkBody(declared, body)) });
  } catch (error) {
    if (error instanceof Failure) {
      const { parameters, details } = error;
      answer({ problem: { error: error.error, parameters, details } });
    } else answer({ problem: { defect: String(error) } });
  }
});
