/** What a move leaves in a store while no server may use it. */
export interface MoveMark {
  /** Of the move. */
  readonly id: string;
  /** `unfinished`: the store is being filled; `moved`: its data was moved elsewhere. */
  readonly state: 'unfinished' | 'moved';
}

/** The table that is the mark, in both stores. */
export const MOVE_TABLE = 'fanion_move';

/**
 * Rejects a store that is being filled, or whose data is elsewhere.
 * @param store for the message: `telemetry store`
 * @throws Error that says what to do
 */
export function refuseMarked(mark: MoveMark | undefined, store: string): void {
  if (mark === undefined) return;
  throw new Error(
    mark.state === 'unfinished'
      ? `a move into this ${store} is not complete: run fanion move again, or empty the store`
      : `the data of this ${store} was moved into a data directory: start the server there. To use this store again, without what was stored since, drop its table ${MOVE_TABLE}`,
  );
}
