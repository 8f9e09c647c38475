import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attr, documented, ofResource, parentOf, spans } from './testing/documented.ts';
import { metricAnswers, written } from './testing/metric-answers.ts';
import { type Sent, startTempoWorld, type TempoWorld } from './testing/shop.ts';

type Answer = Readonly<Record<string, number>>;
type Spans = readonly Sent[];

/** Of the window in which all spans are. */
const windowSeconds = 130;

/** One value for each label, rounded as the answers are. */
function grouped(
  matches: (span: Sent) => unknown,
  labelOf: (span: Sent) => string,
  of: (spans: Spans) => number,
): Answer {
  const groups = new Map<string, Sent[]>();
  for (const span of spans.filter(matches)) groups.set(labelOf(span), [...(groups.get(labelOf(span)) ?? []), span]);
  return Object.fromEntries([...groups].map(([label, all]) => [label, rounded(of(all))]));
}
const rounded = (value: number) => Number(value.toPrecision(9));
const only = (answer: Answer, holds: (value: number) => boolean): Answer =>
  Object.fromEntries(Object.entries(answer).filter(([, value]) => holds(value)));

const count = (all: Spans) => all.length;
const rate = (all: Spans) => all.length / windowSeconds;
const seconds = ({ ms }: Sent) => ms / 1000;
const number = (name: string) => (span: Sent) => Number(attr(span, name));
const average = (of: (span: Sent) => number) => (all: Spans) => sum(of)(all) / all.length;
const sum = (of: (span: Sent) => number) => (all: Spans) => all.map(of).reduce((total, one) => total + one, 0);
const least = (of: (span: Sent) => number) => (all: Spans) => Math.min(...all.map(of));
const most = (of: (span: Sent) => number) => (all: Spans) => Math.max(...all.map(of));
const quantile = (of: (span: Sent) => number, level: number) => (all: Spans) => {
  const sorted = all.map(of).sort((a, b) => a - b);
  const at = level * (sorted.length - 1);
  const [low = 0, high = 0] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low + (high - low) * (at - Math.floor(at));
};

const any = () => true;
const isError = ({ error }: Sent) => error;
const isOf = (name: string) => (span: Sent) => span.service === name;
const isEndpoint = ({ name }: Sent) => name === 'GET /:endpoint';
const hasNumber = (name: string) => (span: Sent) => typeof attr(span, name) === 'number';
const named = (name: string) => () => `__name__=${name}`;
const service = (span: Sent) => `resource.service.name=${span.service}`;
const attribute = (name: string) => (span: Sent) => `span.${name}=${attr(span, name) ?? 'nil'}`;
const target = attribute('http.target');
const isEndpointWithCode = (span: Sent) => isEndpoint(span) && hasNumber('http.status_code')(span);
const levels = (of: (span: Sent) => number, matches: (span: Sent) => unknown, ...all: number[]): Answer =>
  Object.assign({}, ...all.map((level) => grouped(matches, () => `p=${level}`, quantile(of, level))));
const statusOf = ({ ok, error }: Sent) => (ok ? 'ok' : error ? 'error' : 'unset');
const total = spans.length;
const errors = spans.filter(isError).length;
const inResult = (name: string, value: number): Answer => ({ [`__name__=${name}`]: rounded(value) });
const rates = (matches: (span: Sent) => unknown = any) => spans.filter(matches).length / windowSeconds;

/** The metrics queries of Tempo's documentation (`docs/sources/tempo`, of 2.8 and of August 2026), over a whole window. */
const examples: readonly (readonly [query: string, answer: Answer])[] = [
  ...['{} | rate()', '{ } | rate()'].map((q) => [q, grouped(any, named('rate'), rate)] as const),
  ['{ span:status = error } | rate()', grouped(isError, named('rate'), rate)],
  ...['{ status = error }', '{ span:status = error }'].flatMap((errorsOf) => [
    [`${errorsOf} | rate() by(resource.service.name)`, grouped(isError, service, rate)] as const,
  ]),
  ...[
    '{ status = error } | rate() by (resource.service.name, name)',
    '{ span:status = error } | rate() by (resource.service.name, span:name)',
  ].map((q) => [q, grouped(isError, (span) => `${service(span)} name=${span.name}`, rate)] as const),
  ...['status = error', 'span:status = error'].flatMap((condition) => {
    const matches = (span: Sent) => isOf('foo')(span) && isError(span);
    const q = `{ resource.service.name = "foo" && ${condition} } | rate()`;
    return [
      [q, grouped(matches, named('rate'), rate)] as const,
      [`${q} by (span.http.route)`, grouped(matches, attribute('http.route'), rate)] as const,
    ];
  }),
  [
    '{ resource.service.name = "foo" } | rate() by (instrumentation:name)',
    grouped(isOf('foo'), () => 'instrumentation:name=grpc', rate),
  ],
  [
    '{ resource.service.name = "frontend" } | rate() by (status) with (spanonly_fetch=true)',
    grouped(isOf('frontend'), (span) => `status=${statusOf(span)}`, rate),
  ],
  [
    '{ resource.service.namespace="ditl-demo-prod" && kind=server } | rate() by (resource.service.name)',
    grouped(
      (span) => ofResource(span, 'service.namespace') === 'ditl-demo-prod' && span.kind === 'server',
      service,
      rate,
    ),
  ],
  [
    '{ } >> { status=error }  | rate() by (resource.service.name) with(trace_sample=0.1)',
    grouped((span) => isError(span) && parentOf(span), service, rate),
  ],
  ...(
    [
      ['{ name = "GET /:endpoint" }', 'duration'],
      ['{ span:name = "GET /:endpoint" }', 'span:duration'],
    ] as const
  ).flatMap(([spansOf, duration]): (readonly [string, Answer])[] => [
    [
      `${spansOf} | count_over_time() by (span.http.status_code)`,
      grouped(isEndpoint, attribute('http.status_code'), count),
    ],
    [`${spansOf} | min_over_time(${duration}) by (span.http.target)`, grouped(isEndpoint, target, least(seconds))],
    [
      `${spansOf} | min_over_time(span.http.status_code)`,
      grouped(isEndpointWithCode, named('min_over_time'), least(number('http.status_code'))),
    ],
    [`${spansOf} | max_over_time(${duration}) by (span.http.target)`, grouped(isEndpoint, target, most(seconds))],
    [
      `${spansOf} | max_over_time(span.http.response.size)`,
      grouped(isEndpoint, named('max_over_time'), most(number('http.response.size'))),
    ],
    [
      `${spansOf} | avg_over_time(${duration}) by (span.http.status_code)`,
      grouped(isEndpoint, attribute('http.status_code'), average(seconds)),
    ],
    [
      `${spansOf} | avg_over_time(span.http.response.size)`,
      grouped(isEndpoint, named('avg_over_time'), average(number('http.response.size'))),
    ],
    [`${spansOf} | quantile_over_time(${duration}, .99, .9, .5)`, levels(seconds, isEndpoint, 0.99, 0.9, 0.5)],
    [
      `${spansOf} | quantile_over_time(${duration}, .99) by (span.http.target)`,
      grouped(isEndpoint, (span) => `${target(span)} p=0.99`, quantile(seconds, 0.99)),
    ],
    [
      `${spansOf} | quantile_over_time(span.http.status_code, .99, .9, .5)`,
      levels(number('http.status_code'), isEndpoint, 0.99, 0.9, 0.5),
    ],
  ]),
  [
    '{ span:name = "GET /:endpoint" } | quantile_over_time(duration, .99) by (span.http.target) with (exemplars=true)',
    grouped(isEndpoint, (span) => `${target(span)} p=0.99`, quantile(seconds, 0.99)),
  ],
  ['{ span:name = "GET /:endpoint" } | count_over_time()', grouped(isEndpoint, named('count_over_time'), count)],
  [
    '{ } | sum_over_time(span.http.response.size)',
    grouped(hasNumber('http.response.size'), named('sum_over_time'), sum(number('http.response.size'))),
  ],
  [
    '{ span:name = "GET /:endpoint" } | min_over_time(span:duration)',
    grouped(isEndpoint, named('min_over_time'), least(seconds)),
  ],
  [
    '{ span:name = "GET /:endpoint" } | max_over_time(span:duration)',
    grouped(isEndpoint, named('max_over_time'), most(seconds)),
  ],
  [
    '{ span:name = "GET /:endpoint" } | avg_over_time(span:duration)',
    grouped(isEndpoint, named('avg_over_time'), average(seconds)),
  ],
  ['{ span:name = "GET /:endpoint" } | quantile_over_time(span:duration, .99)', levels(seconds, isEndpoint, 0.99)],
  [
    '{ resource.service.name = "api" } | quantile_over_time(duration, 0.9) with(sample=true)',
    levels(seconds, isOf('api'), 0.9),
  ],
  [
    '{ } | histogram_over_time(span:duration) by (span.http.target)',
    grouped(any, (span) => `${target(span)} __bucket=${2 ** Math.ceil(Math.log2(span.ms * 1e6)) / 1e9}`, count),
  ],
  ...['topk', 'bottomk'].flatMap((pick): (readonly [string, Answer])[] => [
    [
      `{ resource.service.name = "foo" } | rate() by (span.http.url)  | ${pick}(10)`,
      grouped(isOf('foo'), attribute('http.url'), rate),
    ],
  ]),
  ['{ } | rate() by(resource.service.name) | bottomk(5)', bottom(5)],
  ['{ } | rate() by(resource.service.name) | topk(5)', top(5)],
  ['{} | rate() by (resource.service.name) | topk(10)', top(10)],
  [
    '{ span:duration < 5ms } | count_over_time() by(resource.service.name) | topk(10)',
    grouped(({ ms }) => ms < 5, service, count),
  ],
  ['{} | rate() by (resource.service.name) > 10', {}],
  ['{ } | rate() > 10', {}],
  [
    '{ span:name = "GET /:endpoint" } | avg_over_time(span:duration) > 1s',
    only(grouped(isEndpoint, named('avg_over_time'), average(seconds)), (value) => value > 1),
  ],
  ['{} | count_over_time() by (name) != 0', grouped(any, ({ name }) => `name=${name}`, count)],
  ['{} | rate() by (span.http.url) | topk(5) > 10', {}],
  ['{} | rate() by (span.http.url) > 0 | topk(5)', grouped(any, attribute('http.url'), rate)],
  [
    '{} | count_over_time() by (name) | topk(10) >= 5 with(sample=0.1)',
    only(
      grouped(any, ({ name }) => `name=${name}`, count),
      (n) => n >= 5,
    ),
  ],
  ['{ resource.service.name="frontend" } | rate() with(sample=true)', grouped(isOf('frontend'), named('rate'), rate)],
  [
    '{ resource.service.name="checkout-service" } | rate() with(sample=true)',
    grouped(isOf('checkout-service'), named('rate'), rate),
  ],
  [
    '{ span:status=error } | count_over_time() with(span_sample=0.1)',
    grouped(isError, named('count_over_time'), count),
  ],
  [
    '{ status=error } | count_over_time() by (resource.service.name) with(sample=true)',
    grouped(isError, service, count),
  ],
  ['{ status=error } | rate() by (resource.service.name) with(span_sample=0.1)', grouped(isError, service, rate)],
  ['{ } | count_over_time() by (resource.service.name) with(trace_sample=0.05)', grouped(any, service, count)],
  ['{ resource.service.name="api" } | rate() with(extrapolate=true)', grouped(isOf('api'), named('rate'), rate)],
  ['({status=error} | rate()) / ({} | rate())', inResult('(rate / rate)', errors / total)],
  [
    '({status=error} | count_over_time()) / ({} | count_over_time())',
    inResult('(count_over_time / count_over_time)', errors / total),
  ],
  [
    '({resource.service.name="frontend"} | rate()) / ({} | rate())',
    inResult('(rate / rate)', rates(isOf('frontend')) / rates()),
  ],
  ['({} | rate()) + ({} | rate())', inResult('(rate + rate)', 2 * rates())],
  ['({} | rate()) + ({} | count_over_time()) | topk(5)', inResult('(rate + count_over_time)', rates() + total)],
  ['({} | rate()) / 2.5', inResult('rate', rates() / 2.5)],
  ['({} | rate()) - 5', inResult('rate', rates() - 5)],
  ['({} | rate()) * (-100)', inResult('rate', rates() * -100)],
  ['100 + ({} | rate())', inResult('rate', 100 + rates())],
  [
    '100 * ({status=error} | count_over_time()) / ({} | count_over_time())',
    inResult('(count_over_time / count_over_time)', (100 * errors) / total),
  ],
  ['100 * ({status=error} | rate()) / ({} | rate())', inResult('(rate / rate)', (100 * errors) / total)],
  ['({} | rate()) * 60', inResult('rate', rates() * 60)],
  ['100 * ({status=error} | rate()) / ({} | rate()) > 5', inResult('(rate / rate)', (100 * errors) / total)],
  ['({} | avg_over_time(span.http.response.body.size)) / (1024 * 1024)', inResult('avg_over_time', 2)],
  [
    '({status=error} | rate() by (resource.service.name)) / ({} | rate() by (resource.service.name))',
    grouped(
      (span) => spans.some((one) => isError(one) && one.service === span.service),
      service,
      (all) => all.filter(isError).length / all.length,
    ),
  ],
  ['({} | rate() by (resource.service.name)) / ({} | rate())', grouped(any, service, (all) => all.length / total)],
  ['({status=error} | rate()) / ({} | rate()) | topk(5)', inResult('(rate / rate)', errors / total)],
  ['({status=error} | rate()) / ({} | rate()) > 10', {}],
  ['({} | rate()) + ({} | rate()) | topk(5) > 10', {}],
];

/** The services with the most spans; of equal ones, the first by their name. */
function top(services: number): Answer {
  return Object.fromEntries(byRate((a, b) => b - a).slice(0, services));
}
function bottom(services: number): Answer {
  return Object.fromEntries(byRate((a, b) => a - b).slice(0, services));
}
function byRate(order: (a: number, b: number) => number) {
  return Object.entries(grouped(any, service, rate))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .sort(([, a], [, b]) => order(a, b));
}

describe('metrics queries of the documentation of Tempo', () => {
  let tempo: TempoWorld;
  beforeAll(async () => {
    tempo = await startTempoWorld(documented);
  }, 120_000);
  afterAll(() => tempo?.world.stop());

  const { instant } = metricAnswers(() => tempo);

  it.each(examples)('%s', async (q, answer) => {
    const series = await instant(q);
    expect(Object.fromEntries(series.map(({ labels, value }) => [written(labels), rounded(value)]))).toEqual(answer);
  });

  it.each(['{status=error}', '{span:status=error}'])('compares the spans of %s with the others', async (selected) => {
    const series = await instant(`{ resource.service.name="a" && span.http.path="/myapi" } | compare(${selected})`);
    const names = series.filter(({ labels }) => labels.some(({ key }) => key === 'name'));
    expect(Object.fromEntries(names.map(({ labels, value }) => [written(labels), value]))).toEqual({
      '__meta_type=baseline name=perf test': 1,
      '__meta_type=baseline_total name=nil': 1,
      '__meta_type=selection name=check': 1,
      '__meta_type=selection_total name=nil': 1,
    });
  });

  it.each([
    ['({} | rate()) * 10s', /a duration cannot be used in arithmetic/],
    ['{} | rate() + {} | rate()', /brackets around each metrics query/],
  ])('refuses %s, as its documentation does', async (q, reason) => {
    const answer = await tempo.get('metrics/query', { q, ...tempo.window() });
    expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(reason)]);
  });
});
