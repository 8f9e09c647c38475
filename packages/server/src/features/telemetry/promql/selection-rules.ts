import type { LabelMatcher } from '@fanion/promql';
import { type Component, type Family, namesOf, sentNamesOf } from './name-rules.ts';

/** The matchers of a selector, by where they are applied. */
export interface Selection {
  /** On `__name__`. */
  readonly names: readonly LabelMatcher[];
  /** On labels that the store knows. */
  readonly labels: readonly LabelMatcher[];
  /** On the labels of parts of histograms and summaries, which are not stored. */
  readonly parts: readonly LabelMatcher[];
}

const partLabels = ['le', 'quantile'];

export function selectionOf(matchers: readonly LabelMatcher[]): Selection {
  const isPart = ({ name }: LabelMatcher) => partLabels.includes(name);
  return {
    names: matchers.filter(({ name }) => name === '__name__'),
    labels: matchers.filter((one) => one.name !== '__name__' && !isPart(one)),
    parts: matchers.filter(isPart),
  };
}

export function isRegex({ op }: LabelMatcher): boolean {
  return op === '=~' || op === '!~';
}

/** Whether a text matches. @param matching the texts that the matcher's regex matches */
export function accepts({ op, value }: LabelMatcher, text: string, matching: ReadonlySet<string>): boolean {
  switch (op) {
    case '=':
      return text === value;
    case '!=':
      return text !== value;
    case '=~':
      return matching.has(text);
    case '!~':
      return !matching.has(text);
  }
}

/** The name that a selector asks for, if it names one. */
export function exactName({ names }: Pick<Selection, 'names'>): string | undefined {
  return names.find(({ op }) => op === '=')?.value;
}

/** A part of a family's series, with the name that it has in an answer. */
export interface Named {
  readonly name: string;
  readonly component: Component;
}

/**
 * What a selector may mean by its name: translated names, and where it asks for one name, also names as they were sent
 * (`{"http.server.duration"}`).
 */
export function candidatesOf(family: Family, exact: string | undefined): Named[] {
  const translated = namesOf(family);
  if (exact === undefined) return translated;
  const known = new Set(translated.map(({ name }) => name));
  return [...translated, ...sentNamesOf(family).filter(({ name }) => name === exact && !known.has(name))];
}

/** Distinguishes families. */
export function familyKey({ metric, kind, isDelta, isMonotonic, unit, isWritten, isGauge }: Family): string {
  return JSON.stringify([metric, kind, isDelta, isMonotonic, unit, isWritten, isGauge]);
}
