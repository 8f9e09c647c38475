import { describe, expect, it } from 'vitest';
import { causeText, foldedText, ratesText, runningText } from './why-words.ts';

describe('words for causes', () => {
  it('names causes', () => {
    const pair = [
      { field: 'region', value: 'eu' },
      { field: 'version', value: '2' },
    ];
    expect(causeText({ kind: 'attribute', values: pair })).toBe('region = eu and version = 2');
    expect(causeText({ kind: 'flag', flag: 'image-cdn', variant: 'true' })).toBe('image-cdn = true');
    expect(causeText({ kind: 'deploy', service: 'cart', version: '3' })).toBe('cart 3');
    expect(causeText({ kind: 'error', name: 'Timeout' })).toBe('Timeout');
  });

  it('says what runs on a flag', () => {
    const id = '019346e2-8b7a-7c4e-9d3f-5a6b7c8d9e0f';
    expect(runningText([])).toBeNull();
    expect(
      runningText([
        { kind: 'experiment', id, name: 'Hint', environment: 'production' },
        { kind: 'ramp', id, name: 'Ramp', environment: 'staging' },
      ]),
    ).toBe('Turning it off disturbs the experiment “Hint” in production and a ramp in staging.');
  });

  it('groups fields by why they cannot be a cause', () => {
    expect(
      foldedText([
        { name: 'a', because: 'outcome' },
        { name: 'b', because: 'nearly_unique' },
        { name: 'c', because: 'outcome' },
      ]),
    ).toEqual(['a, c: it describes how the operation ended', 'b: too few traces share a value']);
  });

  it('gives the rates with the interval', () => {
    expect(
      ratesText({ rates: { exposed: 0.12, others: 0.01 }, effect: { value: 0.11, low: 0.0823, high: 0.141 } }),
    ).toBe('12% of its traces, 1% of those it is compared with (95% interval of the difference: 8.2 to 14 points)');
  });
});
