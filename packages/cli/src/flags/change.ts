import {
  ApiError,
  errors,
  FlagChange,
  getFlag,
  getTargeting,
  type RouteResponse,
  setTargeting,
} from '@fanion/contract';
import type { Call } from '../commands/command.ts';
import { accessOf, type Connection, connect, UsageError } from '../files/connect.ts';
import { plainText } from '../files/plain-text.ts';
import type { Terminal } from '../files/terminal.ts';
import { fallthroughOf } from './served.ts';

type Targeting = RouteResponse<typeof getTargeting>;

/** `fanion flag on` and `fanion flag off`. */
export function switchFlag(call: Call, state: 'on' | 'off', terminal: Terminal): Promise<number> {
  const enabled = state === 'on';
  return change(call, terminal, state, async (_connection, targeting) =>
    targeting.enabled === enabled ? undefined : { ...targeting, enabled },
  );
}

/** `fanion flag set`. */
export function setServed(call: Call, terminal: Terminal): Promise<number> {
  const { variant, percent: share = '100', rest } = call.texts;
  if (variant === undefined) throw new UsageError('name what is served: --variant KEY');
  const percent = Number(share);
  if (!/^\d+(\.\d{1,3})?$/.test(share) || percent > 100)
    throw new UsageError('--percent must be a number from 0 to 100, with at most three decimals');
  const served = `${variant}${percent === 100 ? '' : ` to ${share} %`}`;
  return change(call, terminal, `serves ${served}`, async ({ client, scope }, targeting) => {
    const { data } = await client.call(getFlag, { params: { ...scope, key: targeting.flag } });
    const { off_variant: offVariant, fallthrough } = targeting;
    const variants = data.variants.map(({ key }) => key);
    const next = fallthroughOf({ variant, percent, rest }, { variants, offVariant, fallthrough });
    if (typeof next === 'string') throw new UsageError(next);
    return { ...targeting, fallthrough: next };
  });
}

/**
 * Reads the targeting of a flag and writes what becomes of it; reads again, once, if somebody else wrote in between.
 *
 * @param state `on`: how the flag is afterwards
 * @param next undefined: it is so already
 */
async function change(
  { texts, flags, operands }: Call,
  terminal: Terminal,
  state: string,
  next: (connection: Connection, targeting: Targeting) => Promise<Targeting | undefined>,
): Promise<number> {
  const [key, ...more] = operands;
  const { environment, reason } = texts;
  if (key === undefined || more.length > 0) throw new UsageError('name one flag');
  if (environment === undefined) throw new UsageError('name the environment: --environment KEY');
  const connection = await connect(texts, terminal.env);
  const { client, scope } = connection;
  const params = { ...scope, e: environment, key };
  const attempt = async () => {
    const { data } = await client.call(getTargeting, { params });
    const wanted = await next(connection, data);
    if (wanted === undefined) return { data, status: undefined };
    return client.call(setTargeting, { params, body: { ...wanted, ...(reason !== undefined && { comment: reason }) } });
  };
  const { data, status } = await attempt().catch((error: unknown) => {
    if (error instanceof ApiError && error.code === errors.STALE_VERSION.code) return attempt();
    throw error;
  });
  const filed = status === 202 ? FlagChange.parse(data) : undefined;
  if (flags.has('json')) terminal.out(JSON.stringify(data));
  else if (filed !== undefined) {
    const page = `${accessOf(texts, terminal.env).baseUrl}/w/${scope.ws}/${scope.p}/changes?change=${filed.id}`;
    terminal.out(`${environment} requires approval: filed change request ${filed.id}\n${page}`);
  } else terminal.out(plainText(`${key} ${status === undefined ? 'already ' : ''}${state} in ${environment}`));
  return 0;
}
