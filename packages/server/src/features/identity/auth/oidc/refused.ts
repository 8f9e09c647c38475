import { type Refusal, refusals } from './rules.ts';

/** A sign-in that failed, for a reason that may be shown. */
export class OidcRefused extends Error {
  override readonly name = 'OidcRefused';
  readonly refusal: Refusal;
  constructor(refusal: Refusal, cause?: unknown) {
    super(refusals[refusal], cause === undefined ? undefined : { cause });
    this.refusal = refusal;
  }
}
