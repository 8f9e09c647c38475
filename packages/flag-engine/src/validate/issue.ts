import { MAX_TEXT_LENGTH } from './limits.ts';

/** A problem of one part of the input. */
export interface Issue {
  /** Keys and indexes joined by dots, from the checked value: `rules.0.clauses.1.values.2`. */
  readonly path: string;
  readonly message: string;
}

/** Collects issues; `path` parts are joined by dots. */
export class Issues {
  readonly list: Issue[] = [];

  add(path: readonly (string | number)[], message: string): void {
    this.list.push({ path: path.join('.'), message });
  }

  /** Adds an issue if a list exceeds its limit; returns whether it does. */
  tooMany(path: readonly (string | number)[], length: number, limit: number): boolean {
    if (length > limit) this.add(path, `has ${length} entries, at most ${limit} are allowed`);
    return length > limit;
  }

  /** Adds an issue if a text is empty or too long for a key or value. */
  text(path: readonly (string | number)[], value: unknown): void {
    if (typeof value !== 'string' || value === '') this.add(path, 'must be a non-empty text');
    else if (value.length > MAX_TEXT_LENGTH) this.add(path, `has more than ${MAX_TEXT_LENGTH} characters`);
  }
}
