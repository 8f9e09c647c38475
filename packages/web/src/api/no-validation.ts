/**
 * Replaces `zod` in the browser (see vite.config.ts). The client needs only the id, method and path of a contract
 * route: its schemas serve as types, and the server validates. With zod, a fifth of the entry bundle would be code
 * that never runs.
 *
 * Every property and every call returns the same stub, so `z.object({…}).optional()` and `...Page.shape` work and
 * contain nothing.
 */
export const z: unknown = new Proxy(() => z, {
  get: (_, property) => {
    // So that it is treated neither as a promise nor as a string.
    if (property === 'then' || property === Symbol.toPrimitive) return undefined;
    return z;
  },
  apply: () => z,
});
