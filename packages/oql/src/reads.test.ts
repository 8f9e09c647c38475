import { describe, expect, it } from 'vitest';
import { readsOf } from './reads.ts';

describe('readsOf', () => {
  it.each([
    ['spans | stats value=count() by service.name', ['traces'], [], false],
    ['spans | where service.name == "a" and name in ("b", "c") | stats value=count() by name', ['traces'], [], false],
    ['spans | where status == error | stats value=count() by service.name', ['traces'], [], true],
    ['spans | stats value=count() by name | where value > 5', ['traces'], [], true],
    ['spans | stats value=count() by name | top 3 by value', ['traces'], [], true],
    ['metric a.b | where host == "x" | stats value=avg(value) by host', ['metrics'], ['a.b'], false],
    ['metric a.b | latest 5m | stats value=max(value) by host', ['metrics'], ['a.b'], true],
    [
      'logs | stats value=count() by host | join (metric b | stats m=max(value) by host) on host',
      ['logs', 'metrics'],
      ['b'],
      true,
    ],
    ['flags "checkout" | stats value=count() by variant', ['evaluations', 'logs'], [], false],
  ])('%s', (text, signals, metrics, dropsRows) => {
    const reads = readsOf(text);
    expect([...(reads?.signals ?? [])].sort()).toEqual(signals);
    expect(reads).toMatchObject({ metrics, patterns: [], dropsRows });
  });
});
