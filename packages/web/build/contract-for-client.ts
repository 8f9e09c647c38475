import type { Plugin } from 'vite';

/** What the client reads of a route: see `createClient` and `routePath` in the contract, and `isWrite` in `src/api/client.ts`. */
const CLIENT_READS = new Set(['id', 'method', 'path', 'prefix', 'reads', 'permission']);

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Leaves of each route of the contract only what the client reads. Summaries, descriptions, examples and schemas are for
 * the server and its documents: they were a fifth of the entry bundle. Marks declarations as pure, so that what no page
 * uses is left out.
 */
export function contractForClient(): Plugin {
  return {
    name: 'fanion:contract-for-client',
    enforce: 'post',
    transform: {
      filter: { id: /packages\/contract\/src\/[^?]*\.ts$/ },
      handler(code) {
        const edits: Edit[] = [];
        walk(this.parse(code), (node) => {
          if (isCallOf(node, 'route')) edits.push(...withoutDocumentation(node));
          if (isCallOf(node, 'route') || isCallOf(node, 'z'))
            edits.push({ start: node.start, end: node.start, text: '/*#__PURE__*/ ' });
        });
        if (edits.length === 0) return null;
        return { code: edited(code, edits), map: null };
      },
    },
  };
}

type Call = Node & { readonly callee: Node; readonly arguments: readonly Node[] };

/** `route(…)`, or a chain of calls that starts with `z.`. */
function isCallOf(node: Node, name: string): node is Call {
  if (node.type !== 'CallExpression') return false;
  let callee: Node | undefined = (node as Call).callee;
  while (callee !== undefined && callee.type !== 'Identifier') {
    const { object, callee: inner } = callee as Node & { object?: Node; callee?: Node };
    callee = object ?? inner;
  }
  return (callee as (Node & { name?: string }) | undefined)?.name === name;
}

function withoutDocumentation(call: Call): Edit[] {
  const [input] = call.arguments;
  if (input?.type !== 'ObjectExpression') return [];
  const { properties } = input as Node & {
    properties: readonly (Node & { key?: { name?: string }; value?: Node })[];
  };
  // A spread may hold what the client reads.
  return properties
    .filter(({ type, key }) => type === 'Property' && !CLIENT_READS.has(key?.name ?? ''))
    .map(({ start, end, key }) => ({ start, end, text: `${key?.name}: undefined` }));
}

function walk(node: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(node)) {
    for (const one of node) walk(one, visit);
    return;
  }
  if (typeof node !== 'object' || node === null) return;
  if ('type' in node && typeof node.type === 'string') visit(node as Node);
  for (const child of Object.values(node)) if (typeof child === 'object') walk(child, visit);
}

/** Edits inside an edit are dropped with the text that they belong to. */
function edited(code: string, edits: readonly Edit[]): string {
  let result = '';
  let at = 0;
  for (const { start, end, text } of [...edits].sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (start < at) continue;
    result += code.slice(at, start) + text;
    at = end;
  }
  return result + code.slice(at);
}
