/** How many bytes of bodies may be in memory, from the first byte to the response. */
export interface BodyBytes {
  readonly total: number;
  /** Limit of one project, so that a flood leaves room for others. */
  readonly project: number;
}

/** Bytes that a request reserves. Released once, even if it is asked to several times. */
export interface Held {
  /** Reserves more bytes. Returns `undefined` on success, else the limit that is exceeded; then nothing is reserved. */
  more(bytes: number): 'project' | 'total' | undefined;
  release(): void;
}

/**
 * Counts the bytes of bodies that are being received and accepted. The size of one request is limited elsewhere; this
 * limits many at once, for example from senders that start and never finish.
 */
export class BodyBudget {
  readonly #limits: BodyBytes;
  readonly #projects = new Map<number, number>();
  #used = 0;

  constructor(limits: BodyBytes) {
    this.#limits = limits;
  }

  /** Bytes that are reserved now. */
  get used(): number {
    return this.#used;
  }

  hold(project: number): Held {
    let held = 0;
    return {
      more: (bytes) => {
        const ofProject = this.#projects.get(project) ?? 0;
        if (ofProject + bytes > this.#limits.project) return 'project';
        if (this.#used + bytes > this.#limits.total) return 'total';
        held += bytes;
        this.#used += bytes;
        this.#projects.set(project, ofProject + bytes);
        return undefined;
      },
      release: () => {
        if (held === 0) return;
        this.#used -= held;
        const left = (this.#projects.get(project) ?? 0) - held;
        held = 0;
        if (left > 0) this.#projects.set(project, left);
        else this.#projects.delete(project);
      },
    };
  }
}
