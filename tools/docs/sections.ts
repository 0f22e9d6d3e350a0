import { type Application, DocumentReflection, IndexEvent, KindRouter, Slugger } from 'typedoc';

/** How a section counts in the search, beside names of the API: as the pages themselves. */
const sectionBoost = 50;

/** Has the search find the sections of pages, each with its heading, and not only the pages. Call it before the site is written. */
export function indexSections(app: Application): void {
  const addresses = new WeakMap<object, string>();
  app.renderer.defineRouter(
    'sections',
    class extends KindRouter {
      override getFullUrl(target: Parameters<KindRouter['getFullUrl']>[0]): string {
        return addresses.get(target) ?? super.getFullUrl(target);
      }
    },
  );
  app.options.setValue('router', 'sections');
  app.renderer.on(IndexEvent.PREPARE_INDEX, event => {
    const pages = event.searchResults.filter(found => found.isDocument());
    for (const page of pages) {
      for (const section of sectionsOf(page)) {
        addresses.set(section.reflection, `${app.renderer.router?.getFullUrl(page)}#${section.anchor}`);
        event.searchResults.push(section.reflection);
      }
    }
  });
}

/** The sections of a page down to the third level; code is part of their text, and no heading. */
function sectionsOf(page: DocumentReflection) {
  const slugger = new Slugger({ lowercase: true });
  const found: { readonly reflection: DocumentReflection; readonly anchor: string }[] = [];
  let isCode = false;
  for (const line of page.content
    .map(({ text }) => text)
    .join('')
    .split('\n')) {
    if (/^ *```/.test(line)) isCode = !isCode;
    const [, marks = '', heading = ''] = (!isCode && /^(#{1,6}) +(.+?) *$/.exec(line)) || [];
    const title = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');
    const anchor = heading === '' ? '' : slugger.slug(title);
    if (marks.length === 2 || marks.length === 3) {
      const reflection = new DocumentReflection(title, page, [], {});
      reflection.relevanceBoost = sectionBoost;
      found.push({ reflection, anchor });
    } else {
      found.at(-1)?.reflection.content.push({ kind: 'text', text: `${line}\n` });
    }
  }
  return found;
}
