import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/**
 * Makes links of the references that docstrings write as text: `docs/spec/lobbies.md#create` and `RFC 6749, section 4.1`.
 *
 * @param pages path of a page in the repository → its path on the site
 * @returns how many there are
 * @throws Error when a docstring names a page that the site does not have
 */
export function linkReferences(site: string, pages: ReadonlyMap<string, SitePage>): number {
  let count = 0;
  for (const name of globSync('{classes,interfaces,functions,types,variables,enums,modules}/*.html', { cwd: site })) {
    const path = join(site, name);
    const before = readFileSync(path, 'utf8');
    const after = before
      .replace(/(<p>|; |\()(docs\/[\w/-]+\.md)(?:#([\w-]+))?(?=[;<).,])/g, (_, mark, page, anchor = '') => {
        count++;
        return mark + pageLink(name, pageAt(pages, page), anchor);
      })
      .replace(/(<p>|; )RFC (\d+), (section|appendix) ([A-Z\d.]+)(?=[;<])/g, (_, mark, number, kind, part) => {
        count++;
        const address = `https://www.rfc-editor.org/rfc/rfc${number}#${kind}-${part}`;
        return `${mark}<a href="${address}" class="external" target="_blank">RFC ${number}, ${kind} ${part}</a>`;
      });
    if (after !== before) writeFileSync(path, after);
  }
  return count;
}

export interface SitePage {
  readonly path: string;
  readonly title: string;
}

function pageAt(pages: ReadonlyMap<string, SitePage>, path: string): SitePage {
  const page = pages.get(path);
  if (!page) throw new Error(`A docstring names ${path}, which is not on the site.`);
  return page;
}

function pageLink(from: string, { path, title }: SitePage, anchor: string): string {
  const address = relative(dirname(from), path).replaceAll('\\', '/') + (anchor === '' ? '' : `#${anchor}`);
  const heading = anchor === '' ? '' : `: ${anchor.replaceAll('-', ' ')}`;
  return `<a href="${address}">${title}${heading}</a>`;
}
