import type { Tree } from '@fanion/oql';
import { attribute, call, field } from './oql-tree.ts';
import { childCount, parentAttribute } from './related-rules.ts';
import { TraceqlError, unsupported } from './traceql/error.ts';
import { writtenField } from './traceql/fields.ts';
import type { AttributeScope, Field } from './traceql/tree.ts';

/** A field of a span as a column, after the stages of `relatedStages`; a missing one is null. */
export function columnOf(of: Field): Tree.Expression {
  if (of.kind === 'attribute') {
    if (of.isOfParent) return ofParent(of.scope, of.name);
    switch (of.scope) {
      case 'any':
        return call('coalesce', attribute('attr', of.name), attribute('resource', of.name));
      case 'span':
        return attribute('attr', of.name);
      case 'resource':
        return attribute('resource', of.name);
      case 'instrumentation':
        return attribute('scope', of.name);
      default:
        throw unsupported(`the value of ${writtenField(of)}`);
    }
  }
  if (of.name === 'span:childCount') return childCount();
  if (of.name.startsWith('nestedSet')) throw noNestedSets(of.name);
  const name = columns[of.name];
  if (name === undefined) throw unsupported(`the value of ${of.name}`);
  return field(name);
}

/** The grammar has `parent.x`, `parent.span.x` and `parent.resource.x`. */
function ofParent(scope: AttributeScope, name: string): Tree.Expression {
  const [own, resource] = [parentAttribute('attr', name), parentAttribute('resource', name)];
  if (scope === 'span') return own;
  if (scope === 'resource') return resource;
  if (scope === 'any') return call('coalesce', own, resource);
  throw unsupported(`the scope ${scope} of a parent`);
}

/** Numbers of a walk through a whole trace: the store has none, so only answers of a search can be numbered. */
export function noNestedSets(name: string): TraceqlError {
  return new TraceqlError(
    `${name} works only in select(), and nestedSetParent in \`< 0\` and \`>= 0\`: compare spans with >, >> and span:childCount`,
  );
}

const columns: Readonly<Record<string, string>> = {
  ...{ duration: 'duration', name: 'name', kind: 'kind', status: 'status', statusMessage: 'status_message' },
  ...{ 'trace:id': 'trace_id', 'span:id': 'span_id', 'span:parentID': 'parent_span_id' },
  ...{ 'instrumentation:name': 'scope.name', 'instrumentation:version': 'scope.version' },
};
