import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/**
 * What is wrong with the site: links to pages or headings that it does not have, and anything that a browser would fetch from
 * elsewhere.
 */
export function faultsOf(site: string): string[] {
  const pages = globSync('**/*.html', { cwd: site });
  const idsByPage = new Map<string, ReadonlySet<string>>();
  const idsOf = (page: string) => {
    const known = idsByPage.get(page);
    if (known) return known;
    const text = readFileSync(join(site, page), 'utf8');
    const ids = new Set([...text.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => decode(id)));
    idsByPage.set(page, ids);
    return ids;
  };
  return pages.flatMap(page => {
    const text = readFileSync(join(site, page), 'utf8');
    const fetched = [...text.matchAll(/<(?:link|script|img|iframe|use)\b[^>]*?\b(?:href|src)="([^"]*)"/g)];
    const linked = [...text.matchAll(/<a\b[^>]*?\bhref="([^"]*)"/g)];
    return [
      ...fetched
        .filter(([, address = '']) => /^([a-z]+:)?\/\//i.test(address))
        .map(([, address]) => `fetches ${address}`),
      ...linked.flatMap(([, address = '']) => linkFault(site, page, decode(address), idsOf) ?? []),
    ].map(fault => `site/${page} ${fault}`);
  });
}

function linkFault(
  site: string,
  page: string,
  address: string,
  idsOf: (page: string) => ReadonlySet<string>,
): string | undefined {
  if (address === '' || address === '#' || /^[a-z][a-z+.-]*:/i.test(address)) return undefined;
  const [path = '', anchor = ''] = address.split('#', 2);
  const target = path === '' ? page : normalize(join(dirname(page), decodeURIComponent(path)));
  if (!existsSync(join(site, target))) return `links to ${address}, which does not exist`;
  if (anchor === '' || !target.endsWith('.html') || idsOf(target).has(decodeURIComponent(anchor))) return undefined;
  return `links to ${address}, and that page has no such heading`;
}

function decode(text: string): string {
  return text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'");
}
