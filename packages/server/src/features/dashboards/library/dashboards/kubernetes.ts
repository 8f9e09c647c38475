import { chart, labelOf, libraryDashboard, number, table } from '../library-rules.ts';

const namespace = 'k8s.namespace.name == $namespace';

export const kubernetes = libraryDashboard({
  key: 'kubernetes',
  name: 'Kubernetes',
  description: 'Processor, memory, network and state of pods, nodes and deployments.',
  sentBy: 'the kubeletstats and k8s_cluster receivers of the OpenTelemetry Collector',
  needs: [{ metric: 'k8s.pod.cpu.usage' }, { metric: 'k8s.pod.phase' }],
  variables: [labelOf('namespace', 'k8s.namespace.name', 'k8s.pod.memory.working_set')],
  lines: [
    {
      h: 4,
      panels: [
        number(
          'Pods',
          `metric k8s.pod.memory.working_set | where ${namespace} | stats pods=count_distinct(k8s.pod.name)`,
        ),
        number('Cores in use', `metric k8s.pod.cpu.usage | where ${namespace} | latest 5m | stats cores=sum(value)`),
        number(
          'Memory',
          `metric k8s.pod.memory.working_set | where ${namespace} | latest 5m | stats memory=sum(value)`,
          {
            unit: 'By',
          },
        ),
      ],
    },
    {
      h: 8,
      panels: [
        chart(
          'Cores in use by namespace',
          `metric k8s.pod.cpu.usage | where ${namespace} | latest 5m | sum by k8s.namespace.name, bucket(auto)`,
          { stacked: true },
        ),
        chart(
          'Memory by namespace',
          `metric k8s.pod.memory.working_set | where ${namespace} | latest 5m | sum by k8s.namespace.name, bucket(auto)`,
          { unit: 'By', stacked: true },
        ),
      ],
    },
    {
      h: 8,
      panels: [
        chart('Cores in use by node', 'metric k8s.node.cpu.usage | latest 5m | sum by k8s.node.name, bucket(auto)'),
        chart('Memory by node', 'metric k8s.node.memory.working_set | latest 5m | sum by k8s.node.name, bucket(auto)', {
          unit: 'By',
        }),
        chart(
          'Network by namespace',
          `metric k8s.pod.network.io | where ${namespace} | rate | sum by k8s.namespace.name, direction, bucket(auto)`,
          { unit: 'By/s' },
        ),
      ],
    },
    {
      h: 9,
      panels: [
        table(
          'Pods by memory',
          `metric k8s.pod.memory.working_set | where ${namespace} | latest 5m | stats memory=sum(value) by k8s.namespace.name, k8s.pod.name | sort -memory | limit 50`,
          { unit: 'By' },
        ),
        table(
          'Containers that restart',
          `metric k8s.container.restarts | where ${namespace} | latest 5m | stats restarts=sum(value) by k8s.namespace.name, k8s.pod.name, k8s.container.name | where restarts > 0 | sort -restarts | limit 50`,
        ),
        table(
          'Deployments with missing pods',
          `metric =~ "^k8s[.]deployment[.](desired|available)$" | where ${namespace} | latest 5m | stats desired=sum_if(value, metric.name == "k8s.deployment.desired"), available=sum_if(value, metric.name == "k8s.deployment.available") by k8s.namespace.name, k8s.deployment.name | where available < desired | limit 50`,
        ),
      ],
    },
  ],
});
