/** Reasons that the server returns to this page after a sign-in with a provider fails. */
const REFUSALS: Readonly<Record<string, (provider: string) => string>> = {
  state: (provider) =>
    `The sign-in with ${provider} did not start in this browser, took too long, or was already completed. Start again.`,
  provider: (provider) => `${provider} rejected the sign-in, or its response was invalid. Try again.`,
  unreachable: (provider) => `${provider} is currently unreachable. Try again later.`,
  email: (provider) => `${provider} did not return a verified e-mail address. Verify yours there, then try again.`,
  account_exists: (provider) =>
    `An account with this e-mail address already exists. Sign in with its password first; signing in with ${provider} then links the two.`,
  closed: () =>
    'This server is by invitation only, and there is no invitation for this e-mail address. Ask an owner or admin for one.',
};

/**
 * Why the sign-in with a provider failed and what to do, in a sentence or two. The reason comes from the URL, which
 * anybody can type, so an unknown reason is never shown.
 */
export function refusalText(reason: string | undefined, provider = 'the provider'): string {
  const text = reason !== undefined && Object.hasOwn(REFUSALS, reason) ? REFUSALS[reason] : undefined;
  const sentence = text?.(provider) ?? `The sign-in with ${provider} failed. Try again.`;
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
