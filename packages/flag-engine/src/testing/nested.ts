/** `[[[…]]]`, nested to a depth. */
export function nested(depth: number): unknown {
  let value: unknown[] = [];
  for (let level = 1; level < depth; level++) value = [value];
  return value;
}
