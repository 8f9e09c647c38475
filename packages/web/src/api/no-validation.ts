/**
 * Stands in for `zod` in the browser (see vite.config.ts). Of a route of the contract the client needs its id, method
 * and path; its schemas are types by then, and to validate is the server's work. With zod itself a fifth of the entry
 * bundle would be code that never runs.
 *
 * Whatever is asked of it or called on it gives itself again, so `z.object({…}).optional()` and `...Page.shape` work
 * and hold nothing.
 */
export const z: unknown = new Proxy(() => z, {
  get: (_, property) => {
    // Neither a promise nor a text.
    if (property === 'then' || property === Symbol.toPrimitive) return undefined;
    return z;
  },
  apply: () => z,
});
