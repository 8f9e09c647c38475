/** Counts items in wire order and tells which of them the scan refused. */
export class ItemFilter {
  readonly #refused: Uint32Array;
  #index = 0;
  #next = 0;

  constructor(refused: Uint32Array) {
    this.#refused = refused;
  }

  /** Whether the next item is one to store. */
  accept(): boolean {
    const index = this.#index++;
    if (this.#refused[this.#next] !== index) return true;
    this.#next++;
    return false;
  }
}
