import type { What } from './answer.ts';
import { foldedBecause, isConsequence } from './fold-rules.ts';
import type { Change, Column, WhyInput } from './input.ts';
import { type Periods, timeOdds } from './onset-rules.ts';

/** Something by which items differ; each of its values is a candidate. */
export interface Source {
  readonly kind: 'attribute' | 'flag' | 'deploy' | 'novelty' | 'both';
  readonly column: Column;
  /** Whether a value is compared with all other items, or only with those that have another value (flags, deploys). */
  readonly within: 'all' | 'present';
  /** The values that may be suspects; undefined: all. */
  readonly only: number | undefined;
  readonly change: Change | undefined;
  readonly whatOf: (code: number) => What;
}

const versionFields = ['resource.service.version', 'service.version'];
const serviceFields = ['service.name', 'resource.service.name'];

/** All sources of candidates, and the fields that are none. */
export function sourcesOf(input: WhyInput, periods: Periods) {
  const folded = input.attributes.flatMap((column) => {
    const because = foldedBecause(column, input);
    return because === undefined ? [] : [{ name: column.name, because }];
  });
  const isFolded = new Set(folded.map(({ name }) => name));
  const novelties = input.novelties.map((novelty) => ({ novelty, source: ofNovelty(novelty) }));
  const consequences = novelties.filter(({ novelty }) => {
    const present = novelty.present.reduce((sum, one) => sum + one, 0);
    const selected = novelty.present.reduce((sum, one, i) => sum + (one === 1 ? (input.items.selected[i] ?? 0) : 0), 0);
    return isConsequence(selected, present, input.items);
  });
  const sources: Source[] = [
    ...input.attributes.filter(({ name }) => !isFolded.has(name)).map(ofAttribute),
    ...input.flags.map((column) => ofFlag(column, leading(column.name, input.changes, periods))),
    ...input.changes.flatMap((change) => (change.kind === 'deploy' ? [ofDeploy(change, input)] : [])),
    ...novelties.filter((one) => !consequences.includes(one)).map(({ source }) => source),
  ];
  return { sources, folded, signs: novelties.map(({ source }) => source) };
}

function ofAttribute(column: Column): Source {
  const whatOf = (code: number): What => ({
    kind: 'attribute',
    values: [{ field: column.name, value: column.values[code] ?? '' }],
  });
  return { kind: 'attribute', column, within: 'all', only: undefined, change: undefined, whatOf };
}

function ofFlag(column: Column, change: Change | undefined): Source {
  const whatOf = (code: number): What => ({ kind: 'flag', flag: column.name, variant: column.values[code] ?? '' });
  return { kind: 'flag', column, within: 'present', only: undefined, change, whatOf };
}

/** The change of a flag that speaks most for it: the one just before the onset. */
function leading(flag: string, changes: readonly Change[], periods: Periods): Change | undefined {
  const of = changes.filter(
    (change) => change.kind === 'flag' && change.flag === flag && change.atMs <= periods.latestMs,
  );
  return of.sort((a, b) => timeOdds(b.atMs, periods) - timeOdds(a.atMs, periods) || b.atMs - a.atMs)[0];
}

/** Items of the service: those of the version, or all since the deploy if no item tells its version, against the others. */
function ofDeploy(change: Change & { kind: 'deploy' }, { items, attributes }: WhyInput): Source {
  const find = (names: readonly string[], value: string) => {
    const column = attributes.find(({ name, values }) => names.includes(name) && values.includes(value));
    return column && { codes: column.codes, code: column.values.indexOf(value) };
  };
  const service = find(serviceFields, change.service);
  const version = find(versionFields, change.version);
  const codes = new Int32Array(items.count);
  for (let i = 0; i < items.count; i += 1) {
    const isService = service === undefined || service.codes[i] === service.code;
    const isVersion = version === undefined ? (items.timeMs[i] ?? 0) >= change.atMs : version.codes[i] === version.code;
    codes[i] = isService ? (isVersion ? 0 : 1) : -1;
  }
  return {
    kind: 'deploy',
    column: { name: change.service, values: [change.version, ''], codes },
    within: 'present',
    only: 0,
    change,
    whatOf: () => ({ kind: 'deploy', service: change.service, version: change.version }),
  };
}

function ofNovelty({ kind, name, ids, present }: WhyInput['novelties'][number]): Source {
  const codes = Int32Array.from(present, (one) => one - 1);
  const column = { name, values: [name], codes };
  return { kind: 'novelty', column, within: 'all', only: 0, change: undefined, whatOf: () => ({ kind, name, ids }) };
}
