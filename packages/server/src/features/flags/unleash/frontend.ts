import { contextLimits } from '@fanion/contract';
import { renderedOutcomes } from '@fanion/flag-engine';
import type { PlainQuestion } from '../../../http/context.ts';
import { fail } from '../../../platform/fail.ts';
import { contextOf, joined, type Rulesets, stateOf, taggedAnswer, viewFor, whenHeld } from '../evaluation/index.ts';
import { contextInQuery, toggleOf, unleashContext } from './frontend-rules.ts';

type Asked = Pick<PlainQuestion, 'caller' | 'url' | 'headers' | 'ip'>;

/** Answers Unleash's frontend SDKs, which evaluate nothing: they read the enabled flags of one context. */
export function createFrontend(rulesets: Rulesets) {
  function answer({ caller, headers, ip }: Asked, sent: Readonly<Record<string, unknown>>) {
    const context = unleashContext({ ...sent, remoteAddress: sent.remoteAddress || ip() });
    return whenHeld(rulesets, caller, ({ compiled }) =>
      taggedAnswer(headers, `"${stateOf(caller, compiled, JSON.stringify(context))}"`, () => {
        const toggles = toggleTexts(viewFor(caller, compiled), context).filter(({ length }) => length > 0);
        return joined('{"toggles":[', toggles, ']}');
      }),
    );
  }

  return {
    ofQuery(asked: Asked) {
      const at = asked.url.indexOf('?');
      return answer(asked, contextInQuery(new URLSearchParams(at < 0 ? '' : asked.url.slice(at))));
    },
    ofBody(asked: Asked, body: unknown) {
      const read = contextOf(body, contextLimits[asked.caller.keyKind]);
      if ('problem' in read) throw fail('INVALID_INPUT', { reason: read.problem.message });
      return answer(asked, read.context);
    },
  };
}

/** Empty: the flag is absent. */
const toggleTexts = renderedOutcomes(({ evaluation }, { source }) => {
  // A malformed flag has an error, and no kind.
  const toggle = evaluation.error === undefined ? toggleOf(evaluation, source.kind) : undefined;
  return Buffer.from(toggle === undefined ? '' : JSON.stringify(toggle));
});
