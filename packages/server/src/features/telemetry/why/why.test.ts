import type { contrastSelections, RouteResponse } from '@fanion/contract';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { logsRequest, nanos, text, tracesRequest } from '../../../../../telemetry/src/testing/otlp.ts';
import { addMember, signUp, until } from '../../../testing/test-client.ts';
import { sharedTestServer } from '../../../testing/test-server.ts';
import { useExperiments } from '../../judging/experiments/testing/experiment-world.ts';

type Why = RouteResponse<typeof contrastSelections>['why'];

const minuteMs = 60_000;
const count = 1_500;
/** Minutes before now at which image-cdn was changed. */
const changedAgo = 20;
const kit = useExperiments();
let now: number;
let experiment: string;

/** Numbers within [0, 1) that depend only on the seed (Park and Miller, 1988). */
function randomOf(seed: number) {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

const hex = (n: number, length: number) => (n + 1).toString(16).padStart(length, '0');

const exception = (at: number) => ({
  name: 'exception',
  timeUnixNano: nanos(at),
  attributes: [text('exception.type', 'PictureMissing'), text('exception.message', 'not found')],
});

/**
 * An hour of a shop. Pictures evaluate image-cdn and often wishlist-hint. A fifth of those with image-cdn fails; wishlist-hint is
 * innocent of that, but makes pages slow.
 */
function shop() {
  const random = randomOf(20_261_124);
  const spans: object[] = [];
  const evaluations: object[] = [];
  const lines: object[] = [];
  for (let n = 0; n < count; n += 1) {
    const at = now - 58 * minuteMs + (56 * minuteMs * n) / count;
    const hasPictures = random() < 0.5;
    const cdn = at >= now - changedAgo * minuteMs && random() < 0.5 ? 'true' : 'false';
    const hint = random() < 0.5 ? 'true' : 'false';
    const failed = random() < (hasPictures && cdn === 'true' ? 0.2 : 0.004);
    const isHinted = random() < (hasPictures ? 0.9 : 0.1);
    const isSlow = random() < (isHinted && hint === 'true' ? 0.3 : 0.01);
    const traceId = hex(n, 32);
    const span = (nth: number, name: string, kind: number, attributes: object[]) => ({
      traceId,
      spanId: hex(n * 4 + nth, 16),
      ...(nth > 0 && { parentSpanId: hex(n * 4, 16) }),
      name,
      kind,
      startTimeUnixNano: nanos(at + nth),
      endTimeUnixNano: nanos(at + 40 + nth + (nth === 2 && isSlow ? 600 : 0)),
      status: { code: failed && nth < 2 ? 2 : 1 },
      attributes,
      ...(failed && nth === 1 && { events: [exception(at + 2)] }),
    });
    const line = (body: string) =>
      lines.push({
        timeUnixNano: nanos(at + 1),
        traceId,
        spanId: hex(n * 4, 16),
        severityNumber: 9,
        body: { stringValue: body },
      });
    line(`request ${n} begins`);
    if (failed) line(`picture ${n} of the network is missing`);
    spans.push(
      span(0, hasPictures ? 'GET /product' : 'GET /account', 2, [
        text('http.route', hasPictures ? '/product' : '/account'),
        text('shop.order.id', `o${n}`),
        text('shop.cart.id', `c${Math.floor(n / 2)}`),
        ...(failed ? [text('error.type', 'timeout')] : []),
      ]),
      span(1, hasPictures ? 'load picture' : 'load account', 3, [text('region', random() < 0.5 ? 'eu' : 'us')]),
      span(2, 'render', 1, []),
    );
    const evaluated = (flag: string, variant: string) =>
      evaluations.push({
        timeUnixNano: nanos(at),
        eventName: 'feature_flag.evaluation',
        traceId,
        spanId: hex(n * 4, 16),
        attributes: [
          text('feature_flag.key', flag),
          text('feature_flag.result.variant', variant),
          text('feature_flag.context.id', `u${n}`),
        ],
      });
    if (hasPictures) evaluated('image-cdn', cdn);
    if (isHinted) evaluated('wishlist-hint', hint);
  }
  return { spans, evaluations, lines };
}

beforeAll(async () => {
  const { ada } = kit;
  now = Date.now();
  experiment = (await kit.running('wishlist-hint', { name: 'Hint on the wishlist' })).id;
  await kit.newFlag('image-cdn');
  const path = kit.flagPath('image-cdn');
  const { version } = (await ada.get(path)).data;
  const half = [
    { variant: 'false', weight: 50_000 },
    { variant: 'true', weight: 50_000 },
  ];
  const written = await ada.put(path, {
    enabled: true,
    off_variant: 'false',
    targets: [],
    rules: [],
    fallthrough: { rollout: { weights: half } },
    version,
  });
  expect(written.status, written.text).toBe(200);
  const { db } = await sharedTestServer();
  const own = sql`flag_id IN (SELECT id FROM flags WHERE project_id = ${ada.projectId})`;
  await sql`UPDATE flag_history SET at = ${new Date(now - 24 * 60 * minuteMs)} WHERE ${own}`.execute(db);
  const moved = (flag: string, minutes: number) =>
    sql`UPDATE flag_history SET at = ${new Date(now - minutes * minuteMs)} WHERE ${own} AND diff::text LIKE '%rollout%'
      AND flag_id IN (SELECT id FROM flags WHERE key = ${flag})`.execute(db);
  await moved('wishlist-hint', 45);
  await moved('image-cdn', changedAgo);

  const { spans, evaluations, lines } = shop();
  const resource = [text('service.name', 'frontend'), text('deployment.environment.name', 'production')];
  for (let at = 0; at < spans.length; at += 900)
    await ada.ingest('traces', tracesRequest(spans.slice(at, at + 900), resource));
  const before = {
    timeUnixNano: nanos(now - 120 * minuteMs),
    severityNumber: 9,
    body: { stringValue: 'request 7 begins' },
  };
  await ada.ingest('logs', logsRequest([before, ...evaluations], resource));
  await ada.ingest('logs', logsRequest(lines, resource));
  await kit.world.eve.ingest('traces', tracesRequest(spans.slice(0, 300), [text('service.name', 'canary')]));
  await ada.counted('spans | stats n=count()', spans.length);
  await ada.counted('logs | where event_name == "feature_flag.evaluation" | stats n=count()', evaluations.length);
  await ada.counted('logs | where trace_id exists and body startswith "request" | stats n=count()', count);
});

async function explained(): Promise<Why> {
  const { ada } = kit;
  const rule = await ada.post(`${ada.workspace}/alert-rules`, {
    name: 'Frontend fails',
    project: 'default',
    query: 'spans | where kind == server | stats value=ratio(status == error) by service.name',
    condition: { op: '>', threshold: 0.001 },
    every: '10s',
    offset: '0s',
    window: '1h',
  });
  expect(rule.status, rule.text).toBe(201);
  const id = await until(
    async () => (await ada.get(`${ada.workspace}/alert-instances?rule=${rule.data.id}`)).data[0]?.id,
    60_000,
  );
  const answer = await ada.get(`${ada.workspace}/alert-instances/${id}/explanation`);
  expect(answer.status, answer.text).toBe(200);
  return answer.data.why;
}

async function contrasted(body: object = {}, client: { post: typeof kit.ada.post } = kit.ada): Promise<Why> {
  const answer = await client.post(`${kit.ada.workspace}/contrast`, {
    project: 'default',
    from: now - 60 * minuteMs,
    to: now,
    selection: { where: 'status == error' },
    ...body,
  });
  expect(answer.status, answer.text).toBe(200);
  return answer.data.why;
}

describe('why', () => {
  it('names the flag that changed before the failures began, on the alert and for a selection alike', async () => {
    const [onAlert, ofSelection] = [await explained(), await contrasted()];
    for (const why of [onAlert, ofSelection]) {
      expect(why).toMatchObject({ verdict: 'suspects', reason: null, warnings: [] });
      expect(why.suspects.map(({ cause }) => cause)).toEqual([{ kind: 'flag', flag: 'image-cdn', variant: 'true' }]);
      const [first] = why.suspects;
      expect(first?.sentence).toMatch(
        /^image-cdn → 50 % false, 50 % true at \d\d:\d\d; errors \+\d+ points, only in traces with `true`; explains \d+ % of them$/,
      );
      expect(first?.effect.low).toBeGreaterThan(0.05);
      expect(first?.explains).toBeGreaterThan(0.7);
      expect(first?.standing).toBe(false);
      // What failures log and throw is a sign of their cause. A line of the hours before is not new.
      expect(first?.also).toEqual([
        { kind: 'error', name: 'PictureMissing: not found' },
        { kind: 'log_pattern', name: 'picture * of the network is missing' },
      ]);
      expect(first?.action).toEqual({
        kind: 'turn_off',
        flag: 'image-cdn',
        project: 'default',
        environment: null,
        running: [],
      });
      expect(Math.abs(Date.parse(why.onset?.time ?? '') - (now - changedAgo * minuteMs))).toBeLessThan(5 * minuteMs);
      expect(JSON.stringify(why.suspects)).not.toContain('wishlist-hint');
    }
    expect(ofSelection.folded).toEqual(
      expect.arrayContaining([
        { name: 'status', because: 'defines' },
        { name: 'error.type', because: 'outcome' },
        { name: 'shop.order.id', because: 'nearly_unique' },
        { name: 'shop.cart.id', because: 'nearly_unique' },
      ]),
    );
    expect(ofSelection.compared.selected + ofSelection.compared.others).toBe(count);
  });

  it('names the same cause for the error that the failures throw', async () => {
    const { ada, world } = kit;
    const window = `from=${now - 60 * minuteMs}&to=${now}&project=default`;
    const groups = await ada.get(`${ada.workspace}/error-groups?${window}`);
    const group = groups.data.find(({ type }: { type: string }) => type === 'PictureMissing');
    const path = `/error-groups/${group?.id}/explanation?${window}`;
    const answer = await ada.get(`${ada.workspace}${path}`);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.data.why.compared.selected).toBe(group.count);
    const [first, ...rest] = answer.data.why.suspects;
    expect(rest).toEqual([]);
    expect(first).toMatchObject({
      cause: { kind: 'flag', flag: 'image-cdn', variant: 'true' },
      also: [{ kind: 'log_pattern', name: 'picture * of the network is missing' }],
    });
    expect(answer.data.why.folded).toContainEqual({ name: 'error.type', because: 'defines' });
    // Another workspace threw the same error, and sees only its own traces.
    const foreign = await world.eve.get(`${world.eve.workspace}${path}`);
    expect(foreign.status, foreign.text).toBe(200);
    expect(foreign.text).not.toContain('image-cdn');
    const gone = await ada.get(`${ada.workspace}${path.replace(group.id, 'f'.repeat(32))}`);
    expect([gone.status, gone.json.error.code]).toEqual([404, 'SVC-7220']);
  });

  it('tells which experiment runs on a flag before somebody turns it off', async () => {
    const why = await contrasted({ selection: { min_duration: '500ms' } });
    expect(why.suspects[0]).toMatchObject({
      cause: { kind: 'flag', flag: 'wishlist-hint', variant: 'true' },
      sentence: expect.stringMatching(
        /^wishlist-hint.*; slow traces \+\d+ points, only in traces with `true`; explains \d+ % of them$/,
      ),
      action: {
        kind: 'turn_off',
        flag: 'wishlist-hint',
        running: [{ kind: 'experiment', id: experiment, name: 'Hint on the wishlist', environment: 'production' }],
      },
    });
    const other = await contrasted({ selection: { min_duration: '500ms' }, environment: 'development' });
    expect(other).toMatchObject({ verdict: 'unknown', suspects: [] });
  });

  it('shows changes and experiments of flags only to those who may read flags', async () => {
    const { ada, world } = kit;
    const role = await ada.post(`${ada.workspace}/roles`, {
      name: 'Reads telemetry',
      permissions: ['workspace:read', 'telemetry:query'],
    });
    expect(role.status, role.text).toBe(201);
    const bob = await signUp(world.base, 'bob');
    await addMember(ada, bob, role.data.id);
    const failing = await contrasted({}, bob);
    expect(failing.suspects[0]).toMatchObject({
      cause: { kind: 'flag', flag: 'image-cdn', variant: 'true' },
      change: null,
    });
    const slow = await contrasted({ selection: { min_duration: '500ms' } }, bob);
    expect(slow.suspects[0]).toMatchObject({ cause: { flag: 'wishlist-hint' }, action: { running: [] } });
  });

  it('says why it cannot tell', async () => {
    expect(await contrasted({ selection: { where: 'name == "nothing"' } })).toMatchObject({
      verdict: 'unknown',
      reason: 'No trace is selected.',
    });
    expect(await contrasted({ selection: { where: 'true' } })).toMatchObject({
      verdict: 'unknown',
      reason: 'All traces are selected, so there are no others to compare them with.',
    });
    const random = await contrasted({ selection: { where: 'attr.region == "eu"' } });
    expect(random).toMatchObject({ verdict: 'no_cause', suspects: [] });
  });

  it('compares log records without a trace one by one', async () => {
    const { ada } = kit;
    const lines = Array.from({ length: 400 }, (_, n) => ({
      timeUnixNano: nanos(now - (n + 1) * 1000),
      severityNumber: n % 4 === 0 ? 17 : 9,
      body: { stringValue: 'door' },
      attributes: [text('door', n % 4 === 0 && n % 3 > 0 ? 'back' : 'front')],
    }));
    await ada.ingest('logs', logsRequest(lines, [text('service.name', 'house')]));
    await ada.counted('logs | where service.name == "house" | stats n=count()', 400);
    const why = await contrasted({
      source: 'logs',
      where: 'service.name == "house"',
      selection: { where: 'severity >= error' },
    });
    expect(why.compared).toEqual({ selected: 100, others: 300 });
  });

  it('names a new log line that precedes the selection, and finds it again', async () => {
    const { ada } = kit;
    const at = now - 5 * minuteMs;
    const traces = Array.from({ length: 300 }, (_, n) => ({
      traceId: hex(900_000 + n, 32),
      spanId: hex(900_000 + n, 16),
      name: 'ship',
      kind: 1,
      startTimeUnixNano: nanos(at + n),
      endTimeUnixNano: nanos(at + n + (n % 3 === 0 && n % 7 > 0 ? 900 : 20)),
    }));
    await ada.ingest('traces', tracesRequest(traces, [text('service.name', 'shipping')]));
    const retries = traces
      .filter((_, n) => n % 3 === 0)
      .map(({ traceId, startTimeUnixNano }, n) => ({
        ...{ traceId, timeUnixNano: startTimeUnixNano, severityNumber: 13 },
        body: { stringValue: `carrier busy, attempt ${n}` },
      }));
    await ada.ingest('logs', logsRequest(retries, [text('service.name', 'shipping')]));
    await ada.counted('spans | where service.name == "shipping" | stats n=count()', 300);
    await ada.counted('logs | where service.name == "shipping" | stats n=count()', 100);
    const slow = await contrasted({ where: 'service.name == "shipping"', selection: { min_duration: '500ms' } });
    const [first] = slow.suspects;
    expect(first).toMatchObject({
      cause: { kind: 'log_pattern', name: 'carrier busy, attempt *' },
      sentence: expect.stringMatching(
        /^New log pattern “carrier busy, attempt \*”; slow traces \+\d+ points; explains \d+ % of them$/,
      ),
      action: { kind: 'show_logs' },
    });
    const where = first?.action.kind === 'show_logs' ? first.action.where : '';
    await ada.counted(`logs | where ${where} | stats n=count()`, 100);
  });

  it('rejects conditions that are not valid', async () => {
    const { ada } = kit;
    const refused = await ada.post(`${ada.workspace}/contrast`, { selection: { where: 'status = error' } });
    expect([refused.status, refused.json.error.code]).toEqual([422, 'SVC-5001']);
  });
});
