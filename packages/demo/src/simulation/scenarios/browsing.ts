import type { Random } from '../../random.ts';
import { catalogSlowdown } from '../conditions.ts';
import { exception, postgres, redis, request } from '../dependencies.ts';
import type { Operation } from '../operation.ts';
import type { Scope } from '../scope.ts';
import { CATEGORIES, PRODUCTS, SEARCHES } from '../shop.ts';
import type { FlagValues, Visit } from '../visit.ts';
import { cartOf, pageRequest } from './edge.ts';
import { judgePage } from './judged.ts';

/** The home page: a category of products, and the number of items in the visitor's cart, fetched in parallel. */
export function browseHome(visit: Visit, flags: FlagValues, random: Random): Operation[] {
  const category = random.pick(CATEGORIES);
  const page = pageRequest(visit, random, { method: 'GET', route: '/', path: '/' }, (frontend) => {
    const [listing] = frontend.together(
      (scope) => listProducts(scope, category),
      (scope) => countCart(scope, visit),
    );
    render(frontend, 'home');
    return judgePage(frontend, visit, flags, listing === 200 ? 200 : 502);
  });
  return [page];
}

function listProducts(scope: Scope, category: string): number {
  return request(scope, { service: 'catalog', method: 'GET', route: '/products', path: '/products' }, (catalog) => {
    catalog.set({ 'url.query': `category=${category}` });
    const found = PRODUCTS.filter((product) => product.category === category).length;
    // Three of four listings come from the cache.
    redis(catalog, 'GET', `listing:${category}`);
    if (catalog.random.chance(0.75)) {
      catalog.debug(`cache hit for listing:${category}`, { 'cache.hit': true });
      return 200;
    }
    if (catalog.random.chance(0.004)) {
      catalog.raise(
        exception('catalog', 'PoolTimeoutError', 'timeout exceeded when trying to connect', [
          'Pool.connect (/srv/node_modules/pg-pool/index.js:45:11)',
          'listProducts (~/listing.ts:27:22)',
        ]),
        'could not list products: no database connection in time',
        { 'shop.category': category },
      );
      return 503;
    }
    postgres(catalog, {
      operation: 'SELECT',
      table: 'products',
      text: 'SELECT sku, name, price FROM products WHERE category = $1 AND active ORDER BY rank LIMIT 48',
      medianMs: 6 * catalogSlowdown(catalog.now()),
      rows: found,
    });
    redis(catalog, 'SETEX', `listing:${category}`, ' 60 ?');
    catalog.info(`listed ${found} products of ${category}`, { 'shop.category': category, 'shop.products': found });
    return 200;
  });
}

function countCart(scope: Scope, visit: Visit): number {
  const path = `/carts/${cartOf(visit)}/size`;
  return request(scope, { service: 'cart', method: 'GET', route: '/carts/{cart_id}/size', path }, (cart) => {
    redis(cart, 'HLEN', cartOf(visit));
    return 200;
  });
}

/** A search; the slowest statement of the catalog, worst while the nightly report runs. */
export function search(visit: Visit, flags: FlagValues, random: Random): Operation[] {
  const term = random.pick(SEARCHES);
  const query = `q=${encodeURIComponent(term)}`;
  const page = pageRequest(visit, random, { method: 'GET', route: '/search', path: '/search', query }, (frontend) => {
    const status = request(
      frontend,
      { service: 'catalog', method: 'GET', route: '/search', path: '/search' },
      (catalog) => {
        catalog.set({ 'url.query': query });
        const hits = catalog.random.integer(12);
        postgres(catalog, {
          operation: 'SELECT',
          table: 'products',
          text: "SELECT sku, name, ts_rank(document, q) AS score FROM products, websearch_to_tsquery('english', $1) q WHERE document @@ q ORDER BY score DESC LIMIT 24",
          medianMs: 28 * catalogSlowdown(catalog.now()),
          rows: hits,
        });
        catalog.spend(3);
        catalog.info({ event: 'search', term, hits, country: visit.visitor.country }, { 'shop.search.hits': hits });
        if (hits === 0) catalog.warn(`search for "${term}" found nothing`, { 'shop.search.term': term });
        return 200;
      },
    );
    render(frontend, 'search');
    return judgePage(frontend, visit, flags, status);
  });
  return [page];
}

/** A product page. Some links are stale and end in an ordinary 404. */
export function viewProduct(visit: Visit, flags: FlagValues, random: Random): Operation[] {
  const product = random.pick(PRODUCTS);
  const gone = random.chance(0.02);
  const sku = gone ? `OLD-${1000 + random.integer(9000)}` : product.sku;
  const to = { method: 'GET', route: '/products/{sku}', path: `/products/${sku}` } as const;
  const page = pageRequest(visit, random, to, (frontend) => {
    const [status] = frontend.together(
      (scope) => request(scope, { service: 'catalog', ...to }, (catalog) => loadProduct(catalog, sku, gone)),
      (scope) => countCart(scope, visit),
    );
    render(frontend, gone ? 'not-found' : 'product');
    return judgePage(frontend, visit, flags, status ?? 502);
  });
  return [page];
}

function loadProduct(catalog: Scope, sku: string, gone: boolean): number {
  catalog.set({ 'shop.product.sku': sku });
  postgres(catalog, {
    operation: 'SELECT',
    table: 'products',
    text: 'SELECT * FROM products WHERE sku = $1',
    medianMs: 2.2,
    rows: gone ? 0 : 1,
  });
  if (gone) {
    catalog.warn(`product ${sku} not found`, { 'shop.product.sku': sku });
    return 404;
  }
  postgres(catalog, {
    operation: 'SELECT',
    table: 'stock',
    text: 'SELECT available FROM stock WHERE sku = $1',
    medianMs: 1.6,
    rows: 1,
  });
  catalog.info(`product ${sku} viewed`, { 'shop.product.sku': sku });
  return 200;
}

function render(frontend: Scope, template: string): void {
  const spec = {
    service: 'frontend',
    kind: 'internal',
    name: `render ${template}`,
    attributes: { 'shop.template': template },
  } as const;
  frontend.call(spec, (scope) => scope.spend(7));
}
