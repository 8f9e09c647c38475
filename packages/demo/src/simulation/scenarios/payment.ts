import { providerSlowdown } from '../conditions.ts';
import { exception, postgres, request } from '../dependencies.ts';
import type { Scope } from '../scope.ts';

/** The normal difference between the two providers; one that somebody adds in Fanion behaves like the second. */
const PROVIDER_MEDIAN_MS: Readonly<Record<string, number>> = { paywise: 140, cardlane: 190 };
const TIMEOUT_MS = 3000;

export interface Payable {
  id: string;
  /** Euro cents. */
  total: number;
}

/** Lets the payment service charge an order through `provider`; returns its status. */
export function pay(checkout: Scope, provider: string, order: Payable): number {
  const to = { service: 'payment', method: 'POST', route: '/payments', path: '/payments' } as const;
  return request(checkout, to, (payment) => {
    const amount = order.total / 100;
    payment.set({ 'shop.order.id': order.id, 'shop.payment.amount': amount });
    payment.useFlag('payment-provider');
    payment.set({ 'shop.payment.provider': provider });
    postgres(payment, {
      operation: 'INSERT',
      table: 'ledger',
      text: 'INSERT INTO ledger (order_id, amount, currency, state) VALUES ($1, $2, $3, $4)',
      medianMs: 3,
    });
    const status = charge(payment, provider, order);
    postgres(payment, {
      operation: 'UPDATE',
      table: 'ledger',
      text: 'UPDATE ledger SET state = $2, settled_at = now() WHERE order_id = $1',
      medianMs: 2.5,
    });
    if (status === 200) {
      payment.info(`charged EUR ${amount.toFixed(2)} for order ${order.id} through ${provider}`, {
        'shop.order.id': order.id,
        'shop.payment.provider': provider,
      });
    }
    return status;
  });
}

/** One call to the provider, and a second one if the first returned 503 or timed out. */
function charge(payment: Scope, provider: string, order: Payable): number {
  const first = callProvider(payment, provider, 0);
  if (first === 402) {
    payment.warn(`charge for order ${order.id} declined by ${provider}: insufficient_funds`, {
      'shop.order.id': order.id,
      'shop.payment.decline_code': 'insufficient_funds',
    });
  }
  if (first < 500) return first;
  payment.warn(`${provider} answered ${first}, trying again`, { 'shop.payment.provider': provider, attempt: 2 });
  payment.wait(50);
  const second = callProvider(payment, provider, 1);
  if (second < 500) return second;
  const timedOut = second === 504;
  payment.raise(
    exception(
      'payment',
      timedOut ? 'ProviderTimeoutError' : 'ProviderError',
      timedOut ? `${provider} did not answer within ${TIMEOUT_MS} ms` : `${provider} answered 503`,
      ['ProviderClient.charge (~/provider-client.ts:88:13)', 'createPayment (~/payments.ts:46:18)'],
    ),
    `payment for order ${order.id} failed: ${provider} ${timedOut ? 'timed out' : 'is unavailable'}`,
    { 'shop.order.id': order.id, 'shop.payment.provider': provider },
  );
  return timedOut ? 504 : 502;
}

/** A call that leaves the shop, so it has a client span and no server span. 504 means a timeout. */
function callProvider(payment: Scope, provider: string, resends: number): number {
  const host = `api.${provider}.example`;
  const spec = {
    service: 'payment',
    kind: 'client',
    name: 'POST /v1/charges',
    attributes: {
      'http.request.method': 'POST',
      'url.full': `https://${host}/v1/charges`,
      'url.template': '/v1/charges',
      'server.address': host,
      'server.port': 443,
      'network.protocol.version': '1.1',
      ...(resends > 0 ? { 'http.request.resend_count': resends } : {}),
    },
  } as const;
  return payment.call(spec, (client) => {
    const slowdown = providerSlowdown(provider, client.now());
    const latency = client.random.logNormal((PROVIDER_MEDIAN_MS[provider] ?? 190) * slowdown, 0.45);
    if (latency > TIMEOUT_MS) {
      client.wait(TIMEOUT_MS);
      client.raise(
        exception('payment', 'TimeoutError', 'The operation was aborted due to timeout', [
          'fetch (node:internal/deps/undici/undici:13510:13)',
          'ProviderClient.send (~/provider-client.ts:61:24)',
        ]),
        `POST https://${host}/v1/charges timed out after ${TIMEOUT_MS} ms`,
        { 'server.address': host, timeout_ms: TIMEOUT_MS },
      );
      return 504;
    }
    client.wait(latency);
    const status = client.random.weighted([
      [200, slowdown > 1 ? 0.9 : 0.962],
      [402, 0.035],
      [503, slowdown > 1 ? 0.065 : 0.003],
    ]);
    client.set({ 'http.response.status_code': status });
    if (status >= 400) client.fail(String(status), `HTTP ${status}`);
    return status;
  });
}
