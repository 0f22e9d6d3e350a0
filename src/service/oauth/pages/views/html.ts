/** Text that is HTML already. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand in a template: HTML as it is, text escaped, lists one after another, nothing for the absent. */
export type Content = Html | string | number | null | undefined | false | readonly Content[];

/** Writes HTML; whatever is put in is escaped, within text and quoted attributes alike, unless it is {@link Html}. */
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

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, character => entities[character] ?? '');
}
