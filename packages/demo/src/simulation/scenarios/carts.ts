import type { Random } from '../../random.ts';
import { exception, postgres, redis, request } from '../dependencies.ts';
import type { Operation } from '../operation.ts';
import { trace } from '../scope.ts';
import { PRODUCTS } from '../shop.ts';
import type { FlagValues, Visit } from '../visit.ts';
import { cartOf, pageRequest } from './edge.ts';

/** Puts a product into the cart, at the discounted price. */
export function addToCart(visit: Visit, flags: FlagValues, random: Random): Operation[] {
  const product = random.pick(PRODUCTS);
  const cartId = cartOf(visit);
  // With a discount people buy more.
  const quantity = 1 + random.integer(flags.discount > 0 ? 4 : 3);
  const page = pageRequest(visit, random, { method: 'POST', route: '/cart/items', path: '/cart/items' }, (frontend) => {
    const path = `/carts/${cartId}/items`;
    const to = { service: 'cart', method: 'POST', route: '/carts/{cart_id}/items', path } as const;
    const status = request(frontend, to, (cart) => {
      cart.set({ 'shop.cart.id': cartId, 'shop.product.sku': product.sku, 'shop.item.quantity': quantity });
      const price = request(
        cart,
        { service: 'catalog', method: 'GET', route: '/products/{sku}/price', path: `/products/${product.sku}/price` },
        (catalog) => {
          postgres(catalog, {
            operation: 'SELECT',
            table: 'prices',
            text: 'SELECT amount, currency FROM prices WHERE sku = $1 AND valid @> now()',
            medianMs: 1.8,
            rows: 1,
          });
          return 200;
        },
      );
      if (price !== 200) return 502;
      cart.useFlag('discount');
      cart.spend(1);
      const unitPrice = Math.round(product.price * (1 - flags.discount / 100));
      if (flags.discount > 0) {
        cart.debug(`discount of ${flags.discount}% applied to ${product.sku}`, { 'shop.discount': flags.discount });
      }
      if (cart.random.chance(0.006)) {
        cart.raise(
          exception('cart', 'ReplyError', 'READONLY You can not write against a read only replica.', [
            'parseError (/srv/node_modules/redis-parser/lib/parser.js:179:12)',
            'CartStore.put (~/store.ts:58:9)',
          ]),
          `could not store item ${product.sku} in ${cartId}`,
          { 'shop.cart.id': cartId },
        );
        return 503;
      }
      redis(cart, 'HSET', cartId, ` ${product.sku} ?`);
      redis(cart, 'EXPIRE', cartId, ' 1800');
      cart.measure('carts.open', 1);
      cart.info(`added ${quantity} x ${product.sku} to ${cartId}`, {
        'shop.cart.id': cartId,
        'shop.item.quantity': quantity,
        'shop.item.unit_price': unitPrice / 100,
      });
      return 201;
    });
    return status < 400 ? 201 : status;
  });
  return [page];
}

/** A job without a visitor: the cart service drops abandoned carts. */
export function expireCarts(visit: Visit, random: Random): Operation[] {
  const dropped = 3 + random.integer(8);
  const spec = {
    service: 'cart',
    kind: 'internal',
    name: 'expire carts',
    attributes: { 'shop.job': 'expire-carts', 'shop.carts.expired': dropped },
  } as const;
  const job = trace(random, visit.at, spec, (scope) => {
    redis(scope, 'ZRANGEBYSCORE', 'carts:by-age', ' -inf ?');
    scope.spend(dropped * 1.5);
    postgres(scope, {
      operation: 'DELETE',
      table: 'saved_carts',
      text: 'DELETE FROM saved_carts WHERE touched_at < $1',
      medianMs: 9,
    });
    scope.measure('carts.open', -dropped);
    scope.info(`expired ${dropped} carts`, { 'shop.carts.expired': dropped });
  });
  return [job];
}
