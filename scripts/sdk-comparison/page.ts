import type { Sdk } from './sdks.ts';

export interface Result {
  readonly sdk: Pick<Sdk, 'name' | 'language' | 'version' | 'product' | 'polls'>;
  readonly contexts: number;
  readonly evaluations: number;
  /** Evaluations of flags that `compatibility` lists, for which the SDK must return the caller's default. */
  readonly listed: number;
  readonly differences: number;
  readonly examples: readonly object[];
  /** Changes that arrived, and how long the slowest took. */
  readonly arrived?: number;
  readonly slowestMs?: number;
}

const thousands = (count: number) => count.toLocaleString('en-US');

export function pageOf(results: readonly Result[], seed: number): string {
  const rows = results.map(({ sdk, contexts, evaluations, listed, differences, arrived, slowestMs }) => {
    const changes = arrived === undefined ? '' : sdk.polls ? `${arrived}, polled` : `${arrived}, ${slowestMs} ms`;
    const cells = [
      sdk.name,
      sdk.language,
      sdk.version,
      thousands(contexts),
      thousands(evaluations),
      thousands(differences),
    ];
    return `| ${[...cells, thousands(listed), changes].join(' | ')} |`;
  });
  return `# SDKs of other products

What published SDKs of other products return, unchanged but for their address and key, compared with the engine that answers OFREP, for the same contexts
(seed ${seed}), and OFREP with the engine. Each product has 200 flags: 145 in its own format, through \`fanion import\`, and 55 of Fanion, with every operator of
both. Contexts lack some attributes, and have some of other types. SDKs that send a request for each context or flag evaluate fewer contexts.

Flags that \`compatibility\` lists must be absent for SDKs that evaluate in their process: the column counts these evaluations, in which the SDK returned the
caller's default, in at most 1,000 contexts. The last column has the changes of a flag that arrived, and the slowest, from the request that
made it until the SDK returned the new value. Where the machine has other work, these times are upper bounds. \`scripts/sdk-comparison\` prints this page.

| SDK | language | version | contexts | evaluations | differences | listed by \`compatibility\` | changes |
| --- | --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}

For Unleash, every attribute is text, as its SDKs send it, and contexts have a user; [flags.md](guides/flags.md#keep-unleashs-sdks) describes contexts that Unleash evaluates in
its own way. Each difference of the SDK for Go is such a context: it lacks an attribute of which a number or a version is compared and negated. flagd's providers for Python and Java divide units [otherwise than flagd](guides/flags.md#keep-flagds-providers) when they evaluate in their process, so they must return
the default for flags with percentages: the column counts these too.
`;
}
