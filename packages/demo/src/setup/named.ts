import { type ApiClient, list, property } from './api-client.ts';

/** More than a demo's workspace has of one kind. */
const LIMIT = 200;

/**
 * Creates something unless there is one with this name, whatever somebody has made of it since, so it can be called at every start.
 * @param path of the resource's list
 * @param query of the list, for example what narrows it to the name
 */
export async function createNamed(
  api: ApiClient,
  path: string,
  body: { readonly name: string; readonly [field: string]: unknown },
  query = `limit=${LIMIT}&search=${encodeURIComponent(body.name)}`,
): Promise<unknown> {
  const found = list(await api.get(`${path}?${query}`));
  return found.find((each) => property(each, 'name') === body.name) ?? (await api.post(path, body));
}
