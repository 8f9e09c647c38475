import { Failure } from '../platform/fail.ts';

/** A request under way that shows something to somebody. */
export interface LiveUse {
  readonly userId: string;
  readonly workspaceId: string | undefined;
  /** Throws a `Failure` where the caller may not see this any more. */
  readonly recheck: () => Promise<void>;
  /** Breaks it off. */
  readonly end: (reason: Failure) => void;
}

/** Reads that go on: a revoked credential ends them, however long they were meant to last. */
export interface LiveUses {
  /** Gives back how to take it out again. */
  add(use: LiveUse): () => void;
  /** Ends those of the people and places of a change that may not go on. */
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
            // A control plane that is away for a moment has revoked nothing.
            if (error instanceof Failure && error.error !== 'STORE_UNAVAILABLE') use.end(error);
          }),
        ),
      );
    },
    count: () => uses.size,
  };
}
