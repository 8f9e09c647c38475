import { chart, labelOf, libraryDashboard, number, table } from '../library-rules.ts';

/** The semantic conventions name these attributes; the Collector's host receiver has older names. */
const mode = 'coalesce(attr.cpu.mode, attr.state)';
const memoryState = 'coalesce(attr.system.memory.state, attr.state)';
const filesystemState = 'coalesce(attr.system.filesystem.state, attr.state)';
const networkDirection = 'coalesce(attr.network.io.direction, attr.direction)';
const diskDirection = 'coalesce(attr.disk.io.direction, attr.direction)';
const host = 'host.name == $host';

export const hosts = libraryDashboard({
  key: 'hosts',
  name: 'Hosts',
  description: 'Processor, memory, disks and network of each host.',
  sentBy: 'the hostmetrics receiver of the OpenTelemetry Collector',
  needs: [{ metric: 'system.cpu.time' }, { metric: 'system.memory.usage' }],
  variables: [labelOf('host', 'host.name', 'system.memory.usage')],
  lines: [
    {
      h: 4,
      panels: [
        number('Hosts', `metric system.memory.usage | where ${host} | stats hosts=count_distinct(host.name)`),
        number(
          'Cores in use',
          `metric system.cpu.time | where ${host} and ${mode} != "idle" | rate | stats cores=sum(value)`,
        ),
        number(
          'Memory in use',
          `metric system.memory.usage | where ${host} and ${memoryState} == "used" | latest 5m | stats used=sum(value)`,
          { unit: 'By' },
        ),
      ],
    },
    {
      h: 8,
      panels: [
        chart(
          'Cores in use',
          `metric system.cpu.time | where ${host} and ${mode} != "idle" | rate | sum by host.name, bucket(auto)`,
        ),
        chart(
          'Processor time by mode',
          `metric system.cpu.time | where ${host} | rate | sum by ${mode}, bucket(auto)`,
          { stacked: true },
        ),
      ],
    },
    {
      h: 8,
      panels: [
        chart(
          'Memory in use',
          `metric system.memory.usage | where ${host} and ${memoryState} == "used" | latest 5m | sum by host.name, bucket(auto)`,
          { unit: 'By' },
        ),
        chart(
          'Load, 1 minute',
          `metric \`system.cpu.load_average.1m\` | where ${host} | avg by host.name, bucket(auto)`,
        ),
      ],
    },
    {
      h: 8,
      panels: [
        chart(
          'Disk',
          `metric system.disk.io | where ${host} | rate | sum by host.name, ${diskDirection}, bucket(auto)`,
          { unit: 'By/s' },
        ),
        chart(
          'Network',
          `metric system.network.io | where ${host} | rate | sum by host.name, ${networkDirection}, bucket(auto)`,
          { unit: 'By/s' },
        ),
      ],
    },
    {
      h: 8,
      panels: [
        table(
          'Filesystems',
          `metric system.filesystem.usage | where ${host} | latest 5m | stats used=sum_if(value, ${filesystemState} == "used"), size=sum(value) by host.name, mountpoint=coalesce(attr.system.filesystem.mountpoint, attr.mountpoint) | extend share = used / size | sort -share`,
        ),
      ],
    },
  ],
});
