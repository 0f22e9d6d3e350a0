import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Code that a page or a docstring shows. */
export interface Example {
  /** File and line, as compilers write them. */
  readonly from: string;
  readonly code: string;
  /** It contains JSX. */
  readonly isJsx: boolean;
  /** What the blocks before it on its page declare. */
  readonly declaredBefore: readonly string[];
}

/** Every block of TypeScript in README and docs/ (but for the reports of types), and every `@example` in src/. */
export function findExamples(): Example[] {
  const pages = globSync(['README.md', 'CONTRIBUTING.md', 'docs/**/*.md'], { cwd: root, exclude: ['docs/api/**'] });
  const sources = globSync('src/**/*.ts', { cwd: root });
  return [...pages.flatMap(examplesOfPage), ...sources.flatMap(examplesOfSource)];
}

function examplesOfPage(path: string): Example[] {
  const text = readFileSync(join(root, path), 'utf8');
  const declaredBefore: string[] = [];
  return [...text.matchAll(/^```(tsx?)\n([\s\S]*?)^```$/gm)].map(({ 1: language, 2: code = '', index }) => {
    const from = `${path}:${lineAt(text, index) + 1}`;
    const example = { from, code, isJsx: language === 'tsx', declaredBefore: [...declaredBefore] };
    declaredBefore.push(...namesDeclaredIn(code));
    return example;
  });
}

function examplesOfSource(path: string): Example[] {
  const text = readFileSync(join(root, path), 'utf8');
  return [...text.matchAll(/^[ \t]*\* @example[^\n]*\n((?:[ \t]*\*(?!\/)[^\n]*\n)*)/gm)].map(
    ({ 1: body = '', index }) => {
      const lines = body.split('\n').map(line => line.replace(/^[ \t]*\* ?/, ''));
      const end = lines.findIndex(line => line.startsWith('@'));
      const shown = (end < 0 ? lines : lines.slice(0, end)).filter(line => !line.startsWith('```'));
      return { from: `${path}:${lineAt(text, index) + 1}`, code: shown.join('\n'), isJsx: false, declaredBefore: [] };
    },
  );
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

/** Names that a block declares or imports. */
export function namesDeclaredIn(code: string): string[] {
  const single = [
    ...code.matchAll(/\b(?:const|let|function\*?|class|type|interface|enum)\s+([A-Za-z_$][\w$]*)/g),
    ...code.matchAll(/^import\s+(?:\*\s+as\s+)?([A-Za-z_$][\w$]*)\s+from/gm),
  ];
  const several = [...code.matchAll(/\b(?:const|let|import(?:\s+type)?)\s*[{[]([^}\]]*)[}\]]/g)];
  const names = several.flatMap(([, list = '']) =>
    list.split(',').map(
      name =>
        name
          .trim()
          .split(/\s*:\s*|\s+as\s+|\s*=/)
          .at(-1) ?? '',
    ),
  );
  return [...single.map(([, name = '']) => name), ...names.map(name => name.replace(/^type /, ''))].filter(Boolean);
}

/** What every entry point exports, as its report says, by name; the first entry point that has a name has it. */
export function exportsByName(): Map<string, string> {
  const found = new Map<string, string>();
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const path of Object.keys(manifest.exports)) {
    const report = `${path === '.' ? 'sdk' : path.slice(2).replaceAll('/', '-')}.api.md`;
    if (globSync(report, { cwd: join(root, 'docs', 'api') }).length === 0) continue;
    const text = readFileSync(join(root, 'docs', 'api', report), 'utf8');
    for (const [, name = ''] of text.matchAll(
      /^export (?:declare )?(?:abstract )?(?:class|function|const|interface|type|enum) ([A-Za-z_$][\w$]*)/gm,
    )) {
      if (!found.has(name)) found.set(name, path === '.' ? manifest.name : manifest.name + path.slice(1));
    }
  }
  return found;
}
