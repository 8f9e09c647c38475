/** How another language writes something, what OQL writes instead, and in which words. */
export interface Form {
  /** Matches from some place before the failure, or at it, to the end of the form. */
  readonly written: RegExp;
  /** The replacement; undefined if there is no single one. */
  readonly oql?: (match: RegExpExecArray) => string;
  readonly hint: string;
}

export const NAME = String.raw`[\p{L}_@][\p{L}\p{N}_@.]*`;
export const CALL = String.raw`${NAME}\([^()|]*\)`;
export const form = (written: string, hint: string, oql?: Form['oql']): Form => {
  return { written: new RegExp(written, 'iu'), hint, ...(oql ? { oql } : {}) };
};
