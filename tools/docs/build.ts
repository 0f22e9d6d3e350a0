import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import {
  Application,
  type ProjectReflection,
  Reflection,
  type ReflectionSymbolId,
  RendererEvent,
  type TypeDocOptions,
} from 'typedoc';
import { faultsOf } from './check.ts';
import { stagePages } from './pages.ts';
import { linkReferences, type SitePage } from './references.ts';
import { indexSections } from './sections.ts';

/**
 * Builds the documentation as one static site in `site/`: the guides and the description of the interface (docs/), and the API
 * reference of every entry point, with a search over all of it. Nothing on the site comes from elsewhere. `npm run docs`.
 */
const root = join(import.meta.dirname, '../..');
const repository = 'https://github.com/rallypoint-sdk/rallypoint/blob/main/';
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const out = join(root, 'site');
const groupOrder = ['Guides', 'The interface', 'API', 'Project'];
const staging = mkdtempSync(join(tmpdir(), 'rallypoint-docs-'));

try {
  const pages = stagePages(root, staging);
  const app = await Application.bootstrap({ ...settings(), ...pages });
  indexSections(app);
  const project = await app.convert();
  if (!project) throw new Error('The API reference could not be read; the reason is above.');
  nameEntryPoints(project);
  linkAcrossEntryPoints(project);
  app.validate(project);
  rmSync(out, { recursive: true, force: true });
  let sitePages: ReadonlyMap<string, SitePage> = new Map();
  // Where pages are on the site is known while they are written.
  app.renderer.on(RendererEvent.END, () => {
    sitePages = findPages(app, project);
  });
  await app.generateOutputs(project);
  if (app.logger.hasErrors()) throw new Error('The site has faults; they are listed above.');
  linkReferences(out, sitePages);
  const faults = faultsOf(out);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  console.log('The documentation is in site/index.html.');
} finally {
  rmSync(staging, { recursive: true, force: true });
}

function settings(): Partial<TypeDocOptions> {
  return {
    name: 'Rallypoint',
    includeVersion: true,
    tsconfig: join(import.meta.dirname, 'tsconfig.json'),
    entryPoints: [...entryPoints().keys()],
    out,
    customCss: join(import.meta.dirname, 'site.css'),
    customJs: join(import.meta.dirname, 'site.js'),
    favicon: join(import.meta.dirname, 'icon.svg'),
    hideGenerator: true,
    excludeInternal: true,
    excludePrivate: true,
    excludeExternals: true,
    disableSources: true,
    searchInDocuments: true,
    searchInComments: true,
    searchGroupBoosts: { Guides: 50, 'The interface': 50, Project: 10 },
    sort: ['kind', 'source-order'],
    kindSortOrder: ['Document', 'Module', 'Class', 'Function', 'Variable', 'Interface', 'TypeAlias'],
    navigation: { includeCategories: false, includeGroups: true, includeFolders: false, compactFolders: false },
    navigationLinks: { Source: manifest.homepage },
    validation: {
      notExported: false,
      invalidLink: true,
      rewrittenLink: true,
      notDocumented: false,
      unusedMergeModuleWith: true,
    },
    pretty: false,
  };
}

/** The source of every entry point → how it is imported. */
function entryPoints(): Map<string, string> {
  const found = new Map<string, string>();
  for (const [path, conditions] of Object.entries<{ import?: { types?: string } }>(manifest.exports)) {
    const types = conditions.import?.types;
    if (types === undefined) continue;
    const source = join(root, types.replace('./dist/types/', 'src/').replace(/\.d\.mts$/, '.ts'));
    if (!existsSync(source)) throw new Error(`${path} has no source at ${source}.`);
    found.set(source, join(manifest.name, path));
  }
  return found;
}

function nameEntryPoints(project: ProjectReflection): void {
  const sources = entryPoints();
  for (const module of project.children ?? []) {
    const file = project.files.getReflectionPath(module);
    const name = file === undefined ? undefined : sources.get(file);
    if (name === undefined) throw new Error(`The module ${module.name} is no entry point.`);
    module.name = name;
  }
  // The client first, as in package.json.
  const names = [...sources.values()];
  for (const group of project.groups ?? []) {
    if (group.title !== 'Modules') continue;
    group.title = 'API';
    group.children.sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
  }
  project.groups?.sort((a, b) => groupOrder.indexOf(a.title) - groupOrder.indexOf(b.title));
}

/** The pages of docs/ by their paths in the repository. */
function findPages(app: Application, project: ProjectReflection): Map<string, SitePage> {
  return new Map(
    (project.documents ?? []).map(page => {
      const source = project.files.getReflectionPath(page);
      const url = app.renderer.router?.getFullUrl(page);
      if (source === undefined || url === undefined) throw new Error(`The page ${page.name} has no place.`);
      return [relative(staging, source).replaceAll('\\', '/'), { path: url, title: page.name }];
    }),
  );
}

/** Leads the links of docstrings to names that another entry point exports there, and to what none exports to its source. */
function linkAcrossEntryPoints(project: ProjectReflection): void {
  for (const { comment } of Object.values(project.reflections)) {
    for (const part of [...(comment?.summary ?? []), ...(comment?.blockTags.flatMap(tag => tag.content) ?? [])]) {
      if (part.kind !== 'inline-tag' || part.target instanceof Reflection || typeof part.target === 'string') continue;
      const target = find(project, part.text.split('.')) ?? sourceOf(part.target);
      if (target) part.target = target;
    }
  }
}

/** The declaration of that name, or the one that has it as a member. */
function find(project: ProjectReflection, path: string[]): Reflection | undefined {
  for (let length = path.length; length > 0; length--) {
    for (const module of project.children ?? []) {
      const found = module.getChildByName(path.slice(0, length));
      if (found) return found;
    }
  }
  return undefined;
}

function sourceOf(symbol: ReflectionSymbolId | undefined): string | undefined {
  return symbol?.packageName === manifest.name ? repository + symbol?.packagePath : undefined;
}
