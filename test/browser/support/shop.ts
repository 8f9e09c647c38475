import { type SignedUp, signUp } from '../../../packages/server/src/testing/test-client.ts';
import { sendMetrics } from './metrics.ts';
import { type Shop, sendShop } from './telemetry.ts';

/** While this young, a shop is well within the last hour, which pages show first. */
const FRESH_MS = 10 * 60_000;
let shared: { readonly shop: Shop & { readonly user: SignedUp }; readonly sentAt: number } | undefined;

/**
 * A shop (`sendShop`, `sendMetrics`) for the tests of a worker that only look at it; its user is for them. Tests that
 * change something, or that count what was sent or asked, take a workspace of their own.
 */
export async function shopToLookAt(base: string): Promise<Shop & { readonly user: SignedUp }> {
  if (shared === undefined || Date.now() - shared.sentAt > FRESH_MS) {
    const user = await signUp(base, 'grace');
    const sentAt = Date.now();
    const { traceId } = await sendShop(user);
    await sendMetrics(user, traceId);
    shared = { shop: { user, traceId }, sentAt };
  }
  return shared.shop;
}
