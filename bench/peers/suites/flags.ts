import type { Contender, Question } from '../../flags/contender.ts';
import { startFanion } from '../../flags/fanion-server.ts';
import { startFlagd, startGoFeatureFlag } from '../../flags/file-servers.ts';
import { startUnleash } from '../../flags/unleash-server.ts';
import { load } from '../../support/load.ts';
import { inFolder } from '../run/program.ts';
import type { Figures } from '../run/results.ts';

const CONNECTIONS = 64;
const asked: Readonly<Record<Question, string>> = {
  single: 'one flag, CPU µs',
  bulk: '200 flags, CPU µs',
  contexts: '200 flags and 1,024 contexts, CPU µs',
};

/** A server of flags: how it starts, and why it cannot. */
interface FlagServer {
  readonly name: string;
  start(binaries: string | undefined): Promise<Contender | { readonly missing: string }>;
}

function fromFolder(file: string, start: (program: string) => Promise<Contender>): FlagServer['start'] {
  return async (binaries) => {
    const found = inFolder(binaries, file);
    return 'missing' in found ? found : await start(found.program);
  };
}

export const flagServers: readonly FlagServer[] = [
  { name: 'Fanion', start: startFanion },
  { name: 'flagd', start: fromFolder('flagd', startFlagd) },
  { name: 'GO Feature Flag', start: fromFolder('go-feature-flag', startGoFeatureFlag) },
  {
    name: 'Unleash',
    start: async () =>
      (await startUnleash()) ?? { missing: 'run npm ci --prefix bench/peers --ignore-scripts, and see above' },
  },
];

/** Processor time of the server for a request, and requests a second, one product alone. */
export async function flags(
  server: FlagServer,
  binaries: string | undefined,
  seconds: number,
): Promise<Figures | { readonly missing: string }> {
  const contender = await server.start(binaries);
  if ('missing' in contender) return contender;
  const figures: Record<string, number> = {};
  try {
    for (const question of ['single', 'bulk', 'contexts'] as const) {
      if (question === 'bulk') await contender.prepareBulk?.();
      const { port, pid, requests } = contender;
      const result = await load({ port, pid, requests: requests[question], connections: CONNECTIONS, seconds });
      figures[asked[question]] = result.cpuMicroseconds;
    }
  } finally {
    await contender.stop();
  }
  return figures;
}
