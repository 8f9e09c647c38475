import { chart, labelOf, libraryDashboard, number } from '../library-rules.ts';

const service = 'service.name == $service';

export const nodejs = libraryDashboard({
  key: 'nodejs',
  name: 'Node.js',
  description: 'Event loop, heap and garbage collection of Node.js services.',
  sentBy: '@opentelemetry/instrumentation-runtime-node',
  needs: [{ metric: 'nodejs.eventloop.utilization' }, { metric: 'v8js.memory.heap.used' }],
  variables: [labelOf('service', 'service.name', 'nodejs.eventloop.utilization')],
  lines: [
    {
      h: 4,
      panels: [
        number(
          'Event loop in use',
          `metric nodejs.eventloop.utilization | where ${service} | latest 5m | stats utilization=max(value)`,
          {
            unit: '1',
            thresholds: [
              { value: 0, color: 'ok' },
              { value: 0.7, color: 'warning' },
              { value: 0.9, color: 'error' },
            ],
          },
        ),
        number('Delay, p99', `metric nodejs.eventloop.delay.p99 | where ${service} | stats delay=max(value)`, {
          unit: 's',
        }),
        number('Heap', `metric v8js.memory.heap.used | where ${service} | latest 5m | stats used=sum(value)`, {
          unit: 'By',
        }),
      ],
    },
    {
      h: 8,
      panels: [
        chart(
          'Event loop in use',
          `metric nodejs.eventloop.utilization | where ${service} | avg by service.name, bucket(auto)`,
          { unit: '1' },
        ),
        chart(
          'Event loop delay',
          `metric =~ "^nodejs[.]eventloop[.]delay[.](p50|p90|p99)$" | where ${service} | stats delay=max(value) by metric.name, bucket(auto)`,
          { unit: 's' },
        ),
      ],
    },
    {
      h: 8,
      panels: [
        chart(
          'Heap by space',
          `metric v8js.memory.heap.used | where ${service} | latest 5m | sum by v8js.heap.space.name, bucket(auto)`,
          { unit: 'By', stacked: true },
        ),
        chart(
          'Heap limit',
          `metric v8js.memory.heap.limit | where ${service} | latest 5m | sum by service.name, bucket(auto)`,
          { unit: 'By' },
        ),
      ],
    },
    {
      h: 8,
      panels: [
        chart(
          'Time in garbage collection',
          `metric v8js.gc.duration | where ${service} | rate | stats share=sum(sum) by v8js.gc.type, bucket(auto)`,
          { unit: '1' },
        ),
        chart(
          'Collections, p99',
          `metric v8js.gc.duration | where ${service} | increase | stats p99=p99(value) by v8js.gc.type, bucket(auto)`,
          { unit: 's' },
        ),
      ],
    },
  ],
});
