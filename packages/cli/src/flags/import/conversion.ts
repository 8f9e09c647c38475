import type { FlagDocument, SegmentDocument } from '../document.ts';

/**
 * Something of the file that is not as it was. `changed`: it has a near equal, and the text says what differs.
 * `lost`: it has none, and the text says what happens instead.
 */
export interface Note {
  readonly level: 'changed' | 'lost';
  /** `flag checkout, production, rule 2`. */
  readonly where: string;
  readonly what: string;
}

/** What a converter makes of a file: documents with the environments by their names in the file, and its report. */
export interface Conversion {
  readonly flags: readonly FlagDocument[];
  readonly segments: readonly SegmentDocument[];
  readonly notes: readonly Note[];
}

/** A pure function of a parsed file. Throws `NotThisFormat`. */
export type Converter = (content: unknown) => Conversion;

/** The file is not what the user says it is. */
export class NotThisFormat extends Error {
  override readonly name = 'NotThisFormat';
}

/** A part of the file that has no equal here. Whoever converts the whole that it is part of decides what that means. */
export class NoEqual extends Error {
  override readonly name = 'NoEqual';
}

/** Collects notes; each once. */
export class Report {
  readonly #notes = new Map<string, Note>();

  changed(where: string, what: string): void {
    this.#add({ level: 'changed', where, what });
  }

  lost(where: string, what: string): void {
    this.#add({ level: 'lost', where, what });
  }

  /** Does the work, or reports what has no equal and goes on without it. */
  attempt<T>(where: string, consequence: string, work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof NoEqual)) throw error;
      this.lost(where, `${error.message}; ${consequence}`);
      return undefined;
    }
  }

  get notes(): Note[] {
    return [...this.#notes.values()];
  }

  #add(note: Note): void {
    this.#notes.set(`${note.level} ${note.where} ${note.what}`, note);
  }
}
