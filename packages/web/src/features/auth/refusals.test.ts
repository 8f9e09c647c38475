import { expect, it } from 'vitest';
import { refusalText } from './refusals.ts';

it('has a distinct sentence for each reason of the server', () => {
  const reasons = ['state', 'provider', 'unreachable', 'email', 'account_exists', 'closed'];
  const texts = reasons.map((reason) => refusalText(reason, 'Acme'));
  expect(new Set(texts).size).toBe(reasons.length);
  expect(texts).not.toContain(refusalText('anything else', 'Acme'));
});

it('does not show an unknown reason', () => {
  expect(refusalText('<b>call us</b>')).toBe('The sign-in with the provider failed. Try again.');
  expect(refusalText('constructor')).toBe('The sign-in with the provider failed. Try again.');
});
