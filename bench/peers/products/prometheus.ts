import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../test/support/server-process.ts';
import { remoteWriteHeaders } from '../../support/post-bodies.ts';
import type { Product } from '../product.ts';
import { inPath, startProgram } from '../run/program.ts';
import { promQl } from './promql.ts';

/** Prometheus with its receiver of remote write, and nothing to scrape. */
export const prometheus: Product = {
  name: 'Prometheus',
  signals: ['metrics'],
  find: () => inPath('prometheus'),
  async start(program) {
    const port = await freePort();
    const base = `http://127.0.0.1:${port}`;
    const args = (directory: string) => {
      const config = join(directory, 'prometheus.yml');
      writeFileSync(config, '');
      return [
        `--config.file=${config}`,
        `--storage.tsdb.path=${directory}/data`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--web.enable-remote-write-receiver',
        '--log.level=error',
      ];
    };
    const started = await startProgram(program, { args, ready: `${base}/-/ready` });
    return {
      ...started,
      ...promQl(base),
      writes: { metrics: { port, path: '/api/v1/write', headers: remoteWriteHeaders } },
    };
  },
};
