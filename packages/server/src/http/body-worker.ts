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

function read({ route, bytes, limit, ifMatch }: ToBodyWorker): unknown {
  const json = parseJson(bytes, limit);
  if (route === undefined) return json;
  const declared = routes.get(route);
  if (declared === undefined) throw new Error(`unknown route ${route}`);
  return checkBody(declared, withIfMatch(declared, { headers: { 'if-match': ifMatch }, body: json }));
}

/** The thread that reads large bodies. */
parentPort?.on('message', (message: ToBodyWorker) => {
  const { id } = message;
  const began = performance.now();
  const answer = (outcome: { body: JsonPart } | { problem: BodyProblem }) =>
    parentPort?.postMessage({ id, milliseconds: performance.now() - began, ...outcome } satisfies FromBodyWorker);
  try {
    answer({ body: splitJson(read(message)) });
  } catch (error) {
    if (error instanceof Failure) {
      const { parameters, details } = error;
      answer({ problem: { error: error.error, parameters, details } });
    } else answer({ problem: { defect: String(error) } });
  }
});
