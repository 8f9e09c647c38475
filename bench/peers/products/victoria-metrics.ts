import { freePort } from '../../../test/support/server-process.ts';
import { remoteWriteHeaders } from '../../support/post-bodies.ts';
import type { Product } from '../product.ts';
import { inFolder, startProgram } from '../run/program.ts';
import { promQl } from './promql.ts';

/** VictoriaMetrics, single node, with its defaults; its answers do not come out of its cache of answers. */
export const victoriaMetrics: Product = {
  name: 'VictoriaMetrics',
  signals: ['metrics'],
  find: (binaries) => inFolder(binaries, 'victoria-metrics'),
  async start(program) {
    const port = await freePort();
    const base = `http://127.0.0.1:${port}`;
    const args = (directory: string) => [`-storageDataPath=${directory}/data`, `-httpListenAddr=127.0.0.1:${port}`];
    const started = await startProgram(program, { args, ready: `${base}/health` });
    return {
      ...started,
      ...promQl(base, { nocache: '1' }),
      writes: { metrics: { port, path: '/api/v1/write', headers: remoteWriteHeaders } },
    };
  },
};
