import type { Random } from '../../random.ts';
import { consumerSpec, exception, postgres, producerSpec, type QueueMessage, redis, request } from '../dependencies.ts';
import type { Operation } from '../operation.ts';
import { type Scope, trace } from '../scope.ts';
import { PRODUCTS } from '../shop.ts';
import type { FlagValues, Visit } from '../visit.ts';
import { cartOf, pageRequest, sessionOf } from './edge.ts';
import { pay } from './payment.ts';

interface Order {
  id: string;
  cartId: string;
  items: number;
  /** Euro cents, after the discount. */
  total: number;
  message: QueueMessage;
}

/**
 * The whole shop takes part: frontend → checkout → cart, catalog, payment → the provider; then a message that the
 * catalog processes in a separate trace. The new checkout takes a little longer and fails a little more often, but
 * people who get through it buy somewhat more.
 */
export function checkOut(visit: Visit, flags: FlagValues, random: Random): Operation[] {
  const order = draftOrder(visit, flags, random);
  let sent: Operation | undefined;
  const page = pageRequest(visit, random, { method: 'POST', route: '/checkout', path: '/checkout' }, (frontend) => {
    const to = { service: 'checkout', method: 'POST', route: '/orders', path: '/orders' } as const;
    const status = request(frontend, to, (checkout) => {
      const answer = placeOrder(checkout, visit, flags, order);
      sent = checkout.operation.children.find((child) => child.kind === 'producer');
      return answer;
    });
    if (status >= 500) {
      frontend.error(`checkout of ${order.cartId} failed with ${status}`, { 'session.id': sessionOf(visit) });
    }
    return status;
  });
  return sent ? [page, reserveStock(sent, order, random)] : [page];
}

function draftOrder(visit: Visit, flags: FlagValues, random: Random): Order {
  const items = 1 + random.integer(3) + (flags.discount > 0 ? random.integer(2) : 0);
  let total = 0;
  for (let i = 0; i < items; i++) total += random.pick(PRODUCTS).price;
  if (flags['new-checkout']) total *= 1.04;
  return {
    id: `ord_${random.hex(6)}`,
    cartId: cartOf(visit),
    items,
    total: Math.round(total * (1 - flags.discount / 100)),
    message: { topic: 'orders.placed', id: random.hex(8), partition: random.integer(6), bytes: 380 + 90 * items },
  };
}

function placeOrder(checkout: Scope, visit: Visit, flags: FlagValues, order: Order): number {
  checkout.set({ 'shop.order.id': order.id, 'shop.cart.id': order.cartId });
  checkout.spend(2);
  checkout.useFlag('new-checkout');

  const [cart, stock] = checkout.together(
    (scope) => readCart(scope, order),
    (scope) => checkStock(scope, order),
  );
  if (cart !== 200) return 502;
  if (stock === 409) return 409;

  if (flags['new-checkout'] && !checkAddress(checkout, visit, order)) return 500;

  const provider = flags['payment-provider'];
  const paid = pay(checkout, provider, order);
  if (paid === 402) {
    checkout.warn(`order ${order.id} not placed: card declined`, { 'shop.order.id': order.id });
    return 402;
  }
  if (paid >= 400) {
    checkout.error(`order ${order.id} not placed: payment answered ${paid}`, { 'shop.order.id': order.id });
    return paid === 504 ? 504 : 502;
  }

  if (!storeOrder(checkout, order)) return 500;
  checkout.call(producerSpec('checkout', order.message), (producer) => producer.spend(2.4));

  const total = order.total / 100;
  const dimensions = { 'shop.country': visit.visitor.country, 'shop.payment.provider': provider };
  checkout.measure('orders', 1, dimensions);
  checkout.measure('orders.revenue', total, dimensions);
  checkout.info(
    {
      event: 'order_placed',
      order_id: order.id,
      user_id: visit.visitor.id,
      items: order.items,
      total,
      currency: 'EUR',
      payment: { provider, status: 'captured' },
    },
    { 'shop.order.id': order.id, 'user.id': visit.visitor.id, 'shop.order.total': total },
  );
  return 201;
}

function readCart(scope: Scope, order: Order): number {
  const path = `/carts/${order.cartId}`;
  return request(scope, { service: 'cart', method: 'GET', route: '/carts/{cart_id}', path }, (cart) => {
    redis(cart, 'HGETALL', order.cartId);
    cart.useFlag('discount');
    cart.spend(1.2);
    cart.measure('carts.open', -1);
    cart.debug(`cart ${order.cartId} has ${order.items} items`, { 'shop.cart.id': order.cartId });
    return 200;
  });
}

function checkStock(scope: Scope, order: Order): number {
  const to = { service: 'catalog', method: 'POST', route: '/stock/check', path: '/stock/check' } as const;
  return request(scope, to, (catalog) => {
    postgres(catalog, {
      operation: 'SELECT',
      table: 'stock',
      text: 'SELECT sku, available FROM stock WHERE sku = ANY($1)',
      medianMs: 3,
      rows: order.items,
    });
    if (!catalog.random.chance(0.015)) return 200;
    const { sku } = catalog.random.pick(PRODUCTS);
    catalog.warn(`${sku} is out of stock`, { 'shop.product.sku': sku, 'shop.order.id': order.id });
    return 409;
  });
}

/** The extra step of the new checkout, with the defect that makes it worth watching. */
function checkAddress(checkout: Scope, visit: Visit, order: Order): boolean {
  const spec = {
    service: 'checkout',
    kind: 'internal',
    name: 'validate address',
    attributes: { 'shop.country': visit.visitor.country },
  } as const;
  return checkout.call(spec, (scope) => {
    scope.spend(55);
    if (!scope.random.chance(0.03)) return true;
    scope.raise(
      exception('checkout', 'TypeError', "Cannot read properties of undefined (reading 'postalCode')", [
        'normalizeAddress (~/address.ts:34:41)',
        'validateAddress (~/address.ts:12:20)',
        'placeOrder (~/orders.ts:77:25)',
      ]),
      `order ${order.id} failed: Cannot read properties of undefined (reading 'postalCode')`,
      { 'shop.order.id': order.id, 'user.id': visit.visitor.id },
    );
    return false;
  });
}

/** Writes the order; a deadlock is retried once, which nearly always succeeds. */
function storeOrder(checkout: Scope, order: Order): boolean {
  const statement = {
    operation: 'INSERT',
    table: 'orders',
    text: 'INSERT INTO orders (id, cart_id, total, currency, status) VALUES ($1, $2, $3, $4, $5)',
    medianMs: 4,
  } as const;
  if (!checkout.random.chance(0.008)) return postgres(checkout, statement);
  postgres(checkout, { ...statement, medianMs: 60, failsWith: { sqlState: '40P01', message: 'deadlock detected' } });
  checkout.warn(`retrying order ${order.id} after a deadlock`, { 'shop.order.id': order.id, attempt: 2 });
  checkout.wait(20);
  if (!checkout.random.chance(0.1)) return postgres(checkout, statement);
  return postgres(checkout, { ...statement, failsWith: { sqlState: '40P01', message: 'deadlock detected' } });
}

/** The queue's consumer: the catalog reserves the stock, later and in its own trace. */
function reserveStock(sent: Operation, order: Order, random: Random): Operation {
  const at = sent.end + 15 + random.exponential(140);
  const spec = { ...consumerSpec('catalog', order.message, 'catalog-stock'), links: [sent] };
  return trace(random, at, spec, (consumer) => {
    consumer.set({ 'shop.order.id': order.id, 'messaging.kafka.offset': Math.floor(sent.start / 1000) });
    consumer.spend(1);
    for (let i = 0; i < order.items; i++) {
      postgres(consumer, {
        operation: 'UPDATE',
        table: 'stock',
        text: 'UPDATE stock SET available = available - $2 WHERE sku = $1',
        medianMs: 3.5,
      });
    }
    if (consumer.random.chance(0.01)) {
      consumer.raise(
        exception('catalog', 'StockError', 'reservation would make the stock negative', [
          'reserve (~/stock.ts:63:11)',
          'onOrderPlaced (~/consumer.ts:29:5)',
        ]),
        `could not reserve stock for order ${order.id}; sent to orders.placed.dead-letter`,
        { 'shop.order.id': order.id },
      );
      return;
    }
    consumer.info(`reserved ${order.items} items for order ${order.id}`, { 'shop.order.id': order.id });
  });
}
