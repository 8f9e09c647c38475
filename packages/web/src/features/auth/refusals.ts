/** The reasons with which the server sends somebody back to this page after a sign-in with a provider failed. */
const REFUSALS: Readonly<Record<string, (provider: string) => string>> = {
  state: (provider) =>
    `The sign-in with ${provider} was not begun in this browser, took too long, or was finished before. Begin again.`,
  provider: (provider) => `${provider} refused the sign-in, or its answer was not valid. Try again.`,
  unreachable: (provider) => `${provider} cannot be reached at the moment. Try again in a while.`,
  email: (provider) => `${provider} gave no e-mail address that it has verified. Verify yours there, then try again.`,
  account_exists: (provider) =>
    `An account with this e-mail address exists. Sign in with its password first; signing in with ${provider} connects the two from then on.`,
  closed: () =>
    'This server is by invitation only, and there is no invitation for this e-mail address. Ask an owner or admin for one.',
};

/**
 * Why the sign-in with a provider failed and what to do, in a sentence or two. The address it comes from can be typed
 * by anybody: an unknown reason never shows as text.
 */
export function refusalText(reason: string | undefined, provider = 'the provider'): string {
  const text = reason !== undefined && Object.hasOwn(REFUSALS, reason) ? REFUSALS[reason] : undefined;
  const sentence = text?.(provider) ?? `The sign-in with ${provider} failed. Try again.`;
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
