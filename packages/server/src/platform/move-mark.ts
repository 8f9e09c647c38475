/** What a move or a restore leaves in a store while no server may use it. */
export interface MoveMark {
  /** Of the move, or of the restore. */
  readonly id: string;
  readonly state: MarkState;
}

/**
 * `unfinished`: a move is filling the store; `restoring`: a restore is; `restored`: both stores are filled, and the restore is removing its
 * marks; `moved`: its data was moved elsewhere.
 */
export type MarkState = 'unfinished' | 'restoring' | 'restored' | 'moved';

/** The table that is the mark, in both stores. */
export const MOVE_TABLE = 'fanion_move';

/**
 * Rejects a store that is being filled, or whose data is elsewhere.
 * @param store for the message: `telemetry store`
 * @throws Error that says what to do
 */
export function refuseMarked(mark: MoveMark | undefined, store: string): void {
  if (mark === undefined) return;
  throw new Error(reasons[mark.state](store));
}

const reasons: Readonly<Record<MarkState, (store: string) => string>> = {
  unfinished: (store) => `a move into this ${store} is not complete: run fanion move again, or empty the store`,
  restoring: (store) =>
    `a restore into this ${store} is not complete: wait for its end. If it was interrupted, run fanion restore again, or empty the store`,
  restored: (store) =>
    `a restore into this ${store} lacks only its last step: wait for its end. If it was interrupted, run fanion restore of the same backup again`,
  moved: (store) =>
    `the data of this ${store} was moved into a data directory: start the server there. To use this store again, without what was stored since, drop its table ${MOVE_TABLE}`,
};
