import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/**
 * package.json as the package has it. npm runs `prepare` of a package that was vendored as a folder and installs its devDependencies, so
 * the package has neither; `rallypoint init` finds the versions under `testedWith`.
 */
export function packedManifest(text: string): string {
  const { scripts: _, allowScripts: __, devDependencies, ...manifest } = JSON.parse(text);
  return `${JSON.stringify({ ...manifest, testedWith: devDependencies }, null, 2)}\n`;
}

/** For `npm pack` in a checkout: writes the package's package.json in place of the repository's, until {@link restore}. */
function strip(root: string): void {
  const [path, whole] = placesIn(root);
  const text = readFileSync(path, 'utf8');
  // After a pack that was interrupted there is nothing to strip, and the repository's still lies where it was put.
  if (!('scripts' in JSON.parse(text))) return;
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, text);
  writeFileSync(path, packedManifest(text));
}

function restore(root: string): void {
  const [path, whole] = placesIn(root);
  if (existsSync(whole)) renameSync(whole, path);
}

function placesIn(root: string): [path: string, whole: string] {
  return [join(root, 'package.json'), join(root, 'node_modules', '.rallypoint-package.json')];
}

if (resolve(process.argv[1] ?? '') === import.meta.filename) {
  if (process.argv[2] === 'restore') restore(process.cwd());
  else strip(process.cwd());
}
