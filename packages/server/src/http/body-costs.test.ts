import { type AnyRoute, allRoutes, bodyLimits } from '@fanion/contract';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Failure } from '../platform/fail.ts';
import { checkBody, isLarge, limitOf, parseJson, placeOf } from './json-body.ts';
import { worstBodies } from './testing/worst-bodies.ts';

/**
 * Routes whose bodies may be larger than ordinary ones, and why. They are parsed and checked in a thread above 64 KiB. A new
 * one must be added here, and what its handler does with so much data must let other requests in between.
 */
const large: Readonly<Record<string, string>> = {
  'dashboards.convert': "Grafana's JSON of any size; converted in slices, translated in the threads of the compiler",
  'dashboards.create': 'a dashboard of FANION_DASHBOARD_BYTES; queries are read in the threads of the compiler',
  'dashboards.preview': 'panels of a dashboard that is not saved',
  'dashboards.replace': 'as dashboards.create',
  'dashboards.variables': 'variables of a dashboard that is not saved',
  'experiments.begin_phase': 'an audience with lists of values',
  'experiments.create': 'as experiments.begin_phase',
  'experiments.replace': 'as experiments.begin_phase',
  'flags.batch': 'the writes of 5,000 flags in one transaction',
  'flags.create': 'variants with JSON values',
  'flags.defer_change': 'targeting with lists of keys',
  'flags.replay': 'a proposed targeting',
  'flags.preview_compatibility': 'a proposed targeting',
  'flags.set_prerequisites': '50 flags with 100 variants each',
  'flags.set_targeting': 'lists of 100,000 keys',
  'flags.update': 'as flags.create',
  'oql.explain': '100 parameters with lists of 1,000 values',
  'query.run': 'as oql.explain',
  'segments.create': 'lists of a million keys',
  'segments.update': 'as segments.create',
  'slos.import': 'a document of OpenSLO',
};

const withBodies = allRoutes.filter(({ body, bodies }) => bodies === 'envelope' && !(body instanceof z.ZodUndefined));

it('lists every route that accepts more than an ordinary body', () => {
  const declared = withBodies.filter(({ bodyLimit }) => isLarge(bodyLimit));
  expect(declared.map(({ id }) => id).sort()).toEqual(Object.keys(large).sort());
});

it('gives every route that anybody may call the smallest limit', () => {
  const anybody = allRoutes.filter(({ auth, method }) => auth === 'public' && method !== 'GET');
  expect(anybody.length).toBeGreaterThan(2);
  for (const { id, bodyLimit } of anybody) expect([id, bodyLimit]).toEqual([id, 'small']);
});

it('reads no body on the event loop that has more bytes or values than these', () => {
  for (const route of withBodies) {
    const { bytes, values } = limitOf(route, Number.POSITIVE_INFINITY);
    const most = placeOf(route, bytes) === 'thread' ? largestInline(route, bytes) : bytes;
    expect(most, route.id).toBeLessThanOrEqual(bodyLimits.ordinary.bytes);
    // The shortest value and its comma are two bytes.
    expect(Math.min(values, most / 2), route.id).toBeLessThanOrEqual(32_768);
  }
});

/**
 * The promise is 50 ms. Before there were limits of values, one body of 256 KiB took up to 5 s; the tolerance is for the
 * machine, and for code that is compiled meanwhile.
 */
const mostMilliseconds = 400;

it.each(withBodies.map((route) => [route.id, route] as const))(
  'checks the worst body of %s in a short time',
  (_, route) => {
    const limit = limitOf(route, Number.POSITIVE_INFINITY);
    const bytes = placeOf(route, limit.bytes) === 'thread' ? largestInline(route, limit.bytes) : limit.bytes;
    for (const body of worstBodies(route, { ...limit, bytes })) {
      const text = Buffer.from(JSON.stringify(body));
      if (text.length > bytes) continue;
      const time = () => processorTime(() => read(route, text));
      let took = time();
      for (let again = 0; again < 2 && took >= mostMilliseconds; again++) took = Math.min(took, time());
      expect(took, text.toString('utf8', 0, 200)).toBeLessThan(mostMilliseconds);
    }
  },
);

function read(route: AnyRoute, bytes: Buffer): void {
  try {
    checkBody(route, parseJson(bytes, limitOf(route, Number.POSITIVE_INFINITY)));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
}

/** Milliseconds of this process, which do not depend on what else the machine does. */
function processorTime(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function largestInline(route: AnyRoute, limit: number): number {
  let [inline, thread] = [0, limit];
  while (thread - inline > 1) {
    const middle = Math.floor((inline + thread) / 2);
    if (placeOf(route, middle) === 'thread') thread = middle;
    else inline = middle;
  }
  return inline;
}
