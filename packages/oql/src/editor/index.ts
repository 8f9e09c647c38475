import {
  autocompletion,
  type Completion as CodeMirrorCompletion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { LanguageSupport, LRLanguage } from '@codemirror/language';
import { type Diagnostic as CodeMirrorDiagnostic, linter } from '@codemirror/lint';
import type { Extension } from '@codemirror/state';
import type { FieldCatalogue } from '../check/catalogue.ts';
import { validate } from '../compile.ts';
import { parser } from '../grammar/parser.generated.ts';
import { printString } from '../syntax/literals.ts';
import { type Completion, complete, type FieldHint, hintProposals, type Proposal } from './complete.ts';
import { highlighting } from './highlight.ts';

export { type Completion, complete, type FieldHint, type Proposal, type ProposalKind } from './complete.ts';

export interface OqlEditorOptions {
  /** The attributes seen in a signal; requested when a field is valid at the cursor. */
  readonly fields?: readonly FieldHint[] | ((signal: string, prefix: string) => Promise<readonly FieldHint[]>);
  /** The values seen in a field. */
  readonly values?: (field: string, prefix: string) => Promise<readonly string[]>;
  /** Adds diagnostics about fields that were never sent. */
  readonly catalogue?: FieldCatalogue;
  /** @default true */
  readonly lint?: boolean;
  /** The text before the document, such as `spans | where ` before a condition. Only completion uses it. */
  readonly before?: string;
  /** False: Enter accepts a proposal only after an arrow key has selected one. @default true */
  readonly selectOnOpen?: boolean;
}

/** The language of the editor, on the grammar that the compiler uses. */
export const oqlLanguage = LRLanguage.define({
  name: 'oql',
  parser: parser.configure({ props: [highlighting] }),
  languageData: {
    commentTokens: { line: '//', block: { open: '/*', close: '*/' } },
    closeBrackets: { brackets: ['(', '[', '{', '"', '`'] },
  },
});

/** OQL in CodeMirror 6: highlighting, completion, and diagnostics with quick fixes. */
export function oql(options: OqlEditorOptions = {}): LanguageSupport {
  const extensions: Extension[] = [
    autocompletion({
      override: [(context) => completionsAt(context, options)],
      selectOnOpen: options.selectOnOpen ?? true,
      // The delay prevents accidental acceptance. It is not needed if the user must select a proposal first.
      ...(options.selectOnOpen === false && { interactionDelay: 0 }),
    }),
  ];
  if (options.lint ?? true) extensions.push(oqlLinter(options.catalogue));
  return new LanguageSupport(oqlLanguage, extensions);
}

/** Diagnostics of a document, each with its suggestion as a quick fix. */
export function oqlLinter(catalogue?: FieldCatalogue): Extension {
  return linter((view) => {
    const text = view.state.doc.toString();
    // An empty editor is not a mistake.
    if (text.trim() === '') return [];
    return validate(text, catalogue ? { catalogue } : {}).diagnostics.map(
      ({ code, severity, message, span, suggestion }): CodeMirrorDiagnostic => ({
        from: span.start,
        to: span.end,
        severity,
        message,
        source: code,
        ...(suggestion
          ? {
              actions: [
                {
                  name: suggestion.text,
                  apply: (target) => {
                    const { start, end, text: insert } = suggestion.edit;
                    target.dispatch({ changes: { from: start, to: end, insert } });
                  },
                },
              ],
            }
          : {}),
      }),
    );
  });
}

async function completionsAt(context: CompletionContext, options: OqlEditorOptions): Promise<CompletionResult | null> {
  const { before = '' } = options;
  const found = complete(before + context.state.doc.toString(), before.length + context.pos);
  const from = Math.max(0, found.from - before.length);
  const typed = context.state.sliceDoc(from, context.pos);
  // Without a word at the cursor, only after text that a word usually follows: a space alone does not open the list.
  if (
    typed === '' &&
    !context.explicit &&
    !/[|(,=<>]\s*$|\b(?:by|and|or|where|not)\s$/.test(before + context.state.sliceDoc(0, context.pos))
  )
    return null;
  const [hints, values] = await Promise.all([
    fieldHints(found.fieldsOf, typed, options),
    seenValues(found, typed, options),
  ]);
  const known = new Set(found.proposals.map((proposal) => proposal.label));
  const proposals = [
    ...values,
    ...found.proposals,
    ...hintProposals(hints).filter((proposal) => !known.has(proposal.label)),
  ];
  if (proposals.length === 0 || context.aborted) return null;
  return { from, options: proposals.map(toCompletion), validFor: /^[\p{L}\p{N}_@.]*$/u };
}

async function fieldHints(
  signal: string | undefined,
  prefix: string,
  { fields }: OqlEditorOptions,
): Promise<readonly FieldHint[]> {
  if (signal === undefined || fields === undefined) return [];
  return typeof fields === 'function' ? fields(signal, prefix) : fields;
}

async function seenValues(
  { valuesOf, inString }: Completion,
  prefix: string,
  { values }: OqlEditorOptions,
): Promise<Proposal[]> {
  if (valuesOf === undefined || values === undefined) return [];
  return (await values(valuesOf, prefix)).map((value) => {
    const literal = printString(value);
    return { label: value, kind: 'value', insert: inString ? literal.slice(1) : literal };
  });
}

const TYPES: Readonly<Record<Proposal['kind'], string>> = {
  source: 'namespace',
  stage: 'keyword',
  keyword: 'keyword',
  function: 'function',
  field: 'property',
  value: 'constant',
};
/** Fields of the current rows come before functions, and functions before keywords. */
const BOOSTS: Readonly<Record<Proposal['kind'], number>> = {
  value: 30,
  field: 20,
  stage: 15,
  source: 15,
  function: 5,
  keyword: 0,
};

function toCompletion({ label, kind, insert, detail, info }: Proposal): CodeMirrorCompletion {
  return {
    label,
    type: TYPES[kind],
    boost: BOOSTS[kind],
    ...(insert ? { apply: insert } : {}),
    ...(detail ? { detail } : {}),
    ...(info ? { info } : {}),
  };
}
