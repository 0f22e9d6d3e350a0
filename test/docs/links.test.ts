import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type MarkdownPage, readMarkdown } from '../support/markdown.ts';

/** References of docs and code, followed as far as they can be without a network. */

const root = join(import.meta.dirname, '../..');
const repository = 'https://github.com/rallypoint-sdk/rallypoint/';

function find(...patterns: readonly string[]): string[] {
  const isForeign = (path: string) => /(^|\/)(node_modules|dist|build)(\/|$)/.test(path);
  return globSync(patterns as string[], { cwd: root, exclude: isForeign }).map(path => path.replaceAll('\\', '/'));
}

const pages = find('*.md', '{docs,samples,native,bench,tools}/**/*.md');
const sources = find('{src,test,bench,samples,scripts,native,bin,tools}/**/*.{ts,mts,js,mjs,cc,h,mm}');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const known = new Map<string, MarkdownPage>();
function pageAt(path: string): MarkdownPage {
  const page = known.get(path) ?? readMarkdown(read(path));
  known.set(path, page);
  return page;
}

/** Why nothing is to be found there; undefined when something is. */
function faultAt(path: string, anchor: string | undefined): string | undefined {
  if (!existsSync(join(root, path))) return 'there is no such file';
  if (anchor === undefined) return undefined;
  if (!path.endsWith('.md')) return 'only Markdown has anchors';
  return pageAt(path).anchors.has(anchor) ? undefined : 'there is no such heading';
}

function faultOfLink(from: string, link: string): string | undefined {
  if (link.startsWith(repository)) {
    const [, path, anchor] = /^(?:blob|tree)\/main\/([^#]+)(?:#(.+))?$/.exec(link.slice(repository.length)) ?? [];
    return path === undefined ? undefined : faultAt(path, anchor);
  }
  if (/^[a-z][a-z0-9+.-]*:/i.test(link)) return faultOfAddress(link);
  const [path = '', anchor] = link.split('#', 2);
  if (path === '') return faultAt(from, anchor);
  return faultAt(normalize(join(dirname(from), decodeURIComponent(path))).replaceAll('\\', '/'), anchor);
}

function faultOfAddress(link: string): string | undefined {
  if (/^mailto:[^@\s]+@[^@\s]+$/.test(link)) return undefined;
  if (!/^https:\/\/[a-z0-9.-]+\.[a-z]+(\/\S*)?$/.test(link)) return 'an address is https and has a full host';
  return URL.canParse(link) ? undefined : 'not an address';
}

/** Each `@see` of a text: the references that it lists. */
function seesIn(text: string): { readonly line: number; readonly references: readonly string[] }[] {
  return text.split('\n').flatMap((content, at) => {
    if (!/^\s*(\/\*|\*|\/\/)|\/\*\* /.test(content)) return [];
    return [...content.matchAll(/(?<![`'\w])@see\b((?:(?! \*\/| @[a-z]+ ).)*)/g)].map(([, listed = '']) => ({
      line: at + 1,
      references: listed.trim().split(/; |, (?=\{@link )/),
    }));
  });
}

const declared = new Map<string, string[]>();
for (const path of sources) {
  const names = read(path).matchAll(/\b(?:function\*?|class|interface|type|const|let|enum)\s+([A-Za-z_$][\w$]*)/g);
  for (const [, name = ''] of names) declared.set(name, [...(declared.get(name) ?? []), path]);
}

function faultOfReference(reference: string): string | undefined {
  if (reference.startsWith('https://')) return faultOfAddress(reference);
  if (/^RFC \d{3,4}(, (section \d+(\.\d+)*|appendix [A-Z](\.\d+)*))?$/.test(reference)) return undefined;
  if (/^[\w/.-]+\.md(#|$)/.test(reference)) {
    const [path = '', anchor] = reference.split('#', 2);
    return faultAt(path, anchor);
  }
  const [, name = '', member] = /^(?:\{@link )?([A-Za-z_$][\w$]*)(?:\.([\w$]+))?\}?$/.exec(reference) ?? [];
  if (name === '') return 'neither a section of docs/, nor an RFC, nor an address, nor a name';
  const places = declared.get(name);
  if (!places) return 'nothing has that name';
  if (member === undefined) return undefined;
  return places.some(path => new RegExp(`[\\s#]${member}\\b[?(:$< ]`).test(read(path))) ? undefined : 'no such member';
}

describe('references', () => {
  it('of every page in the repository lead somewhere', () => {
    expect(pages.length).toBeGreaterThan(20);
    const faults = pages.flatMap(page =>
      pageAt(page).links.flatMap(link => {
        const fault = faultOfLink(page, link);
        return fault === undefined ? [] : [`${page}: ${link}: ${fault}`];
      }),
    );
    expect(faults).toEqual([]);
  });

  it('of every "@see" in the code lead to a section of docs/, a public standard or a declaration', () => {
    let count = 0;
    const faults = sources.flatMap(path =>
      seesIn(read(path)).flatMap(({ line, references }) =>
        references.flatMap(reference => {
          count++;
          const fault = faultOfReference(reference);
          return fault === undefined ? [] : [`${path}:${line}: ${reference}: ${fault}`];
        }),
      ),
    );
    expect(count).toBeGreaterThan(300);
    expect(faults).toEqual([]);
  });

  it('in prose to files of docs/ name files that exist', () => {
    const shown = sources.filter(path => !path.startsWith('test/'));
    const faults = [...pages, ...shown].flatMap(path =>
      [...read(path).matchAll(/(?<![\w/.-])docs\/[\w/-]+\.md\b/g)]
        .map(([named]) => named)
        .filter(named => !existsSync(join(root, named)) || !statSync(join(root, named)).isFile())
        .map(named => `${path}: ${named}`),
    );
    expect(faults).toEqual([]);
  });

  it('in pages to files of the code name files that exist', () => {
    const named = pages.flatMap(page =>
      [...read(page).matchAll(/`((?:src|test|scripts|bench|samples|tools|native)\/[\w./-]+)`/g)].map(
        ([, path = '']) => ({
          page,
          path,
        }),
      ),
    );
    expect(named.length).toBeGreaterThan(50);
    // What a build makes is not in the repository.
    const isBuilt = (path: string) => path.startsWith('native/build/');
    expect(named.filter(({ path }) => !isBuilt(path) && !existsSync(join(root, path)))).toEqual([]);
  });
});

describe('the reader of Markdown', () => {
  it('makes anchors as GitHub does, and leaves code out', () => {
    const page = readMarkdown(
      '# A `b` c?\n\n## A b c\n\n```md\n# no\n[x](y)\n```\n`[x](z)` [l](m#n "t") <!-- [c](d) -->\n',
    );
    expect([...page.anchors]).toEqual(['a-b-c', 'a-b-c-1']);
    expect(page.links).toEqual(['m#n']);
  });

  it('finds what leads nowhere', () => {
    expect(faultOfLink('docs/spec/README.md', 'nowhere.md')).toBe('there is no such file');
    expect(faultOfLink('docs/spec/README.md', 'http.md#nowhere')).toBe('there is no such heading');
    expect(faultOfLink('README.md', 'http://example.com/')).toBe('an address is https and has a full host');
    expect(faultOfReference('RFC 6749, 4.1')).toMatch(/^neither/);
    expect(faultOfReference('docs/spec/http.md#nowhere')).toBe('there is no such heading');
    expect(faultOfReference('nobodyDeclaresThis')).toBe('nothing has that name');
  });
});
