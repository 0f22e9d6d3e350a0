import { options, type VNode } from 'preact';

/**
 * Characters that are not seen but change how the text around them is: they turn its direction, or are no character at all. Names with
 * them can pretend to be others, such as a file `gnp.exe` shown as `exe.png`.
 */
const invisible = /(?![\t\n\r])[\p{Cc}\p{Bidi_Control}\u200b\u2028\u2029\u2060\ufeff]/gu;

/** The text with such characters written as in JSON: `\u202e`. */
export function visibleText(text: string): string {
  return text.replace(invisible, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Shows such characters in all text that is rendered from now on. Values of fields stay as they are. */
export function showControlCharacters(): void {
  const former = options.vnode;
  options.vnode = vnode => {
    if (typeof vnode.type === 'string') makeVisible(vnode);
    former?.(vnode);
  };
}

function makeVisible({ props }: VNode): void {
  const { children } = props as { children?: unknown };
  if (typeof children === 'string') (props as { children?: unknown }).children = visibleText(children);
  else if (Array.isArray(children)) {
    const isHidden = (child: unknown) => typeof child === 'string' && child.search(invisible) >= 0;
    if (!children.some(isHidden)) return;
    (props as { children?: unknown }).children = children.map(child =>
      typeof child === 'string' ? visibleText(child) : child,
    );
  }
}
