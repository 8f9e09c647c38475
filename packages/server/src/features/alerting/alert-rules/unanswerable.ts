/** A rule cannot be evaluated, in words for its owner. Asking again would not help. */
export class Unanswerable extends Error {
  override readonly name = 'Unanswerable';
}
