import { loaded } from '../../testing/prometheus/notation.ts';

const host = (instance: string, more: Readonly<Record<string, string>> = {}) => ({ job: 'node', instance, ...more });
const disk = (instance: string, device: string, more: Readonly<Record<string, string>> = {}) =>
  host(instance, { device, fstype: 'ext4', mountpoint: `/${device}`, ...more });

/** A point each minute, over 50 minutes. */
const gauge = (name: string, labels: Readonly<Record<string, string>>, notation: string) =>
  loaded('gauge', name, labels, notation, 60);
const counter = (name: string, labels: Readonly<Record<string, string>>, notation: string) =>
  loaded('sum', name, labels, notation, 60);

/** What the rules of the mixin read, with hosts that are well and hosts that are not. */
export const SERIES = [
  gauge('up', host('a'), '1x50'),
  gauge('up', host('b'), '1x20 0x29'),
  gauge('up', { job: 'other', instance: 'c' }, '0x50'),
  // Ends: the look-back is five minutes.
  gauge('up', host('gone'), '1x30'),
  gauge('up', host('just'), '1x46'),
  gauge('node_filesystem_avail_bytes', disk('a', 'sda'), '1000-15x50'),
  gauge('node_filesystem_avail_bytes', disk('a', 'sdb'), '900x50'),
  gauge('node_filesystem_avail_bytes', disk('b', 'sda'), '30x50'),
  gauge('node_filesystem_avail_bytes', disk('b', 'sdc', { fstype: '' }), '1x50'),
  gauge('node_filesystem_avail_bytes', disk('b', 'sdd'), '500x50'),
  gauge('node_filesystem_size_bytes', disk('a', 'sda'), '1000x50'),
  gauge('node_filesystem_size_bytes', disk('a', 'sdb'), '1000x50'),
  gauge('node_filesystem_size_bytes', disk('b', 'sda'), '1000x50'),
  gauge('node_filesystem_size_bytes', disk('b', 'sdd'), '0x50'),
  gauge('node_filesystem_readonly', disk('a', 'sda'), '0x50'),
  gauge('node_filesystem_readonly', disk('a', 'sdb'), '0x50'),
  gauge('node_filesystem_readonly', disk('b', 'sda'), '1x50'),
  gauge('node_filesystem_readonly', disk('b', 'sdd'), '0x50'),
  counter('node_network_receive_errs_total', host('a', { device: 'eth0' }), '0+3x50'),
  counter('node_network_receive_errs_total', host('b', { device: 'eth0' }), '0x50'),
  counter('node_network_receive_errs_total', host('b', { device: 'eth1' }), '5+2x20 0+2x29'),
  counter('node_network_receive_packets_total', host('a', { device: 'eth0' }), '0+100x50'),
  counter('node_network_receive_packets_total', host('b', { device: 'eth0' }), '7x50'),
  counter('node_network_receive_packets_total', host('b', { device: 'eth1' }), '0x50'),
  ...['0', '1'].flatMap((cpu) => [
    counter('node_cpu_seconds_total', host('a', { cpu, mode: 'idle' }), '0+3x50'),
    counter('node_cpu_seconds_total', host('a', { cpu, mode: 'user' }), '0+56x50'),
    counter('node_cpu_seconds_total', host('a', { cpu, mode: 'system' }), '0+1x50'),
    counter('node_cpu_seconds_total', host('b', { cpu, mode: 'idle' }), '0+60x50'),
    counter('node_cpu_seconds_total', host('b', { cpu, mode: 'user' }), '0+0x50'),
  ]),
  gauge('node_load1', host('a'), '9x50'),
  gauge('node_load1', host('b'), '1x50'),
  gauge('node_md_disks_required', host('a', { device: 'md0' }), '2x50'),
  gauge('node_md_disks_required', host('b', { device: 'md0' }), '2x50'),
  gauge('node_md_disks', host('a', { device: 'md0', state: 'active' }), '1x50'),
  gauge('node_md_disks', host('b', { device: 'md0', state: 'active' }), '2x50'),
  gauge('node_md_disks', host('a', { device: 'md0', state: 'failed' }), '1x50'),
  gauge('node_timex_offset_seconds', host('a'), '0.1+0.001x50'),
  gauge('node_timex_offset_seconds', host('b'), '-0.1-0.001x50'),
  gauge('node_timex_offset_seconds', host('c'), '0.2-0.001x50'),
  gauge('node_timex_sync_status', host('a'), '0x50'),
  gauge('node_timex_sync_status', host('b'), '0x48 1 0'),
  gauge('node_timex_maxerror_seconds', host('a'), '17x50'),
  gauge('node_timex_maxerror_seconds', host('b'), '17x50'),
  gauge('node_uname_info', host('a', { nodename: 'alpha', release: '6' }), '1x50'),
  gauge('node_uname_info', host('b', { nodename: 'beta', release: '5' }), '1x50'),
  gauge('temperature', { kind: 'cpu', sensor: 'x' }, '-5.5+0.25x50'),
  gauge('temperature', { kind: 'disk', sensor: 'y' }, 'NaNx50'),
  gauge('temperature', { kind: 'disk', sensor: 'z' }, '2.5x50'),
  ...Object.entries({ '0.1': '0+10x50', '0.5': '0+25x50', '1': '0+29x50', '+Inf': '0+30x50' }).flatMap(
    ([le, counts]) => [
      counter('http_duration_seconds_bucket', { route: '/', pod: 'p1', le }, counts),
      counter('http_duration_seconds_bucket', { route: '/', pod: 'p2', le }, counts),
      counter('http_duration_seconds_bucket', { route: '/slow', pod: 'p1', le }, le === '0.1' ? '0x50' : counts),
    ],
  ),
];

/** All labels of the series. */
export const LABELS = [...new Set(SERIES.flatMap(({ attributes }) => Object.keys(attributes ?? {})))].sort();
