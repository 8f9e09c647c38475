import { describe, expect, it } from 'vitest';
import { storableMs } from '../../../features/telemetry/promql/index.ts';
import { parametersOf } from '../../read/request.ts';
import { durationOf, limitOf, rangeOf, timeOf, windowOf } from './parameter-rules.ts';

const given = (text: string) => parametersOf(Object.fromEntries(new URLSearchParams(text)), undefined);

describe('parameters', () => {
  it('come from the form before the address', () => {
    const both = parametersOf(
      { query: 'b', 'match[]': ['x', 'y'], limit: '' },
      new URLSearchParams('query=a&match[]=z'),
    );
    expect([both.one('query'), both.all('match[]'), both.one('limit')]).toEqual(['a', ['z', 'x', 'y'], undefined]);
  });
  it.each([
    ['4', 4_000],
    ['1435781430.781', 1_435_781_430_781],
    ['1.4357814e9', 1_435_781_400_000],
    ['-1.5', -1_500],
    ['2015-07-01T20:10:51.781Z', 1_435_781_451_781],
    ['2015-07-01T20:10:51+02:00', 1_435_774_251_000],
  ])('read the time %s', (text, ms) => {
    expect(timeOf('time', text)).toBe(ms);
  });
  it.each(['', 'now', '2015-07-01', '1h', '0x10', 'Infinity'])('reject the time "%s"', (text) => {
    expect(() => timeOf('time', text)).toThrow(`invalid parameter "time": cannot parse "${text}" to a valid timestamp`);
  });
  it('read milliseconds in place of seconds as a time after all telemetry', () => {
    expect(storableMs(timeOf('start', '1795426200000'))).toBe(4_294_967_295_000);
  });
  it.each([
    ['15', 15_000],
    ['0.5', 500],
    ['1h30m', 5_400_000],
    ['250ms', 250],
    ['1y2w', 31_536_000_000 + 1_209_600_000],
  ])('read the duration %s', (text, ms) => {
    expect(durationOf('step', text)).toBe(ms);
  });
  it.each(['', 'm', '1m1h', '1 h', '5x'])('reject the duration "%s"', (text) => {
    expect(() => durationOf('step', text)).toThrow('invalid parameter "step"');
  });
  it('take a limit of zero as none', () => {
    expect([limitOf(given('limit=0')), limitOf(given('limit=7')), limitOf(given(''))]).toEqual([
      undefined,
      7,
      undefined,
    ]);
    expect(() => limitOf(given('limit=-1'))).toThrow('invalid parameter "limit"');
  });
});

describe('a range', () => {
  it('has inclusive ends', () => {
    expect(rangeOf(given('start=10&end=20&step=10'), 2)).toEqual({ start: 10_000, end: 20_000, step: 10_000 });
  });
  it.each([
    ['start=20&end=10&step=1', 'invalid parameter "end": end timestamp must not be before start time'],
    ['start=10&end=20&step=0', 'invalid parameter "step": zero or negative query resolution step widths'],
    ['start=10&end=20', 'invalid parameter "step"'],
    ['end=20&step=1', 'invalid parameter "start"'],
    ['start=10&end=20&step=1', 'exceeded maximum resolution of 2 points per timeseries'],
  ])('rejects %s', (text, message) => {
    expect(() => rangeOf(given(text), 2)).toThrow(message);
  });
  it('of a list is half a day by default', () => {
    expect(windowOf(given(''), 50_000_000)).toEqual({ start: 6_800_000, end: 50_000_000 });
  });
});
