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
 * Writes HTML. Every value is escaped for text and quoted attributes, and loses {@link disguises}, unless it is {@link Html}.
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

/**
 * Characters by which a name could disguise the sentence around it: those that change the direction of text beyond their own place
 * (embeddings, overrides, isolates and marks), and those without a width. Joiners stay, because some scripts and emoji need them.
 */
const disguises =
  /[\u00AD\u061C\u115F\u1160\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u2800\u3164\uFEFF\uFFA0]/g;

function escapeText(text: string): string {
  return text.replace(disguises, '').replace(/[&<>"']/g, character => entities[character] ?? '');
}

/** Somebody's name as people see it: never nothing. */
export function shownName(name: string): string {
  const shown = name.replace(disguises, '').trim();
  return visible.test(shown) ? shown : '?';
}

const visible = /[^\p{Default_Ignorable_Code_Point}\p{White_Space}\p{Cc}]/u;

const fromRightToLeft = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFE\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/**
 * A name within a sentence, whose order does not change if the name is written from right to left (Unicode Standard Annex #9).
 * Characters isolate it, and not an element, because it is also in titles and choices, which contain text only.
 */
export function nameInText(name: string): Content {
  const shown = shownName(name);
  return fromRightToLeft.test(shown) ? html`${isolate}${shown}${endOfIsolate}` : shown;
}

const isolate = new Html('&#x2068;');
const endOfIsolate = new Html('&#x2069;');
