import { Failure } from '../platform/fail.ts';

/** A read in progress. */
export interface LiveUse {
  readonly userId: string;
  readonly workspaceId: string | undefined;
  /** Throws a `Failure` if the caller may no longer read this. */
  readonly recheck: () => Promise<void>;
  /** Aborts the read. */
  readonly end: (reason: Failure) => void;
}

/** Reads in progress: a revoked credential ends them. */
export interface LiveUses {
  /** Returns a function that removes the read. */
  add(use: LiveUse): () => void;
  /** Rechecks the reads that a change concerns, and ends those no longer allowed. */
  recheck(change: { readonly workspaceId?: string | undefined; readonly userId?: string | undefined }): Promise<void>;
  count(): number;
}

export function createLiveUses(): LiveUses {
  const uses = new Set<LiveUse>();
  return {
    add(use) {
      uses.add(use);
      return () => {
        uses.delete(use);
      };
    },
    async recheck({ workspaceId, userId }) {
      const concerned = [...uses].filter(
        (use) =>
          (userId === undefined || use.userId === userId) &&
          (workspaceId === undefined || use.workspaceId === undefined || use.workspaceId === workspaceId),
      );
      await Promise.all(
        concerned.map((use) =>
          use.recheck().catch((error: unknown) => {
            // An unavailable control plane has revoked nothing.
            if (error instanceof Failure && error.error !== 'STORE_UNAVAILABLE') use.end(error);
          }),
        ),
      );
    },
    count: () => uses.size,
  };
}
