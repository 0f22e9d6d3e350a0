import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** Where a page stands in the navigation; those that are not listed follow, by name. */
const guides = [
  'lobbies',
  'friends',
  'commands',
  'authorization',
  'electron',
  'frameworks',
  'testing',
  'service',
  'operations',
  'scaling',
  'packaging',
  ...['lobbies-reference', 'friends-reference', 'commands-reference', 'authorization-reference'],
  'errors',
];
const interfacePages = [
  ...['README', 'http', 'commands', 'permissions', 'interactions', 'lobbies', 'oauth2', 'gateway'],
  ...['client', 'limits', 'errors'],
];
/** Pages about the project itself; all other pages of docs/ are guides. */
const projectPages = ['architecture', 'decisions', 'migration', 'performance', 'reliability', 'security', 'versioning'];
const rootPages = ['CONTRIBUTING', 'SECURITY', 'CODE_OF_CONDUCT', 'CHANGELOG'];
const repository = 'https://github.com/rallypoint-sdk/rallypoint/blob/main/';

/** The start page and all others, as typedoc is to read them. */
interface Pages {
  readonly readme: string;
  readonly projectDocuments: string[];
}

/**
 * Writes the pages down in `staging` under the same paths, each with a title and a group for the navigation, and with the links that leave
 * them made absolute.
 */
export function stagePages(root: string, staging: string): Pages {
  const pages = [
    ...inOrder(root, 'docs', guides).map(path => ({ path, group: groupOf(path) })),
    ...inOrder(root, 'docs/spec', interfacePages).map(path => ({ path, group: 'The interface' })),
    ...rootPages.map(name => ({ path: `${name}.md`, group: 'Project' })),
  ];
  const known = new Set(['README.md', ...pages.map(({ path }) => path)]);
  for (const { path, group } of pages) {
    const text = readFileSync(join(root, path), 'utf8');
    const [, title = path] = /^# (.+)$/m.exec(text) ?? [];
    const head = `---\ntitle: ${JSON.stringify(title.replaceAll('`', ''))}\ngroup: ${group}\n---\n`;
    write(staging, path, head + withLinks(root, path, text, known));
  }
  // The start page has the product's name as its title already.
  const start = readFileSync(join(root, 'README.md'), 'utf8').replace(/^# .+\n+/m, '');
  write(staging, 'README.md', withLinks(root, 'README.md', start, known));
  if (existsSync(join(root, 'docs/images')))
    cpSync(join(root, 'docs/images'), join(staging, 'docs/images'), { recursive: true });
  return {
    readme: join(staging, 'README.md'),
    projectDocuments: pages.map(({ path }) => join(staging, path)),
  };
}

function groupOf(path: string): string {
  return projectPages.some(name => path === `docs/${name}.md`) ? 'Project' : 'Guides';
}

function inOrder(root: string, folder: string, first: readonly string[]): string[] {
  const names = readdirSync(join(root, folder)).filter(name => name.endsWith('.md'));
  const place = (name: string) => {
    const at = first.indexOf(name.slice(0, -3));
    return at < 0 ? first.length : at;
  };
  return names.toSorted((a, b) => place(a) - place(b) || a.localeCompare(b)).map(name => `${folder}/${name}`);
}

/** Links to files that are not on the site lead to the repository. */
function withLinks(root: string, from: string, text: string, known: ReadonlySet<string>): string {
  return text.replace(/\]\(([^)\s#:]+)(#[^)\s]*)?\)/g, (whole, target: string, anchor = '') => {
    const path = normalize(join(dirname(from), target))
      .replaceAll('\\', '/')
      .replace(/\/$/, '');
    if (known.has(path) || /\.(png|svg|gif|webp)$/.test(path) || !existsSync(join(root, path))) return whole;
    const folderPage = `${path}/README.md`;
    if (known.has(folderPage)) return `](${target.replace(/\/$/, '')}/README.md${anchor})`;
    return `](${repository}${path}${anchor})`;
  });
}

function write(folder: string, path: string, text: string): void {
  const target = join(folder, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}
