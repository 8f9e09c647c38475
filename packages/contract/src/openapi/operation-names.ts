import type { AnyRoute } from '../route.ts';
import { componentReference, type Json } from './schemas.ts';

function pascal(words: string): string {
  return words.replace(/(?:^|_)([a-z0-9])/g, (_, first: string) => first.toUpperCase());
}

/** `alert_rules` → `AlertRule`, `routing_policies` → `RoutingPolicy`. */
function resourceOf({ tag }: AnyRoute): string {
  return pascal(tag.replace(/ies$/, 'y').replace(/(?<![su])s$/, ''));
}

function verbOf({ id }: AnyRoute): string {
  return pascal(id.slice(id.indexOf('.') + 1));
}

/** What bodies are called by what they do to the resource. */
const bodySuffix: Readonly<Record<string, string>> = {
  Create: 'Input',
  Update: 'Patch',
  Replace: 'Replacement',
  Put: 'Replacement',
};

/** The name of the body of a route that has no other: `FlagInput`, `FlagPatch`, `AlertRulePreviewRequest`. */
export function bodyName(route: AnyRoute): string {
  const verb = verbOf(route);
  return resourceOf(route) + (bodySuffix[verb] ?? `${verb}Request`);
}

/** The name of what a route answers, if it has no other: `AlertRulePreviewResult`. */
export function resultName(route: AnyRoute): string {
  return `${resourceOf(route)}${verbOf(route)}Result`;
}

/** The name of an answer with its envelope: `FlagResponse`, `FlagPage`. */
export function answerName(route: AnyRoute, data: Json): string {
  const { $ref } = data;
  if (typeof $ref !== 'string') return `${resourceOf(route)}${verbOf(route)}Response`;
  return $ref.slice(componentReference.length).replace(/Result$/, '') + (route.list ? 'Page' : 'Response');
}

/** The name of the data of a 202 answer, if they have no other. */
export function acceptedName(route: AnyRoute): string {
  return `${resourceOf(route)}${verbOf(route)}Accepted`;
}
