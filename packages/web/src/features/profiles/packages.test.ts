import { expect, it } from 'vitest';
import { packageOf } from './packages.ts';

it.each([
  ['query', '/app/node_modules/pg/lib/client.js', 'pg'],
  ['query', '/app/node_modules/a/node_modules/@scope/b/index.js', '@scope/b'],
  ['writev', 'node:internal/streams', 'node:internal'],
  ['total', '/app/src/cart/total.ts', 'src/cart'],
  ['total', 'total.ts', ''],
  ['github.com/acme/shop/cart.(*Store).Get', '/go/cart/store.go', 'github.com/acme/shop/cart'],
  ['runtime.mallocgc', '', 'runtime'],
  ['com.acme.shop.Cart.add', '', 'com.acme.shop'],
  ['tokio::runtime::park', '', 'tokio'],
  ['(garbage collector)', '', ''],
  ['main', '', ''],
])('finds the package of %s in %s', (name, file, expected) => expect(packageOf({ name, file })).toBe(expected));
