import { chart, labelOf, libraryDashboard, number } from '../library-rules.ts';

const service = 'service.name == $service';

export const jvm = libraryDashboard({
  key: 'jvm',
  name: 'JVM',
  description: 'Memory, garbage collection, threads and processor of Java services.',
  sentBy: 'the OpenTelemetry Java agent',
  needs: [{ metric: 'jvm.memory.used' }],
  variables: [labelOf('service', 'service.name', 'jvm.memory.used')],
  lines: [
    {
      h: 4,
      panels: [
        number(
          'Heap',
          `metric jvm.memory.used | where ${service} and jvm.memory.type == "heap" | latest 5m | stats used=sum(value)`,
          { unit: 'By' },
        ),
        number('Threads', `metric jvm.thread.count | where ${service} | latest 5m | stats threads=sum(value)`),
        number(
          'Processor',
          `metric jvm.cpu.recent_utilization | where ${service} | latest 5m | stats utilization=avg(value)`,
          { unit: '1' },
        ),
      ],
    },
    {
      h: 8,
      panels: [
        chart(
          'Memory by type',
          `metric jvm.memory.used | where ${service} | latest 5m | sum by service.name, jvm.memory.type, bucket(auto)`,
          { unit: 'By' },
        ),
        chart(
          'Heap by pool',
          `metric jvm.memory.used | where ${service} and jvm.memory.type == "heap" | latest 5m | sum by jvm.memory.pool.name, bucket(auto)`,
          { unit: 'By', stacked: true },
        ),
      ],
    },
    {
      h: 8,
      panels: [
        chart(
          'Heap after collection',
          `metric jvm.memory.used_after_last_gc | where ${service} and jvm.memory.type == "heap" | latest 5m | sum by service.name, bucket(auto)`,
          { unit: 'By' },
        ),
        chart(
          'Time in garbage collection',
          `metric jvm.gc.duration | where ${service} | rate | stats share=sum(sum) by service.name, jvm.gc.name, bucket(auto)`,
          { unit: '1' },
        ),
        chart(
          'Pauses, p99',
          `metric jvm.gc.duration | where ${service} | increase | stats p99=p99(value) by jvm.gc.name, bucket(auto)`,
          { unit: 's' },
        ),
      ],
    },
    {
      h: 8,
      panels: [
        chart(
          'Threads by state',
          `metric jvm.thread.count | where ${service} | latest 5m | sum by jvm.thread.state, bucket(auto)`,
          { stacked: true },
        ),
        chart('Processor', `metric jvm.cpu.recent_utilization | where ${service} | avg by service.name, bucket(auto)`, {
          unit: '1',
        }),
        chart(
          'Loaded classes',
          `metric jvm.class.count | where ${service} | latest 5m | sum by service.name, bucket(auto)`,
        ),
      ],
    },
  ],
});
