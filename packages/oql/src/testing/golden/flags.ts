import { COUNTED } from '../flag-fixture.ts';
import { type Golden, minute, sum } from './expected.ts';

const checkout = COUNTED.filter(({ flag }) => flag === 'checkout-v2');
const count = (events: typeof checkout) => sum(events.map(({ evaluations }) => evaluations));
const units = (events: typeof checkout) => new Set(events.flatMap(({ unit }) => (unit === '' ? [] : [unit]))).size;
const traced = checkout.filter(({ trace }) => trace);
const failing = (events: typeof checkout) => events.filter((event) => event.trace && event.minute % 10 === 9);
const variants = ['off', 'on'].map(
  (variant) => [variant, checkout.filter((event) => event.variant === variant)] as const,
);

/** Evaluations of flags, and the data related to them. */
export const FLAGS: readonly Golden[] = [
  { query: 'flags "checkout-v2" | count', rows: [[count(checkout)]] },
  { query: 'flags "other" | stats n=count(), most=max(weight)', rows: [[240, 4]] },
  { query: 'flags "never" | count', rows: [[0]] },
  {
    query: 'flags "checkout-v2" | stats n=count(), units=count_distinct(unit) by variant',
    rows: variants.map(([variant, events]) => [variant, count(events), units(events)]),
  },
  {
    query: 'flags "checkout-v2" | stats n=count() by version, source',
    rows: [
      ['2', 'server', 120],
      ['3', 'server', count(checkout.filter(({ version, source }) => version === '3' && source === 'server'))],
      ['3', 'otlp', 40],
    ],
  },
  {
    query: 'flags "checkout-v2" | stats errors=ratio(span.status == error) by variant',
    rows: variants.map(([variant, events]) => [variant, count(failing(events)) / count(events)]),
  },
  {
    query:
      'flags "checkout-v2" | where trace_id != null | stats n=count(), errors=ratio(span.status == error), slow=max(span.duration), code=max(span.http.response.status_code) by variant',
    rows: ['off', 'on'].map((variant) => {
      const events = traced.filter((event) => event.variant === variant);
      const last = Math.max(...events.map((event) => event.minute));
      return [variant, events.length, failing(events).length / events.length, (last + 1) * 1_000_000, 500];
    }),
  },
  {
    query: 'flags "checkout-v2" | where version == "3" and variant == "on" | stats n=count() by bucket(30m)',
    rows: [0, 30].map((from) => [
      minute(from),
      count(
        checkout.filter(
          (event) =>
            event.version === '3' && event.variant === 'on' && event.minute >= from && event.minute < from + 30,
        ),
      ),
    ]),
  },
  {
    query: 'flags "checkout-v2" | where span.service.name == "frontend" and span.status == error | count',
    rows: [[failing(checkout).length]],
  },
  {
    query:
      'flags "checkout-v2" | where trace_id != null | join logs on trace_id as l | where l.severity >= error | count',
    rows: [[failing(checkout).length]],
  },
  {
    query: 'flags "checkout-v2" | where unit == "alone" | fields variant, tracked, source, trace_id, span.duration',
    rows: [['off', true, 'server', null, null]],
  },
  {
    query:
      'spans | where trace_id in (flags "checkout-v2" | where variant == "on" | fields trace_id) and root | stats p=max(duration)',
    rows: [
      [Math.max(...traced.filter(({ variant }) => variant === 'on').map((event) => event.minute + 1)) * 1_000_000],
    ],
  },
  {
    query: 'flags "checkout-v2" | where tracked | dedup unit | stats n=count()',
    rows: [[9]],
  },
];
