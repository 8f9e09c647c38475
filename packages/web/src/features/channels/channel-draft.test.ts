import { channelConfigs, channelKinds, secretFieldsOf } from '@fanion/contract';
import { describe, expect, it } from 'vitest';
import { configOf, FIELDS, isKind, KINDS, textsOf } from './channel-draft.ts';

describe('the form of a channel', () => {
  it('has the fields of the contract for every kind, and knows which are secret', () => {
    expect(Object.keys(KINDS)).toEqual(channelKinds);
    for (const kind of channelKinds) {
      const names = (some: (field: { secret?: boolean }) => boolean) =>
        FIELDS[kind]
          .filter(some)
          .map(({ name }) => name)
          .sort();
      expect(names(() => true)).toEqual(Object.keys(channelConfigs[kind].shape).sort());
      expect(names(({ secret }) => secret === true)).toEqual(secretFieldsOf(kind).sort());
    }
  });

  it('splits addresses, and leaves empty fields out', () => {
    expect(configOf('email', { to: ' a@example.com, b@example.com\nc@example.com ' })).toEqual({
      to: ['a@example.com', 'b@example.com', 'c@example.com'],
    });
    expect(configOf('webhook', { url: ' https://example.com ', secret: '' })).toEqual({ url: 'https://example.com' });
  });

  it('shows what is no secret', () => {
    expect(textsOf('email', { to: ['a@example.com', 'b@example.com'] })).toEqual({
      to: 'a@example.com\nb@example.com',
    });
    expect(textsOf('pagerduty', { url: 'https://example.com' })).toEqual({
      routing_key: '',
      url: 'https://example.com',
    });
  });

  it('knows kinds by name', () => {
    expect([isKind('slack'), isKind('toString'), isKind(null)]).toEqual([true, false, false]);
  });
});
