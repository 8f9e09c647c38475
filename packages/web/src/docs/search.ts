import type MiniSearch from 'minisearch';
import { type Found, find, indexOf, type SearchText } from './found.ts';

/** The script of the documentation site: a search over its pages, in the browser. The text is loaded on first use. */
const script = document.querySelector<HTMLScriptElement>('script[data-site]');
const site = new URL(`${script?.dataset.site ?? '.'}/`, location.href);
const input = document.querySelector<HTMLInputElement>('#search');
const list = document.querySelector<HTMLElement>('#found');
let loading: Promise<MiniSearch> | undefined;

async function load(): Promise<MiniSearch> {
  const answer = await fetch(new URL('search.json', site));
  if (!answer.ok) throw new Error(`The text for the search could not be loaded (${answer.status}).`);
  return indexOf((await answer.json()) as SearchText[]);
}

function show(results: readonly Found[], words: string): void {
  if (list === null) return;
  const items = results.map(({ path, heading, page, text }) => {
    const link = document.createElement('a');
    link.href = new URL(path, site).href;
    link.textContent = heading;
    const about = document.createElement('span');
    about.textContent = heading === page ? text : `${page}: ${text}`;
    link.append(about);
    return link;
  });
  const nothing = document.createElement('p');
  nothing.textContent = `Nothing found for "${words}".`;
  list.replaceChildren(...(items.length === 0 ? [nothing] : items));
  list.hidden = words === '';
}

async function search(): Promise<void> {
  const words = input?.value.trim() ?? '';
  try {
    loading ??= load();
    const index = await loading;
    // What was typed meanwhile asks again by itself.
    if (words === (input?.value.trim() ?? '')) show(find(index, words), words);
  } catch (error) {
    loading = undefined;
    const failed = document.createElement('p');
    failed.setAttribute('role', 'alert');
    failed.textContent = error instanceof Error ? error.message : String(error);
    list?.replaceChildren(failed);
    if (list !== null) list.hidden = false;
  }
}

if (input !== null && list !== null) {
  input.hidden = false;
  input.addEventListener('input', () => void search());
  document.addEventListener('keydown', (event) => {
    const links = [...list.querySelectorAll('a')];
    const at = links.indexOf(document.activeElement as HTMLAnchorElement);
    if (event.key === '/' && document.activeElement === document.body) input.focus();
    else if (event.key === 'Escape') list.hidden = true;
    else if (event.key === 'ArrowDown' && (at >= 0 || document.activeElement === input)) links[at + 1]?.focus();
    else if (event.key === 'ArrowUp' && at >= 0) (links[at - 1] ?? input).focus();
    else return;
    event.preventDefault();
  });
  document.addEventListener('click', ({ target }) => {
    if (!(target instanceof Node) || !list.parentElement?.contains(target)) list.hidden = true;
  });
}
