import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';

/**
 * The API reports: for each entry point a file in `docs/api/` with every type that its users can see, as API Extractor
 * prints it. They are made from the built declarations, so `dist/` must be current.
 */

/** Report name → text, for the entry points that package.json's `exports` names. */
function makeApiReports(root: string): ReadonlyMap<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'rallypoint-api-'));
  try {
    const entries = entryPoints(root);
    const configs = entries.map(entry => configOf(root, folder, entry));
    const first = configs[0];
    if (first === undefined) return new Map();
    const additionalEntryPoints = entries.map(({ types }) => types);
    const compilerState = CompilerState.create(first, { additionalEntryPoints });
    return new Map(
      entries.map(({ specifier, file }, index) => {
        const complaints = extract(configs[index] ?? first, compilerState);
        if (complaints.length > 0) throw new Error(`The types of ${specifier} do not compile: ${complaints[0]}`);
        return [file, withSpecifier(readFileSync(join(folder, file), 'utf8'), specifier)];
      }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One sentence for each report in `docs/api/` that is missing, left over or different from the built types. */
export function compareApiReports(root: string): readonly string[] {
  const made = makeApiReports(root);
  const leftOver = committedReports(root).filter(file => !made.has(file));
  return [
    ...[...made].flatMap(([file, text]) => differenceOf(root, file, text)),
    ...leftOver.map(
      file => `docs/api/${file} describes no entry point of package.json; run "npm run api" to remove it.`,
    ),
  ];
}

/** Writes the reports and removes those of entry points that no longer exist. @returns the names of changed files */
function writeApiReports(root: string): readonly string[] {
  const made = makeApiReports(root);
  mkdirSync(join(root, 'docs', 'api'), { recursive: true });
  const leftOver = committedReports(root).filter(file => !made.has(file));
  for (const file of leftOver) rmSync(join(root, 'docs', 'api', file));
  const changed = [...made].filter(([file, text]) => readReport(root, file) !== text);
  for (const [file, text] of changed) writeFileSync(join(root, 'docs', 'api', file), text);
  return [...leftOver, ...changed.map(([file]) => file)];
}

function committedReports(root: string): readonly string[] {
  const folder = join(root, 'docs', 'api');
  return existsSync(folder) ? readdirSync(folder).filter(file => file.endsWith('.api.md')) : [];
}

function differenceOf(root: string, file: string, text: string): readonly string[] {
  const committed = readReport(root, file);
  if (committed === text) return [];
  const lines = new Set((committed ?? '').split('\n'));
  const first = text.split('\n').find(line => !lines.has(line)) ?? 'a line that is gone';
  return [
    `The public types differ from docs/api/${file} (first: "${first}"); run "npm run api" and commit the report.`,
  ];
}

function readReport(root: string, file: string): string | undefined {
  const path = join(root, 'docs', 'api', file);
  return existsSync(path) ? readFileSync(path, 'utf8').replaceAll('\r\n', '\n') : undefined;
}

interface EntryPoint {
  readonly specifier: string;
  readonly types: string;
  readonly file: string;
}

function entryPoints(root: string): readonly EntryPoint[] {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    name: string;
    exports: Readonly<Record<string, unknown>>;
  };
  return Object.entries(exports).flatMap(([path, conditions]) => {
    const types = typesOf(conditions);
    if (types === undefined) return [];
    const file = `${path === '.' ? 'sdk' : path.slice('./'.length).replaceAll('/', '-')}.api.md`;
    return [{ specifier: `${name}${path.slice('.'.length)}`, types: join(root, types), file }];
  });
}

/** The first declaration file that an entry point's conditions name: with `import`, if it differs by condition. */
function typesOf(conditions: unknown): string | undefined {
  if (typeof conditions !== 'object' || conditions === null) return undefined;
  const { types, ...others } = conditions as Record<string, unknown>;
  if (typeof types === 'string') return types;
  return Object.values(others).map(typesOf).find(Boolean);
}

function configOf(root: string, folder: string, { types, file }: EntryPoint): ExtractorConfig {
  const none = { logLevel: ExtractorLogLevel.None };
  const compilerOptions = {
    ...{ target: 'es2024', lib: ['es2024', 'dom', 'dom.iterable'], module: 'nodenext', moduleResolution: 'nodenext' },
    ...{ types: ['node'], typeRoots: [join(root, 'node_modules', '@types')] },
    ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: true },
  };
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: join(root, 'package.json'),
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: types,
      compiler: { overrideTsconfig: { compilerOptions, files: [types] } },
      // A type that is not exported but used by one that is belongs to what users see.
      apiReport: {
        ...{ enabled: true, includeForgottenExports: true },
        ...{ reportFileName: file, reportFolder: folder, reportTempFolder: join(folder, 'temp') },
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: 'lf',
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
        extractorMessageReporting: { default: none },
        tsdocMessageReporting: { default: none },
      },
    },
  });
}

function extract(config: ExtractorConfig, compilerState: CompilerState): readonly string[] {
  const complaints: string[] = [];
  Extractor.invoke(config, {
    localBuild: true,
    compilerState,
    messageCallback(message) {
      message.handled = true;
      if (message.logLevel === ExtractorLogLevel.Error) complaints.push(message.text);
    },
  });
  return complaints;
}

function withSpecifier(text: string, specifier: string): string {
  return text.replace(/^## API Report File for ".*"$/m, `## API report of ${specifier}`);
}

if (resolve(process.argv[1] ?? '') === import.meta.filename) {
  const changed = writeApiReports(dirname(import.meta.dirname));
  console.log(changed.length > 0 ? `Changed in docs/api/: ${changed.join(', ')}` : 'The API reports were current.');
}
