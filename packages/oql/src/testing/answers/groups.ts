import { SPANS } from '../fixture.ts';
import { type Golden, minute, sum, weightOf } from '../golden/expected.ts';
import { counted, front, payments, routed, routes } from './expected.ts';

const currencies = ['EUR', 'GBP', 'USD'];
const paid = (currency: string) => payments.filter((payment) => payment.currency === currency);

/** `stats`, and the stages that follow it: `top … other`, `fill`, `extend`. */
export const GROUP_ANSWERS: readonly Golden[] = [
  {
    query:
      'spans | where duration < 3ms and root | stats p=max(milliseconds(duration)) by bucket(1m) | fill 0.5 | limit 4',
    rows: [1, 2, 0.5, 0.5].map((value, n) => [minute(n), value]),
  },
  {
    query: 'spans | stats n=count() by name | limit 2',
    rows: [
      ['GET /checkout', 60],
      ['POST /pay', 60],
    ],
  },
  {
    query:
      'spans | where root | stats n=count(), slow=count(duration > 30ms) by http.route | extend share = slow / n | fields http.route, share',
    rows: routes.map((route) => [route, routed(route).filter(({ duration }) => duration > 30e6).length / 30]),
  },
  {
    query:
      'spans | where order.id exists | stats t=sum(amount) by currency | stats most=max(t), least=min(t), who=argmax(currency, t)',
    rows: [
      [
        Math.max(...currencies.map((c) => sum(paid(c).map(({ amount }) => amount)))),
        Math.min(...currencies.map((c) => sum(paid(c).map(({ amount }) => amount)))),
        'GBP',
      ],
    ],
  },
  {
    query:
      'spans | where order.id exists | stats ids=count_distinct(order.id), lo=min(order.id), hi=max(order.id) by currency, retried',
    rows: currencies.flatMap((currency) =>
      // An attribute used as a key is text, whatever its type.
      [false, true].map((retried) => {
        const ids = paid(currency)
          .filter((payment) => payment.retried === retried)
          .map(({ id }) => id);
        return [currency, retried, ids.length, Math.min(...ids), Math.max(...ids)];
      }),
    ),
  },
  // Groups with equal values are sorted by their keys.
  {
    query: 'logs | where user.id exists | stats n=count() by user.id | top 6 by n',
    rows: [0, 1, 2, 3, 4, 5].map((n) => [`u${n}`, n < 4 ? 9 : 8]),
  },
  {
    query: 'logs | where user.id exists | stats n=count() by user.id | top 3 by -n',
    rows: [4, 5, 6].map((n) => [`u${n}`, 8]),
  },
  {
    query: 'spans | where order.id exists | stats n=count() by currency | top 1 by currency other',
    rows: [
      ['USD', 20],
      ['(other)', 40],
    ],
  },
  {
    query: 'spans | stats n=count() by service.name, bucket(30m) | top 1 by n other',
    rows: [
      ['checkout', minute(0), 330],
      ['(other)', minute(0), 30],
      ['checkout', minute(30), 330],
      ['(other)', minute(30), 30],
    ],
  },
  {
    query: 'spans | where root | stats n=count() by bucket(7m) | stats b=count(), most=max(n), all=sum(n)',
    rows: [sevens()],
  },
  {
    query: 'spans | where status == error | stats n=count() by bucket(5m), name | fill 0 | stats b=count(), n=sum(n)',
    rows: [[36, 72]],
  },
  {
    query: 'logs | where severity >= error | stats n=count() by bucket(10m), service.name | fill prev | limit 2',
    rows: [
      [minute(0), 'checkout', 1],
      [minute(10), 'checkout', 1],
    ],
  },
  {
    query: 'spans | where kind == client | stats n=count(), raw=sum(1), d=sum(duration), m=avg(duration)',
    rows: [[600, 600, 60_000_000, 100_000]],
  },
  {
    query: 'spans | stats n=count(), w=sum(weight), r=ratio(kind == client)',
    rows: [[weightOf(SPANS), sum(SPANS.map(({ weight }) => weight * weight)), 600 / 720]],
  },
];

/** Root spans in buckets of seven minutes since the epoch: the number of buckets, the largest one, and the total. */
function sevens(): readonly number[] {
  const counts = counted(front.map(({ time }) => String(time / 420_000_000_000n))).map(([, n]) => Number(n));
  return [counts.length, Math.max(...counts), sum(counts)];
}
