import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { statOf } from './world.ts';

/** A Prometheus that evaluates one rule for each of so many series, once a minute, over the same points as `addSeries` makes. */
export async function startPrometheus(series: number, threshold: number) {
  const dir = await mkdtemp(join(tmpdir(), 'prometheus-'));
  const from = Math.floor(Date.now() / 1_000) - 3_600;
  const lines = ['# TYPE queue_size gauge'];
  for (let n = 0; n < series; n++)
    for (let i = 0; i < 280; i++)
      lines.push(`queue_size{service_name="svc-${n}"} ${(n * 7919 + i * 104_729) % 101} ${from + i * 15}`);
  await writeFile(join(dir, 'points.txt'), `${lines.join('\n')}\n# EOF\n`);
  const made = spawnSync('promtool', [
    'tsdb',
    'create-blocks-from',
    'openmetrics',
    join(dir, 'points.txt'),
    join(dir, 'data'),
  ]);
  if (made.status !== 0) throw new Error(`promtool: ${made.stderr}`);
  const rules = Array.from(
    { length: series },
    (_, n) => `  - alert: rule${n}\n    expr: avg_over_time(queue_size{service_name="svc-${n}"}[5m]) > ${threshold}\n`,
  );
  await writeFile(join(dir, 'rules.yml'), `groups:\n- name: bench\n  interval: 1m\n  rules:\n${rules.join('')}`);
  await writeFile(join(dir, 'prometheus.yml'), `global:\n  evaluation_interval: 1m\nrule_files: [rules.yml]\n`);
  const child = spawn(
    'prometheus',
    [`--config.file=${dir}/prometheus.yml`, `--storage.tsdb.path=${dir}/data`, '--web.listen-address=127.0.0.1:0'],
    { stdio: 'ignore' },
  );
  return {
    /** Processor time so far, in seconds. */
    cpu(): number {
      const fields = statOf(child.pid ?? 0);
      return fields === undefined ? Number.NaN : (Number(fields[11]) + Number(fields[12])) / 100;
    },
    async stop(): Promise<void> {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill();
      await ended;
      await rm(dir, { recursive: true, force: true });
    },
  };
}
