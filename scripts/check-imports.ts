import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Checks who imports whom, type-only imports included: floors import downwards, rooms never each other, nothing in a
 * circle, and the packages that belong to one room stay there. Prints every fault and exits 1, or says what it read.
 */
const floors: Readonly<Record<string, readonly string[]>> = {
  model: ['model'],
  wire: ['model', 'wire'],
  sdk: ['model', 'wire', 'sdk'],
  backend: ['model', 'wire', 'backend'],
  service: ['model', 'wire', 'service'],
  cli: ['model', 'wire', 'sdk', 'backend', 'service', 'cli'],
};

/** Packages that only these places may import. Everything else outside is open to the service and the command. */
const packages: Readonly<Record<string, RegExp>> = {
  rxjs: /^src\/(sdk|backend)\//,
  ws: /^src\/(wire\/socket\.ts|service\/gateway\/)/,
  undici: /^src\/(wire\/undici-|service\/(undici-request|public-fetch))/,
  'openid-client': /^src\/sdk\/auth\//,
  electron: /^src\/sdk\/electron\//,
};
/** Packages that may be absent: the types of one in an import would make the build depend on it. */
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const absentAtTimes = new Set(['keytar', '@opentelemetry/api', ...Object.keys(manifest.optionalDependencies ?? {})]);
const openRooms = /^src\/(service|cli)\//;
// Floors below the rooms run anywhere; these of Node's modules are their only tie to it.
const pure = /^src\/model\//;

const files = globSync('src/**/*.ts').map(file => file.replaceAll('\\', '/'));
const graph = new Map(files.map(file => [file, importsOf(file)]));
const faults = [...files.flatMap(file => (graph.get(file) ?? []).flatMap(to => faultOf(file, to))), ...cycles()];

if (faults.length > 0) {
  for (const fault of faults) console.error(fault);
  process.exit(1);
}
console.log(`${files.length} files import in one direction, without a circle.`);

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const found = text.matchAll(
    /^\s*(?:import|export)\s[^;]*?from\s+'([^']+)'|\bimport\(\s*'([^']+)'\s*\)|^import '([^']+)'/gm,
  );
  return [...found].map(match => {
    const specifier = match[1] ?? match[2] ?? match[3] ?? '';
    return specifier.startsWith('.') ? join(dirname(file), specifier).replaceAll('\\', '/') : specifier;
  });
}

function faultOf(file: string, to: string): string[] {
  if (to.startsWith('src/')) return roomFault(file, to);
  if (to.startsWith('node:')) return pure.test(file) ? [`${file} imports ${to}: the model is pure`] : [];
  const name = to.split('/', to.startsWith('@') ? 2 : 1).join('/');
  if (absentAtTimes.has(name)) return [`${file} imports ${name}, which may be absent: import it by a computed name`];
  const allowed = packages[name] ?? openRooms;
  return allowed.test(file) ? [] : [`${file} imports ${name}, which belongs to ${allowed.source}`];
}

function roomFault(file: string, to: string): string[] {
  const room = file.split('/')[1] ?? '';
  const target = to.split('/')[1] ?? '';
  if (!files.includes(to)) return [`${file} imports ${to}, which does not exist`];
  if (!floors[room]?.includes(target)) return [`${file} (${room}) imports ${to} (${target})`];
  const barrel = to.endsWith('/index.ts') && room === target;
  return barrel ? [`${file} imports the door of its own room, ${to}`] : [];
}

function cycles(): string[] {
  const done = new Set<string>();
  const path: string[] = [];
  const found: string[] = [];
  const visit = (file: string) => {
    const at = path.indexOf(file);
    if (at >= 0) found.push(`circle: ${[...path.slice(at), file].join(' → ')}`);
    if (at >= 0 || done.has(file)) return;
    path.push(file);
    for (const to of graph.get(file) ?? []) if (graph.has(to)) visit(to);
    path.pop();
    done.add(file);
  };
  for (const file of files) visit(file);
  return found;
}
