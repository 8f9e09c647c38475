import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../packages/server/src/testing/free-port.ts';

/** Debian's Prometheus, which is sent samples and evaluates a rule file, and Alertmanager, which notifies a webhook without delay. */
export async function startPrometheusStack(rules: string, webhook: string) {
  const dir = await mkdtemp(join(tmpdir(), 'prometheus-stack-'));
  const [port, managerPort] = [await freePort(), await freePort()];
  const rulesFile = join(dir, 'rules.yml');
  await writeFile(rulesFile, rules);
  await writeFile(
    join(dir, 'prometheus.yml'),
    `global: { evaluation_interval: 1s }
rule_files: [rules.yml]
alerting: { alertmanagers: [{ static_configs: [{ targets: ["127.0.0.1:${managerPort}"] }] }] }
`,
  );
  await writeFile(
    join(dir, 'alertmanager.yml'),
    `route: { receiver: hook, group_by: ["..."], group_wait: 0s, group_interval: 1s, repeat_interval: 4h }
receivers: [{ name: hook, webhook_configs: [{ url: "${webhook}", send_resolved: true }] }]
`,
  );
  const children: ChildProcess[] = [
    spawn(
      'prometheus-alertmanager',
      [
        `--config.file=${dir}/alertmanager.yml`,
        `--storage.path=${dir}/alertmanager`,
        `--web.listen-address=127.0.0.1:${managerPort}`,
        '--cluster.listen-address=',
      ],
      { stdio: 'ignore' },
    ),
    spawn(
      'prometheus',
      [
        `--config.file=${dir}/prometheus.yml`,
        `--storage.tsdb.path=${dir}/data`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--web.enable-remote-write-receiver',
      ],
      { stdio: 'ignore' },
    ),
  ];
  const base = `http://127.0.0.1:${port}`;
  while (
    !(await fetch(`${base}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await new Promise((resolve) => setTimeout(resolve, 100));
  return {
    rulesFile,
    write: `${base}/api/v1/write`,
    async stop(): Promise<void> {
      await Promise.all(
        children.map((child) => {
          const ended = new Promise((resolve) => child.once('exit', resolve));
          child.kill();
          return ended;
        }),
      );
      await rm(dir, { recursive: true, force: true });
    },
  };
}
