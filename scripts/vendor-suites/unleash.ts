import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toggleOf, unleashContext } from '../../packages/server/src/features/flags/unleash/frontend-rules.ts';
import { importOf, type Outcome, outcome } from './suite.ts';

interface Specification {
  readonly name: string;
  readonly state: Configuration & { readonly events?: readonly DeltaEvent[] };
  readonly tests?: readonly Test[];
  readonly variantTests?: readonly Test[];
}
interface Configuration {
  readonly features?: readonly { readonly name: string }[];
  readonly segments?: readonly { readonly id: number }[];
}
type DeltaEvent =
  | ({ readonly type: 'hydration' } & Configuration)
  | { readonly type: 'feature-updated'; readonly feature: { readonly name: string } }
  | { readonly type: 'feature-removed'; readonly featureName: string }
  | { readonly type: 'segment-updated'; readonly segment: { readonly id: number } }
  | { readonly type: 'segment-removed'; readonly segmentId: number };
interface Test {
  readonly description: string;
  readonly context: Record<string, unknown>;
  readonly toggleName: string;
  readonly expectedResult: unknown;
}

/** `specifications/*.json` of Unleash's client-specification (Apache-2.0). */
export function unleashOutcomes(folder: string): Outcome[] {
  return readdirSync(folder)
    .filter((name) => /^\d.*\.json$/.test(name))
    .flatMap((name) => outcomesOf(JSON.parse(readFileSync(join(folder, name), 'utf8'))));
}

function outcomesOf({ name, state, tests = [], variantTests = [] }: Specification): Outcome[] {
  const imported = importOf('unleash', { version: 2, ...(state.events?.reduce(after, {}) ?? state) });
  const toggle = ({ toggleName, context }: Test) => {
    const evaluation = imported.evaluate(toggleName, unleashContext(context));
    const kind =
      typeof evaluation.value === 'boolean' ? 'boolean' : typeof evaluation.value === 'string' ? 'string' : 'json';
    return toggleOf(evaluation, kind);
  };
  return [
    ...tests.map((test) =>
      outcome(
        `${name}: ${test.description}`,
        test.expectedResult,
        toggle(test)?.enabled ?? false,
        imported.notesOf(test.toggleName),
      ),
    ),
    ...variantTests.map((test) => {
      const { variant } = toggle(test) ?? {};
      const expected = test.expectedResult as { name: string; enabled: boolean; payload?: { value: string } };
      return outcome(
        `${name}: ${test.description}`,
        [expected.name, expected.enabled],
        [variant?.name ?? 'disabled', variant?.enabled ?? false],
        imported.notesOf(test.toggleName),
      );
    }),
  ];
}

/** The configuration after an event of the delta API. */
function after({ features = [], segments = [] }: Configuration, event: DeltaEvent): Configuration {
  const but = <T>(all: readonly T[], key: keyof T, value: unknown) => all.filter((one) => one[key] !== value);
  if (event.type === 'hydration') return event;
  if (event.type === 'feature-removed') return { features: but(features, 'name', event.featureName), segments };
  if (event.type === 'segment-removed') return { features, segments: but(segments, 'id', event.segmentId) };
  return event.type === 'feature-updated'
    ? { features: [...but(features, 'name', event.feature.name), event.feature], segments }
    : { features, segments: [...but(segments, 'id', event.segment.id), event.segment] };
}
