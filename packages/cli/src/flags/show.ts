import { getFlag, getTargeting, listFlags, type RouteResponse } from '@fanion/contract';
import { stringify } from 'yaml';
import { tableOf } from '../commands/ask.ts';
import type { Call } from '../commands/command.ts';
import { connect, UsageError } from '../files/connect.ts';
import { listAll } from '../files/list-all.ts';
import type { Terminal } from '../files/terminal.ts';

type EnvironmentState = RouteResponse<typeof getFlag>['environments'][number];

/** `fanion flag list`. */
export async function showFlags({ texts, flags: given }: Call, terminal: Terminal): Promise<number> {
  const { client, scope } = await connect(texts, terminal.env);
  const { search } = texts;
  const flags = await listAll((page) =>
    client.call(listFlags, { params: scope, query: { ...page, ...(search !== undefined && { search }) } }),
  );
  if (given.has('json')) {
    terminal.out(JSON.stringify(flags));
    return 0;
  }
  const environments = [...new Set(flags.flatMap((flag) => flag.environments.map(({ environment }) => environment)))];
  const columns = ['key', 'kind', ...environments].map((name) => ({ name }));
  const rows = flags.map(({ key, kind, environments: states }) => [
    key,
    kind,
    ...environments.map((name) => stateOf(states.find(({ environment }) => environment === name))),
  ]);
  for (const line of tableOf({ columns, rows })) terminal.out(line);
  return 0;
}

function stateOf(state: EnvironmentState | undefined): string {
  if (state === undefined) return '';
  if (!state.enabled) return 'off';
  return state.percentage === null ? 'on' : `on, ${state.percentage} %`;
}

/** `fanion flag get`. */
export async function showFlag({ texts, flags, operands }: Call, terminal: Terminal): Promise<number> {
  const [key, ...more] = operands;
  if (key === undefined || more.length > 0) throw new UsageError('name one flag');
  const { client, scope } = await connect(texts, terminal.env);
  const { environment: e } = texts;
  const params = { ...scope, key };
  const { data } =
    e === undefined
      ? await client.call(getFlag, { params })
      : await client.call(getTargeting, { params: { ...params, e } });
  terminal.out(flags.has('json') ? JSON.stringify(data) : stringify(data).trimEnd());
  return 0;
}
