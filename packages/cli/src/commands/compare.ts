import { connectionOptions } from '../files/connection-options.ts';
import type { Command } from './command.ts';

export const compareCommand: Command = {
  name: 'compare',
  operands: '[FILE]',
  summary: "compare another product's answers with those of Fanion for recorded contexts",
  example: 'fanion compare --from launchdarkly --contexts contexts.jsonl flags.json',
  options: {
    from: { type: 'string', value: 'PRODUCT', help: 'launchdarkly, unleash, growthbook or flagd' },
    contexts: {
      type: 'string',
      value: 'FILE',
      help: 'recorded contexts, with or without answers, a JSON object in each line',
    },
    'sdk-key': { type: 'string', value: 'svc_sdk_…', help: 'of the environment to compare with; FANION_SDK_KEY' },
    endpoint: connectionOptions.endpoint,
    ignore: { type: 'string', value: 'A,B', repeats: true, help: 'flags to leave out' },
    json: { type: 'boolean', help: 'print each difference as a line of JSON' },
  },
  notes: `FILE is what the SDKs of the product load (LaunchDarkly: the data of its SDKs; Unleash: the features of its client API; GrowthBook:
the payload; flagd: the definitions). The SDK of the product evaluates it, which must be installed in this folder. Without FILE, the
recorded answers are compared.

Exit codes: 0 no difference; 1 differences, or a failure; 2 a mistake in the call`,
  async run(call, terminal) {
    const { compare } = await import('../compare/compare.ts');
    return compare(call, terminal);
  },
};
