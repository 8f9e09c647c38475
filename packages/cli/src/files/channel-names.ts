import { ApiError, listChannels } from '@fanion/contract';
import type { Connection } from './connect.ts';
import { listAll } from './list-all.ts';

/** Files name channels; the API wants their ids. */
export interface ChannelNames {
  idOf(name: string): string | undefined;
  nameOf(id: string): string;
  /** Whether there is a channel of this name, or will be when it is needed. */
  has(name: string): boolean;
  /** A channel that is created before it is needed. */
  expect(name: string): void;
  created(name: string, id: string): void;
}

export async function readChannelNames({ client, scope: { ws } }: Connection): Promise<ChannelNames> {
  const names = new Map<string, string>();
  const ids = new Map<string, string>();
  const expected = new Set<string>();
  try {
    for (const { id, name } of await listAll((query) => client.call(listChannels, { params: { ws }, query }))) {
      names.set(id, name);
      ids.set(name, id);
    }
  } catch (error) {
    // Kinds without channels can be read and written without seeing them.
    if (!(error instanceof ApiError) || error.status !== 403) throw error;
  }
  return {
    idOf: (name) => ids.get(name),
    nameOf: (id) => names.get(id) ?? id,
    has: (name) => ids.has(name) || expected.has(name),
    expect: (name) => void expected.add(name),
    created(name, id) {
      names.set(id, name);
      ids.set(name, id);
    },
  };
}
