import { validateTargeting } from '@fanion/flag-engine';
import { type Draft, toBody } from './draft.ts';

export interface TargetingIssue {
  /** As in the body: `rules.0.clauses.1.values`. */
  path: string;
  message: string;
  /** The place in words: `Rule 1, condition 2`. */
  where: string;
}

/** What the server would reject by the engine's rules. Only the server checks which segments exist. */
export function targetingIssues(flag: { variants: readonly { key: string }[] }, draft: Draft): TargetingIssue[] {
  const { enabled, off_variant, fallthrough, targets = [], rules = [] } = toBody(draft, 0);
  const issues = validateTargeting(
    { variants: flag.variants.map(({ key }) => ({ key, value: null })) },
    {
      enabled,
      off_variant,
      fallthrough,
      targets,
      rules: rules.map((rule) => ({
        ...rule,
        clauses: rule.clauses.map((clause) => ({ ...clause, values: clause.values ?? [] })),
      })),
    },
    { segments: { has: () => true } },
  );
  return issues.map(({ path, message }) => ({ path, message, where: placeOf(path) }));
}

/** `rules.0.clauses.1.values.2` → `Rule 1, condition 2`. */
export function placeOf(path: string): string {
  const [area = '', index = '', part, partIndex = ''] = path.split('.');
  const number = Number(index) + 1;
  switch (area) {
    case 'rules':
      if (index === '') return 'Rules';
      return part === 'clauses' && partIndex !== ''
        ? `Rule ${number}, condition ${Number(partIndex) + 1}`
        : `Rule ${number}`;
    case 'targets':
      return 'Individual targets';
    case 'fallthrough':
      return 'Everybody else';
    case 'off_variant':
      return 'While off';
    default:
      return 'Targeting';
  }
}
