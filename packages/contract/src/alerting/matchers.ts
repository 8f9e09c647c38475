import { z } from 'zod';
import { OneLine } from '../primitives.ts';
import { LabelValue } from './primitives.ts';

const operators = ['=', '!=', '=~', '!~'] as const;

/** Patterns are RE2 and match the whole value. A label that an alert does not have is empty. */
export const MatcherObject = z.strictObject({
  name: OneLine(128).min(1),
  op: z.enum(operators),
  value: LabelValue,
});
export const MatcherInput = z.union(
  [MatcherObject, z.string().min(1).max(2_400).meta({ description: 'in Alertmanager\'s form, such as `team=~"a|b"`' })],
  { error: 'a matcher has a name, an op (= != =~ !~) and a value, or is a text such as team="a"' },
);
/** At most 20 matchers, all of which must hold. */
export const Matchers = z
  .array(MatcherInput)
  .max(20)
  .meta({ description: 'all must hold', examples: [[{ name: 'service.name', op: '=', value: 'checkout' }]] });
/** As stored: texts are taken apart. */
export const Matcher = z.object({ name: z.string(), op: z.enum(operators), value: z.string() });
export const MatchersOutput = z.array(Matcher);
