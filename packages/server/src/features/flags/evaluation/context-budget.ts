import { type BodyBudgets, uncountedBytes } from '../../../http/body-budgets.ts';
import type { SdkCaller } from '../../../http/caller.ts';
import type { Failure } from '../../../platform/fail.ts';

const senderOf = ({ keyId }: SdkCaller) => `key ${keyId}`;

/** What the large contexts of one key may use. */
export interface ContextBudget {
  /** Why a body of this size is not read now. */
  refusalOf(caller: SdkCaller, bytes: number): Failure | undefined;
  /** Reads a context; what reading a large one takes is counted. Throws `BODIES_LIMITED`. */
  reading<T>(caller: SdkCaller, bytes: number, read: () => T): T;
}

export function createContextBudget(budgets: BodyBudgets): ContextBudget {
  const refusalOf = (caller: SdkCaller, bytes: number) =>
    bytes <= uncountedBytes ? undefined : budgets.refusal(senderOf(caller));
  return {
    refusalOf,
    reading(caller, bytes, read) {
      if (bytes <= uncountedBytes) return read();
      const refusal = refusalOf(caller, bytes);
      if (refusal !== undefined) throw refusal;
      const began = performance.now();
      try {
        return read();
      } finally {
        budgets.spend(senderOf(caller), bytes, performance.now() - began);
      }
    },
  };
}
