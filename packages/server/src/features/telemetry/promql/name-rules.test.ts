import { describe, expect, it } from 'vitest';
import { type Family, labelName, namesOf, sentNamesOf, translatedName, unescapeName } from './name-rules.ts';

const family = (metric: string, unit: string, kind: Family['kind'], more: Partial<Family> = {}): Family => ({
  ...{ metric, unit, kind, isMonotonic: kind === 'sum', isDelta: false, isWritten: false, isGauge: false },
  ...more,
});

describe('the name of a metric', () => {
  it.each([
    ['http.server.requests', '1', 'sum', 'http_server_requests_total'],
    ['http.server.request.duration', 's', 'histogram', 'http_server_request_duration_seconds'],
    ['system.disk.io', 'By', 'sum', 'system_disk_io_bytes_total'],
    ['system.memory.utilization', '1', 'gauge', 'system_memory_utilization_ratio'],
    ['cpu.ratio.user', '1', 'gauge', 'cpu_user_ratio'],
    ['network.speed', 'By/s', 'gauge', 'network_speed_bytes_per_second'],
    ['queue.length', '{messages}', 'gauge', 'queue_length'],
    ['calls', '{call}/s', 'gauge', 'calls_per_second'],
    ['total.requests', '1', 'sum', 'requests_total'],
    ['wait_seconds', 's', 'gauge', 'wait_seconds'],
    ['odd..name__x', '', 'gauge', 'odd_name_x'],
    ['2xx.rate', '', 'gauge', '_2xx_rate'],
    ['weight', 'stone', 'gauge', 'weight_stone'],
    ['constructor', 'constructor', 'gauge', 'constructor'],
    ['job:requests:rate5m', '', 'gauge', 'job:requests:rate5m'],
  ] as const)('%s in %s as a %s is %s', (metric, unit, kind, name) => {
    expect(translatedName(family(metric, unit, kind))).toBe(name);
  });
  it('has no suffix for a sum that can fall', () => {
    expect(translatedName(family('pool.size', '', 'sum', { isMonotonic: false }))).toBe('pool_size');
  });
  it('is that of each part of a histogram or summary', () => {
    const names = (one: Family) => namesOf(one).map(({ name }) => name);
    expect(names(family('d', 's', 'histogram'))).toEqual(['d_seconds_bucket', 'd_seconds_sum', 'd_seconds_count']);
    expect(names(family('d', 's', 'summary'))).toEqual(['d_seconds', 'd_seconds_sum', 'd_seconds_count']);
    expect(names(family('d', 's', 'exponential_histogram'))).toEqual(['d_seconds']);
    expect(sentNamesOf(family('d.x', 's', 'histogram')).map(({ name }) => name)).toEqual([
      'd.x_bucket',
      'd.x_sum',
      'd.x_count',
    ]);
  });
  it('is unchanged for what was written as Prometheus', () => {
    const written = { isWritten: true };
    expect(namesOf(family('http_requests', 'seconds', 'sum', written))).toEqual([
      { name: 'http_requests', component: 'value' },
    ]);
    expect(namesOf(family('custom_buckets', '', 'histogram', written))).toEqual([
      { name: 'custom_buckets', component: 'native' },
    ]);
  });
});

it.each([
  ['http.route', 'http_route'],
  ['1st', 'key_1st'],
  ['größe', 'gr__e'],
  ['__proto__', '__proto__'],
  ['a😀b', 'a_b'],
])('the label of %s is %s', (key, label) => {
  expect(labelName(key)).toBe(label);
});

it.each([
  ['job', 'job'],
  ['U__http_2e_route', 'http.route'],
  ['U__a__b', 'a_b'],
  ['U__service_2e_name', 'service.name'],
  ['U___1f600_', '😀'],
  ['U__broken_2', 'U__broken_2'],
  ['U__too_ffffff_large', 'U__too_ffffff_large'],
])('the escaped name %s is %s', (escaped, name) => {
  expect(unescapeName(escaped)).toBe(name);
});
