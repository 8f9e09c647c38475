import { contextLimits } from '@fanion/contract';
import { renderedOutcomes } from '@fanion/flag-engine';
import { fail } from '../../../platform/fail.ts';
import { contextOf, fingerprint, type Rulesets, sendTagged, servedTo } from '../evaluation/index.ts';
import type { Asked } from './backend.ts';
import { contextInQuery, toggleOf, unleashContext } from './frontend-rules.ts';

/** Answers Unleash's frontend SDKs, which evaluate nothing: they read the enabled flags of one context. */
export function createFrontend(rulesets: Rulesets) {
  async function answer(
    { caller, request, reply }: Asked,
    sent: Readonly<Record<string, unknown>>,
  ): Promise<undefined> {
    const context = unleashContext({ ...sent, remoteAddress: sent.remoteAddress || request.ip });
    const toggles = toggleTexts(await servedTo(rulesets, caller), context).filter((text) => text !== '');
    const text = `{"toggles":[${toggles.join(',')}]}`;
    // Of the answer, since it also depends on the client's address and the time.
    const tag = `"${fingerprint(Buffer.from(text))}"`;
    return sendTagged({ request, reply }, tag, () => text);
  }

  return {
    ofQuery: (asked: Asked) =>
      answer(asked, contextInQuery(new URL(asked.request.url, 'http://localhost').searchParams)),
    async ofBody(asked: Asked, body: unknown): Promise<undefined> {
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
  return toggle === undefined ? '' : JSON.stringify(toggle);
});
