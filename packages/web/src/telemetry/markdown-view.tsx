import { createElement, type ReactNode, useMemo } from 'react';
import classes from './markdown.module.css';
import { type Block, type Inline, parseMarkdown } from './markdown.ts';

/** Text as Markdown. Nothing of it becomes HTML: tags are shown as they are written. */
export function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => parseMarkdown(text), [text]);
  return createElement('div', { className: classes.markdown }, ...blocks.map(block));
}

const element = (name: string, ...children: readonly ReactNode[]) => createElement(name, null, ...children);
const withParts = (name: string) => (parts: readonly Inline[]) => element(name, ...parts.map(inline));

/** The children of an element are its arguments, since the parts of a text have nothing that names them. */
function block(one: Block): ReactNode {
  switch (one.kind) {
    case 'heading':
      // Headings of notes stand below the page's and the panel's.
      return withParts(one.level <= 1 ? 'h3' : 'h4')(one.parts);
    case 'paragraph':
      return withParts('p')(one.parts);
    case 'quote':
      return withParts('blockquote')(one.parts);
    case 'code':
      return element('pre', one.text);
    case 'rule':
      return element('hr');
    case 'list':
      return element(one.ordered ? 'ol' : 'ul', ...one.items.map(withParts('li')));
    case 'table': {
      const rows = one.rows.map((row) => element('tr', ...row.map(withParts('td'))));
      const head = one.head.map((cell) => createElement('th', { scope: 'col' }, ...cell.map(inline)));
      return element('table', element('thead', element('tr', ...head)), element('tbody', ...rows));
    }
  }
}

function inline(part: Inline): ReactNode {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'code':
      return <code>{part.text}</code>;
    case 'strong':
      return <strong>{part.text}</strong>;
    case 'emphasis':
      return <em>{part.text}</em>;
    case 'link':
      return (
        <a href={part.url} rel="noreferrer noopener" {...(!part.url.startsWith('/') && { target: '_blank' })}>
          {part.text}
        </a>
      );
  }
}
