/** How many bytes of bodies may be in memory, from their first byte to the answer. */
export interface BodyBytes {
  readonly total: number;
  /** Of one project, so that a flood leaves room for others. */
  readonly project: number;
}

/** Room that a request holds; given back once, however often it is asked to. */
export interface Held {
  /** Asks for so much more; `undefined`: it is held. Otherwise nothing of it is. */
  more(bytes: number): 'project' | 'total' | undefined;
  release(): void;
}

/**
 * Keeps count of the bodies that are being received and accepted. What one request may be long is limited elsewhere; this
 * is for many of them at once, say of senders that begin and never end.
 */
export class BodyBudget {
  readonly #limits: BodyBytes;
  readonly #projects = new Map<number, number>();
  #used = 0;

  constructor(limits: BodyBytes) {
    this.#limits = limits;
  }

  /** Bytes that are held now. */
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
