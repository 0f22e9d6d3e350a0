import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Checks who imports whom, type-only imports included: layers import downwards, modules of one layer never each other, nothing
 * in a cycle, and packages that belong to one module stay there. Prints every error and exits 1, or says what it read.
 */
const layers: Readonly<Record<string, readonly string[]>> = {
  model: ['model'],
  wire: ['model', 'wire'],
  sdk: ['model', 'wire', 'sdk'],
  backend: ['model', 'wire', 'backend'],
  service: ['model', 'wire', 'service'],
  react: ['sdk', 'react'],
  console: ['model', 'wire', 'console'],
  testing: ['model', 'wire', 'sdk', 'backend', 'service', 'testing'],
  cli: ['model', 'wire', 'sdk', 'backend', 'service', 'testing', 'cli'],
};

/** The layers inside the service, the lowest first: folders, or files at its root without `.ts`. The rest of its root is on top. */
const serviceLayers = [
  ...['support', 'events', 'store', 'bus', 'cluster', 'telemetry', 'core', 'expiry', 'owned-bound', 'outbound'],
  ...['attachments', 'auth', 'http', 'features', 'gateway', 'openapi', 'testing', 'control', 'web'],
];

/** Packages that only these places may import. Everything else outside is open to the service and the command. */
const packages: Readonly<Record<string, RegExp>> = {
  rxjs: /^src\/(sdk|backend)\//,
  ws: /^src\/(wire\/gateway\/socket\.ts|service\/gateway\/)/,
  undici: /^src\/service\/outbound\//,
  'openid-client': /^src\/sdk\/auth\//,
  electron: /^src\/sdk\/electron\//,
  react: /^src\/react\//,
  preact: /^src\/console\//,
  '@preact/signals': /^src\/console\//,
  uplot: /^src\/console\//,
};
/** Packages that may be absent: the types of one in an import would make the build depend on it. */
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const absentAtTimes = new Set(['keytar', '@opentelemetry/api', ...Object.keys(manifest.optionalDependencies ?? {})]);
const openModules = /^src\/(service|cli)\//;
const pure = /^src\/model\//;

const files = globSync('src/**/*.{ts,tsx}').map(file => file.replaceAll('\\', '/'));
const graph = new Map(files.map(file => [file, importsOf(file)]));
const errors = [...files.flatMap(file => (graph.get(file) ?? []).flatMap(to => errorsOf(file, to))), ...cycles()];

if (errors.length > 0) {
  for (const error of errors) console.error(error);
  process.exit(1);
}
console.log(`${files.length} files import in one direction, without a cycle.`);

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

function errorsOf(file: string, to: string): string[] {
  if (to.startsWith('src/')) return layerErrors(file, to);
  if (to.startsWith('node:')) return pure.test(file) ? [`${file} imports ${to}: the model is pure`] : [];
  const name = to.split('/', to.startsWith('@') ? 2 : 1).join('/');
  if (absentAtTimes.has(name)) return [`${file} imports ${name}, which may be absent: import it by a computed name`];
  const allowed = packages[name] ?? openModules;
  return allowed.test(file) ? [] : [`${file} imports ${name}, which belongs to ${allowed.source}`];
}

function layerErrors(file: string, to: string): string[] {
  const [module, target] = [moduleOf(file), moduleOf(to)];
  if (!files.includes(to)) return [`${file} imports ${to}, which does not exist`];
  if (!layers[module]?.includes(target)) return [`${file} (${module}) imports ${to} (${target})`];
  if (module !== target) return [];
  if (to.endsWith('/index.ts')) return [`${file} imports the entry point of its own module, ${to}`];
  const isUpwards = module === 'service' && serviceLayerOf(file) < serviceLayerOf(to);
  return isUpwards ? [`${file} imports ${to}, which is in a layer above it`] : [];
}

function moduleOf(file: string): string {
  return file.split('/')[1] ?? '';
}

/** The place in {@link serviceLayers}; higher ones may import lower ones. */
function serviceLayerOf(file: string): number {
  const at = serviceLayers.indexOf((file.split('/')[2] ?? '').replace(/\.ts$/, ''));
  return at < 0 ? serviceLayers.length : at;
}

function cycles(): string[] {
  const done = new Set<string>();
  const path: string[] = [];
  const found: string[] = [];
  const visit = (file: string) => {
    const at = path.indexOf(file);
    if (at >= 0) found.push(`cycle: ${[...path.slice(at), file].join(' → ')}`);
    if (at >= 0 || done.has(file)) return;
    path.push(file);
    for (const to of graph.get(file) ?? []) if (graph.has(to)) visit(to);
    path.pop();
    done.add(file);
  };
  for (const file of files) visit(file);
  return found;
}
