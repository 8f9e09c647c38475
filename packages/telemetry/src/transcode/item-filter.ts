/** Counts items in wire order and filters those that the scan rejected. */
export class ItemFilter {
  readonly #refused: Uint32Array;
  #index = 0;
  #next = 0;

  constructor(refused: Uint32Array) {
    this.#refused = refused;
  }

  /** Whether to store the next item. */
  accept(): boolean {
    const index = this.#index++;
    if (this.#refused[this.#next] !== index) return true;
    this.#next++;
    return false;
  }
}
