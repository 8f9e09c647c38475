import { createToken as createTokenRoute, isPermission, permissionNames } from '@fanion/contract';
import { connect, UsageError } from '../files/connect.ts';
import type { Terminal } from '../files/terminal.ts';
import type { Call } from './command.ts';

/** `fanion token create`. */
export async function makeToken({ texts, flags }: Call, terminal: Terminal): Promise<number> {
  const { name, environment } = texts;
  if (name === undefined || name === '') throw new UsageError('name the token: --name');
  const wanted = (texts.permissions ?? '').split(',').flatMap((one) => one.trim() || []);
  const permissions = wanted.filter(isPermission);
  const [unknown] = wanted.filter((one) => !isPermission(one));
  if (unknown !== undefined)
    throw new UsageError(`no permission is named ${unknown}; there are ${permissionNames.join(', ')}`);
  if (permissions.length === 0) throw new UsageError('name at least one permission: --permissions telemetry:ingest');
  const days = texts['expires-in'] === undefined ? undefined : Number(texts['expires-in']);
  if (days !== undefined && !(days > 0)) throw new UsageError('--expires-in must be a number of days above 0');
  const { client, scope } = await connect(texts, terminal.env);
  const place = {
    ...((flags.has('pin') || environment !== undefined) && { project: scope.p }),
    ...(environment !== undefined && { environment }),
  };
  const expiry = days === undefined ? {} : { expires_at: new Date(Date.now() + days * 86_400_000).toISOString() };
  const body = { name, permissions, ...place, ...expiry };
  const { data } = await client.call(createTokenRoute, { query: { workspace: scope.ws }, body });
  terminal.out(flags.has('json') ? JSON.stringify(data) : data.token);
  return 0;
}
