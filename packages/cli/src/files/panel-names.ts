import { ApiError, listExperiments, listSlos } from '@fanion/contract';
import { z } from 'zod';
import type { Connection } from './connect.ts';
import { listAll } from './list-all.ts';

/** Files name what panels show; the API wants ids. */
export interface PanelNames {
  /** The ids of what has this name: none, one or several. */
  idsOf(name: string): readonly string[];
  /** The name, or the id if several have the name or it cannot be read. */
  nameOf(id: string): string;
}

export function readSloNames({ client, scope }: Connection): Promise<PanelNames> {
  const params = { ws: scope.ws };
  return readNames(async () => {
    const all = await listAll((page) => client.call(listSlos, { params, query: { ...page, project: scope.p } }));
    return all.map(({ id, name }) => ({ id, name }));
  });
}

export function readExperimentKeys({ client, scope }: Connection): Promise<PanelNames> {
  return readNames(async () => {
    const all = await listAll((query) => client.call(listExperiments, { params: scope, query }));
    return all.map(({ id, key }) => ({ id, name: key }));
  });
}

const isId = (text: string) => z.uuid().safeParse(text).success;

async function readNames(read: () => Promise<{ readonly id: string; readonly name: string }[]>): Promise<PanelNames> {
  const ids = new Map<string, string[]>();
  const names = new Map<string, string>();
  try {
    for (const { id, name } of await read()) {
      names.set(id, name);
      ids.set(name, [...(ids.get(name) ?? []), id]);
    }
  } catch (error) {
    // Dashboards without such panels can be read and written without this permission.
    if (!(error instanceof ApiError) || error.status !== 403) throw error;
  }
  const idsOf = (name: string) => ids.get(name) ?? (isId(name) ? [name] : []);
  return {
    idsOf,
    nameOf(id) {
      const name = names.get(id);
      return name !== undefined && idsOf(name).length === 1 ? name : id;
    },
  };
}
