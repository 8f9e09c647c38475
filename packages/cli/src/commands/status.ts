import { connectionOptions, endpointOf } from '../files/connection-options.ts';
import type { Command } from './command.ts';

export const status: Command = {
  name: 'status',
  summary: 'tell whether a server is ready, and what it depends on',
  example: 'fanion status --endpoint https://fanion.example.com',
  options: {
    endpoint: connectionOptions.endpoint,
    json: { type: 'boolean', help: 'print JSON' },
  },
  notes: 'Exit codes: 0 ready; 1 not ready, degraded or out of reach; 2 a mistake in the call',
  async run({ texts, flags }, terminal) {
    const baseUrl = endpointOf(texts, terminal.env);
    const [answer, about] = await Promise.all([fetch(`${baseUrl}/readyz`), fetch(`${baseUrl}/api/v1/meta`)]).catch(
      () => [],
    );
    if (answer === undefined || about === undefined) {
      if (flags.has('json')) terminal.out(JSON.stringify({ status: 'unreachable' }));
      else terminal.err(`fanion status: ${baseUrl} cannot be reached`);
      return 1;
    }
    const ready = (await answer.json()) as Readiness;
    const { data: meta } = (await about.json()) as { data: About };
    if (flags.has('json')) terminal.out(JSON.stringify({ ...ready, version: meta.version, engines: meta.engines }));
    else {
      terminal.out(`${baseUrl}: ${ready.status}, version ${meta.version}, Node ${meta.engines.node}`);
      for (const { name, status: state, detail } of ready.dependencies ?? [])
        terminal.out(`  ${name.padEnd(18)} ${state}${detail === undefined ? '' : `: ${detail}`}`);
    }
    return answer.ok && (ready.dependencies ?? []).every(({ status: state }) => state === 'up') ? 0 : 1;
  },
};

interface About {
  readonly version: string;
  readonly engines: { readonly node: string };
}

interface Readiness {
  readonly status: string;
  readonly dependencies?: readonly { readonly name: string; readonly status: string; readonly detail?: string }[];
}
