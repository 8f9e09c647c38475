import { type EventDetails, ProviderEvents } from '@openfeature/server-sdk';
import type { FanionProvider } from '../provider.ts';

export interface SeenEvent {
  readonly type: string;
  readonly details: EventDetails | undefined;
}

/** The events of a provider, in order. `next` waits for the next unread event of a type. */
export function watchEvents(provider: FanionProvider) {
  const seen: SeenEvent[] = [];
  const waiting = new Set<() => void>();
  const taken = new Map<string, number>();
  for (const type of Object.values(ProviderEvents)) {
    provider.events.addHandler(type, (details) => {
      seen.push({ type, details });
      for (const look of [...waiting]) look();
    });
  }
  return {
    seen,
    types: () => seen.map((event) => event.type.replace('PROVIDER_', '')),
    next(type: ProviderEvents): Promise<EventDetails | undefined> {
      const index = taken.get(type) ?? 0;
      taken.set(type, index + 1);
      return new Promise((resolve) => {
        const look = () => {
          const event = seen.filter((candidate) => candidate.type === type)[index];
          if (event === undefined) return;
          waiting.delete(look);
          resolve(event.details);
        };
        waiting.add(look);
        look();
      });
    },
  };
}
