import type { Meta } from '@fanion/contract';

type Page<T> = Promise<{ readonly data: T[]; readonly meta: Meta }>;

/** Every page of a list. */
export async function listAll<T>(
  ask: (page: { readonly limit: number; readonly cursor?: string }) => Page<T>,
): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | null | undefined;
  do {
    const { data, meta } = await ask({ limit: 500, ...(cursor && { cursor }) });
    items.push(...data);
    cursor = meta.next_cursor;
  } while (cursor);
  return items;
}
