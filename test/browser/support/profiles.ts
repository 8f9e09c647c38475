import { type SignedUp, stored } from '../../../packages/server/src/testing/test-client.ts';
import { sendOtlp } from './otlp.ts';

/** Samples of three stacks: 150 ms in parse, 30 ms in render, 20 ms in gc; 90 minutes ago 400 ms in render. */
export async function sendProfiles(user: SignedUp): Promise<void> {
  const strings = ['', 'cpu', 'nanoseconds', 'main', 'serve', 'parse', 'render', 'gc'];
  const functionOf = (name: string) => strings.indexOf(name) - 2;
  // A stack begins with the innermost call.
  const stacks = [
    ['parse', 'serve', 'main'],
    ['render', 'serve', 'main'],
    ['gc', 'main'],
  ];
  const functions = strings.slice(3);
  const dictionary = {
    stringTable: strings,
    functionTable: [{}, ...functions.map((name) => ({ nameStrindex: strings.indexOf(name) }))],
    locationTable: [{}, ...functions.map((name) => ({ lines: [{ functionIndex: functionOf(name), line: 1 }] }))],
    stackTable: [{}, ...stacks.map((names) => ({ locationIndices: names.map(functionOf) }))],
  };
  const now = Date.now();
  const profile = (stackIndex: number, minutes: number, milliseconds: number) => ({
    sampleType: { typeStrindex: 1, unitStrindex: 2 },
    timeUnixNano: `${now - minutes * 60_000}000000`,
    durationNano: '1000000000',
    samples: [{ stackIndex, values: [String(milliseconds * 1_000_000)] }],
  });
  const profiles = [profile(1, 10, 150), profile(2, 20, 30), profile(3, 30, 20), profile(2, 90, 400)];
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'cart' } }] };
  const resourceProfiles = [{ resource, scopeProfiles: [{ profiles }] }];
  await sendOtlp(user, '/v1development/profiles', { resourceProfiles, dictionary });
  await stored(user.base);
}
