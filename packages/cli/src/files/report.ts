/**
 * A difference from the file. `changed`: there is a close equivalent, and the text says what differs.
 * `lost`: there is no equivalent, and the text says what happens instead.
 */
export interface Note {
  readonly level: 'changed' | 'lost';
  /** `flag checkout, production, rule 2`. */
  readonly where: string;
  readonly what: string;
}

/** The file is not of the product that the user names. */
export class NotThisFormat extends Error {
  override readonly name = 'NotThisFormat';
}

/** A part of the file that has no equivalent here. The converter of the enclosing part decides the consequence. */
export class NoEqual extends Error {
  override readonly name = 'NoEqual';
}

/** Collects notes, each only once. */
export class Report {
  readonly #notes = new Map<string, Note>();

  changed(where: string, what: string): void {
    this.#add({ level: 'changed', where, what });
  }

  lost(where: string, what: string): void {
    this.#add({ level: 'lost', where, what });
  }

  /** Runs the work; reports a part without an equivalent and continues without it. */
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

/** Prints what is lost, then what differs. Everything that is dropped has a line. */
export function tellReport(notes: readonly Note[], tell: (line: string) => void): void {
  const lost = notes.filter(({ level }) => level === 'lost');
  const changed = notes.filter(({ level }) => level === 'changed');
  if (lost.length > 0) tell(`No equivalent (${lost.length}):`);
  for (const { where, what } of lost) tell(`  - ${where}: ${what}`);
  if (changed.length > 0) tell(`Slightly different (${changed.length}):`);
  for (const { where, what } of changed) tell(`  ~ ${where}: ${what}`);
  if (notes.length === 0) tell('everything has an equivalent');
}
