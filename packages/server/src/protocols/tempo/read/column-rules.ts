import type { Tree } from '@fanion/oql';
import { attribute, call, field } from './oql-tree.ts';
import { unsupported } from './traceql/error.ts';
import { writtenField } from './traceql/fields.ts';
import type { Field } from './traceql/tree.ts';

/** A field of a span as a column; a missing one is null. */
export function columnOf(of: Field): Tree.Expression {
  if (of.kind === 'attribute') {
    if (of.isOfParent) throw unsupported(`the value of ${writtenField(of)}`);
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
  const name = columns[of.name];
  if (name === undefined) throw unsupported(`the value of ${of.name}`);
  return field(name);
}

const columns: Readonly<Record<string, string>> = {
  ...{ duration: 'duration', name: 'name', kind: 'kind', status: 'status', statusMessage: 'status_message' },
  ...{ 'trace:id': 'trace_id', 'span:id': 'span_id', 'span:parentID': 'parent_span_id' },
  ...{ 'instrumentation:name': 'scope.name', 'instrumentation:version': 'scope.version' },
};
