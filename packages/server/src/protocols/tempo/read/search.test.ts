import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KeyValue } from '../../../../../telemetry/src/testing/otlp.ts';
import { a, b, id, otherShard, type Sent, sent, startTempoWorld, type TempoWorld } from './testing/shop.ts';

describe('the spans that TraceQL finds', () => {
  let tempo: TempoWorld;
  beforeAll(async () => {
    tempo = await startTempoWorld();
  }, 120_000);
  afterAll(() => tempo?.world.stop());

  const find = async (q: string, more: Record<string, string> = {}) => {
    const answer = await tempo.get('search', { q, ...tempo.window(), spss: '100', ...more });
    expect(answer.status, `${q}: ${answer.text}`).toBe(200);
    return answer.json.traces as {
      traceID: string;
      spanSets: {
        spans: { spanID: string; name: string; attributes?: KeyValue[] }[];
        matched: number;
        attributes?: KeyValue[];
      }[];
      [more: string]: unknown;
    }[];
  };
  /** The ids of the spans that a query finds, by trace. */
  const spansOf = async (q: string) => {
    const found = await find(q);
    for (const { spanSets } of found) for (const set of spanSets) expect(set.matched).toBe(set.spans.length);
    return found
      .flatMap(({ traceID, spanSets }) =>
        spanSets.flatMap(({ spans }) => spans.map(({ spanID }) => `${traceID} ${spanID}`)),
      )
      .sort();
  };
  const expected = (matches: (span: Sent) => unknown) =>
    sent
      .filter(matches)
      .map((span) => `${span.trace.replace(/^0+/, '')} ${span.id}`)
      .sort();

  const of = (span: Sent, name: string) => span.attributes?.[name];
  const inTrace = (span: Sent, matches: (other: Sent) => unknown) =>
    sent.some((other) => other.trace === span.trace && matches(other));
  const parentOf = (span: Sent) => sent.find((other) => other.trace === span.trace && other.id === span.parent);
  const parentRoute = (span: Sent) => parentOf(span)?.attributes?.route;
  const hasAncestor = (span: Sent, matches: (other: Sent) => unknown): boolean => {
    const parent = parentOf(span);
    return parent !== undefined && (Boolean(matches(parent)) || hasAncestor(parent, matches));
  };
  const hasDescendant = (span: Sent, matches: (other: Sent) => unknown) =>
    sent.some((other) => other.trace === span.trace && matches(other) && hasAncestor(other, (one) => one === span));
  const childrenOf = (span: Sent) =>
    sent.filter((other) => other.trace === span.trace && parentOf(other) === span).length;
  const shardOf = ({ service }: Sent) => otherShard[service] ?? 1;
  const parentShard = (span: Sent) => {
    const parent = parentOf(span);
    return parent === undefined ? Number.NaN : shardOf(parent);
  };
  const isSql = (span: Sent) => span.name === 'SELECT';
  const rootOf = (span: Sent) => sent.find((other) => other.trace === span.trace && other.parent === undefined);
  const millis = (trace: string) => {
    const own = sent.filter((span) => span.trace === trace);
    return Math.max(...own.map(({ at, ms }) => at + ms)) - Math.min(...own.map(({ at }) => at));
  };

  it.each<[string, (span: Sent) => unknown]>([
    ['{}', () => true],
    ['{ true }', () => true],
    ['{ resource.service.name = "db" }', ({ service }) => service === 'db'],
    ['{ .service.name != "db" }', ({ service }) => service !== 'db'],
    ['{ resource.service.name =~ "c.*" }', ({ service }) => /^c/.test(service)],
    ['{ resource.service.name =~ "c" }', () => false],
    ['{ resource.service.name !~ "c.+|web" }', ({ service }) => !/^(c.+|web)$/.test(service)],
    ['{ resource.shard = 7 }', ({ service }) => service === 'db'],
    ['{ .shard != 7 }', ({ service }) => service !== 'db'],
    ['{ status = error }', ({ error }) => error],
    ['{ status != error }', ({ error }) => !error],
    ['{ span:status = error && statusMessage = "it failed" }', ({ error }) => error],
    ['{ statusMessage = "" }', ({ error }) => !error],
    ['{ kind = client }', ({ kind }) => kind === 'client'],
    ['{ kind != server && kind != unspecified }', ({ kind }) => kind !== 'server'],
    ['{ name = "SELECT" }', isSql],
    ['{ "SELECT" = name }', isSql],
    ['{ name =~ "GET .*" }', ({ name }) => name.startsWith('GET ')],
    ['{ duration > 100ms }', ({ ms }) => ms > 100],
    ['{ 100ms >= duration }', ({ ms }) => ms <= 100],
    ['{ duration >= 0.5s && duration < 1m30s }', ({ ms }) => ms >= 500],
    ['{ duration * 2 > 1s }', ({ ms }) => ms * 2 > 1000],
    ['{ duration > 100ms + 200ms }', ({ ms }) => ms > 300],
    ['{ span.code = 200 }', (span) => of(span, 'code') === 200],
    ['{ span.code = "200" }', (span) => of(span, 'code') === '200'],
    ['{ span.code != 200 }', (span) => of(span, 'code') === 500],
    ['{ span.code != "500" }', (span) => of(span, 'code') === '200'],
    ['{ span.code !~ "5.*" }', (span) => of(span, 'code') === '200'],
    ['{ span.code =~ ".*" }', (span) => of(span, 'code') === '200'],
    ['{ span.code > 200 }', (span) => Number(of(span, 'code')) > 200 && typeof of(span, 'code') === 'number'],
    ['{ span.code >= -1 }', (span) => typeof of(span, 'code') === 'number'],
    ['{ span.load > .5 }', (span) => Number(of(span, 'load')) > 0.5],
    ['{ span.load = 0.25 }', (span) => of(span, 'load') === 0.25],
    ['{ span.cached }', (span) => of(span, 'cached') === true],
    ['{ !span.cached }', (span) => of(span, 'cached') === false],
    ['{ span.cached != true }', (span) => of(span, 'cached') === false],
    ['{ !(span.code = 200) }', (span) => of(span, 'code') !== 200],
    ['{ span.code = nil }', (span) => of(span, 'code') === undefined],
    ['{ .code != nil }', (span) => of(span, 'code') !== undefined],
    ['{ .shard = nil }', () => false],
    ['{ span."my key" = "x \\"y\\"" }', (span) => of(span, 'my key')],
    [
      '{ .route = "/cart" && .code = 200 || name = "poll" }',
      (span) => (of(span, 'route') === '/cart' && of(span, 'code') === 200) || span.name === 'poll',
    ],
    [
      '{ name = "poll" || .route = "/cart" && .code = 200 }',
      (span) => (span.name === 'poll' || of(span, 'route') === '/cart') && of(span, 'code') === 200,
    ],
    ['{ span.items * 10 > 100 }', (span) => Number(of(span, 'items')) > 10],
    ['{ span.table = resource.service.name }', () => false],
    ['{ parent.route = "/cart" }', (span) => parentRoute(span) === '/cart'],
    [
      '{ parent.span.route != "/cart" && kind = client }',
      (span) => span.kind === 'client' && parentRoute(span) === '/home',
    ],
    [
      '{ parent.resource.service.name = "cart" && span.table = "items" }',
      (span) => parentOf(span)?.service === 'cart' && of(span, 'table') === 'items',
    ],
    ['{ parent.route = nil }', (span) => parentRoute(span) === undefined],
    ['{ parent.route != nil }', (span) => parentRoute(span) !== undefined],
    [
      '{ parent.resource.service.name = "web" } >> { kind = client }',
      (span) => span.kind === 'client' && hasAncestor(span, (one) => parentOf(one)?.service === 'web'),
    ],
    [
      '{ parent.route = "/cart" && parent.code = 200 }',
      (span) => parentOf(span)?.attributes?.code === 200 && parentRoute(span) === '/cart',
    ],
    ['{ parent.resource.service.name = resource.service.name }', (span) => parentOf(span)?.service === span.service],
    ['{ parent.resource.shard < resource.shard }', (span) => parentShard(span) < shardOf(span)],
    ['{ resource.shard - 6 = parent.resource.shard }', (span) => shardOf(span) - 6 === parentShard(span)],
    ['{ parent.code + 0 > 200 && true }', (span) => Number(parentOf(span)?.attributes?.code) > 200],
    ['{ 500 = parent.span.code }', (span) => parentOf(span)?.attributes?.code === 500],
    ['{ parent.cached }', (span) => parentOf(span)?.attributes?.cached === true],
    ['{ span:childCount = 0 }', (span) => childrenOf(span) === 0],
    ['{ span:childCount != 0 }', (span) => childrenOf(span) !== 0],
    ['{ span:childCount < 2 }', (span) => childrenOf(span) < 2],
    ['{ 1 < span:childCount }', (span) => childrenOf(span) > 1],
    ['{ span:childCount <= 1.5 && kind != client }', (span) => childrenOf(span) <= 1 && span.kind !== 'client'],
    ['{ span:childCount + 1 = span.items }', (span) => childrenOf(span) + 1 === of(span, 'items')],
    ['{ span:childCount = nil }', () => false],
    ['{ span.code != minInt && span.code < maxInt }', (span) => typeof of(span, 'code') === 'number'],
    ['{ span.code <= minInt }', () => false],
    ['{ nil = nil || nil != nil || 1 = nil }', () => false],
    ['{ 1 != nil && "list" =~ "l.*" && !("list" =~ "l") }', () => true],
    ['{ nestedSetParent < 0 }', ({ parent }) => parent === undefined],
    ['{ nestedSetParent >= 0 }', ({ parent }) => parent !== undefined],
    ['{ span:parentID = nil }', ({ parent }) => parent === undefined],
    [`{ span:parentID = "${id(2)}" }`, ({ parent }) => parent === id(2)],
    [`{ trace:id = "${a}" }`, ({ trace }) => trace === a],
    [`{ trace:id = "${a.replace(/^0/, '')}" && span:id = "1" }`, (span) => span.trace === a && span.id === id(1)],
    ['{ rootName = "GET /cart" }', (span) => rootOf(span)?.name === 'GET /cart'],
    ['{ trace:rootService != "web" }', (span) => rootOf(span)?.service !== 'web'],
    ['{ rootServiceName =~ "w.*" && kind = client }', (span) => span.kind === 'client'],
    ['{ traceDuration > 400ms }', ({ trace }) => millis(trace) > 400],
    ['{ trace:duration < 100ms && kind = server }', (span) => span.kind === 'server' && millis(span.trace) < 100],
    ['{ event:name = "exception" }', ({ event }) => event],
    ['{ event.message =~ "dead.*" }', ({ event }) => event],
    ['{ event.message = "dead" }', () => false],
    ['{ event.attempt >= 2 && kind = client }', ({ event }) => event],
    ['{ event.message = nil && kind = client }', ({ event, kind }) => event === undefined && kind === 'client'],
    ['{ event:timeSinceStart > 5ms }', ({ event }) => event],
    ['{ event:timeSinceStart > 10ms }', () => false],
    [`{ link:traceID = "${a}" }`, ({ link }) => link],
    ['{ link:spanID = "2" && link.why = "retry" }', ({ link }) => link],
    ['{ instrumentation:name = "lib-db" }', ({ service }) => service === 'db'],
    ['{ instrumentation:version != "1" }', () => false],
  ])('finds the spans of %s', async (q, matches) => {
    expect(await spansOf(q)).toEqual(expected(matches));
  });

  it.each<[string, (span: Sent) => unknown]>([
    [
      '{ name = "SELECT" } && { status = error }',
      (span) => (isSql(span) || span.error) && inTrace(span, isSql) && inTrace(span, ({ error }) => error),
    ],
    ['{ name = "poll" } || { span.cached }', (span) => span.name === 'poll' || of(span, 'cached') === true],
    [
      '{ resource.service.name = "cart" } > { kind = client }',
      (span) => span.kind === 'client' && parentOf(span)?.service === 'cart',
    ],
    ['{ resource.service.name = "web" } > { kind = client }', () => false],
    [
      '{ resource.service.name = "web" } >> { kind = client }',
      (span) => span.kind === 'client' && hasAncestor(span, ({ service }) => service === 'web'),
    ],
    ['{ kind = client } < { }', (span) => sent.some((other) => other.kind === 'client' && parentOf(other) === span)],
    [
      '{ kind = client } << { status = error }',
      (span) => span.error && hasDescendant(span, ({ kind }) => kind === 'client'),
    ],
    ['{ status = error } ~ { name = "SELECT" }', (span) => span.id === id(4)],
    [
      '{ resource.service.name = "web" } !> { kind = internal }',
      (span) => span.kind === 'internal' && parentOf(span)?.service !== 'web',
    ],
    ['{ resource.service.name = "web" } !>> { }', (span) => !hasAncestor(span, ({ service }) => service === 'web')],
    ['{ kind = client } !< { }', (span) => !sent.some((other) => other.kind === 'client' && parentOf(other) === span)],
    [
      '{ status = error } !<< { kind = server }',
      (span) => span.kind === 'server' && !hasDescendant(span, ({ error }) => error),
    ],
    ['{ name = "SELECT" } !~ { name = "SELECT" }', (span) => span.id === id(9)],
    [
      '{ resource.service.name = "web" } &> { resource.service.name = "cart" }',
      ({ trace, service }) => trace !== b && ['web', 'cart'].includes(service),
    ],
    ['{ kind = server } &>> { status = error && kind = client }', ({ id: of }) => of === id(1) || of === id(3)],
    ['({ kind = server } > { kind = internal }) > { kind = client }', (span) => span.kind === 'client'],
    [
      '{ span:childCount > 0 } > { parent.resource.service.name = "cart" }',
      (span) => parentOf(span)?.service === 'cart',
    ],
    ['{ kind = server } | { status = error }', (span) => span.kind === 'server' && span.error],
    [
      '({ kind = client } | count() > 1) && { status = error }',
      (span) => span.trace === a && (span.kind === 'client' || span.error),
    ],
  ])('finds the spans of %s', async (q, matches) => {
    expect(await spansOf(q)).toEqual(expected(matches));
  });
});
