import { type ComponentChildren, h, options, type VNode } from 'preact';

/**
 * Characters that are not seen but change how the text around them looks: they turn its direction, or are no character at all. With them a
 * name can pretend to be another, such as a file `gnp.exe` that is shown as `exe.png`.
 */
const controls = /(?![\t\n\r])[\p{Cc}\p{Bidi_Control}\u200b\u2028\u2029\u2060\ufeff]/u;
/** Most text is ASCII, which this finds out much faster. */
const uncommon = /[^\t\n\r -~]/;
const everyControl = new RegExp(`(${controls.source})`, 'gu');

const className = 'control-character';
/** They can contain text only. */
const textElements = new Set<unknown>(['option', 'textarea', 'title']);

/**
 * Shows such characters in all text that is rendered from now on, as in JSON (`\u202e`). The character itself stays in the page, in an element
 * that keeps its effect inside; values of fields stay as they are.
 */
export function showControlCharacters(): void {
  const former = options.vnode;
  options.vnode = vnode => {
    if (typeof vnode.type === 'string') show(vnode);
    former?.(vnode);
  };
}

function show({ type, props }: VNode): void {
  const given = props as { class?: unknown; children?: ComponentChildren };
  const { children } = given;
  const write = textElements.has(type) ? escaped : marked;
  if (typeof children === 'string') {
    if (hasControls(children) && given.class !== className) given.children = write(children);
  } else if (Array.isArray(children) && children.some(hasControls)) {
    given.children = children.map(child => (typeof child === 'string' ? write(child) : child));
  }
}

function hasControls(child: unknown): boolean {
  return typeof child === 'string' && uncommon.test(child) && controls.test(child);
}

function escaped(text: string): string {
  return text.replace(everyControl, codeOf);
}

function marked(text: string): ComponentChildren {
  // Every second part is a character that was found.
  return text
    .split(everyControl)
    .map((part, at) => (at % 2 === 0 ? part : h('span', { class: className, 'data-code': codeOf(part) }, part)));
}

function codeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
