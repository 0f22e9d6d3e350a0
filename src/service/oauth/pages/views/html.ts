/** Text that is HTML already. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value in a template: HTML is written as it is, text is escaped, lists are joined, absent values write nothing. */
export type Content = Html | string | number | null | undefined | false | readonly Content[];

/**
 * Writes HTML. Every value is escaped for text and quoted attributes, unless it is {@link Html}, and loses the characters that set the
 * direction of text: with them, a name could show the words of the page around it in another order.
 */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Html {
  return new Html(parts.map((part, index) => part + render(values[index])).join(''));
}

function render(content: Content): string {
  if (content === null || content === undefined || content === false) return '';
  if (content instanceof Html) return content.text;
  return typeof content === 'object' ? content.map(render).join('') : escapeText(String(content));
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

// Embeddings, overrides, isolates and their ends; marks of direction concern only what is beside them.
const directions = /[\u202a-\u202e\u2066-\u2069]/g;

function escapeText(text: string): string {
  return text.replace(directions, '').replace(/[&<>"']/g, character => entities[character] ?? '');
}
