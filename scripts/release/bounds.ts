/** The bounds of a published package, and nowhere else. */

/** Permissive licences, by their SPDX names. */
export const allowedLicences: ReadonlySet<string> = new Set([
  ...['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'CC0-1.0', 'ISC', 'MIT', 'Unlicense'],
]);

/** The sizes of the tarball, in bytes. */
export const tarballMax = { packed: 4_500_000, unpacked: 15_000_000, file: 1_500_000, files: 800 } as const;

/** Every path in the tarball matches one of these. */
export const publishedPaths: readonly RegExp[] = [
  /^(package\.json|LICENSE|(README|CHANGELOG|CODE_OF_CONDUCT|CONTRIBUTING|SECURITY)\.md)$/,
  /^bin\/[\w-]+\.js$/,
  /^deploy\/(Dockerfile|[\w-]+\.(yaml|json|conf|service|env))$/,
  /^dist\/(esm|cjs|service|testing)\/([\w@.-]+\/)*[\w@.-]+\.(js|wasm)(\.map)?$/,
  /^dist\/service\/console\/[\w.-]+\.(html|css)$/,
  /^dist\/(cjs|types)\/package\.json$/,
  /^dist\/types\/([\w-]+\/)*[\w-]+\.d\.m?ts$/,
  /^dist\/native\/(SHA256SUMS|[\w-]+\/(rallypoint\.node|rallypoint-forwarder(\.exe)?))$/,
  /^dist\/THIRD-PARTY-LICENSES\.txt$/,
  /^docs\/([\w-]+\/)*[\w-]+\.(md|svg|png)$/,
  /^native\/(addon|forwarder|shared)\/([\w-]+\/)*[\w.-]+\.(cc|h|mm|def|map)$/,
  /^templates\/game\/(README\.md|gitignore|(package|tsconfig|fixtures)\.json|(game|server|test)\/[\w.-]+\.(js|html))$/,
  /^native\/(README\.md|[\w-]+\.(mjs|d\.mts))$/,
];

/** Paths that no pattern above lets in by accident. */
export const forbiddenPaths: readonly RegExp[] = [
  // The project that `rallypoint init` makes has a test.
  /^(?!templates\/game\/test\/).*?(^|\/)(test|tests|__tests__|node_modules|build|samples|bench)\//,
  /^(?!templates\/game\/test\/).*\.(test|spec)\./,
  /(^|\/)\.[^/]/,
  /\.(tgz|pem|key|p12|log|tsbuildinfo)$/,
];

/** Text that only a path of somebody's machine has. The checkout's own path is looked for besides. */
export const localPaths: readonly RegExp[] = [
  /\/(home|Users)\/[\w.-]+\//,
  /\/root\/[\w.-]/,
  /[A-Z]:\\{1,2}Users\\/,
  // In quotation marks, as a bundler writes the file that it read.
  /["'](?:[A-Z]:)?[\\/][\w.\\/ -]*[\w.-][\\/](?:src|dist|node_modules)[\\/]/,
];

/** Text that only a secret has. */
export const secrets: Readonly<Record<string, RegExp>> = {
  'a private key': /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----[\\\sn]+[A-Za-z0-9+/=]{40}/,
  'an npm token': /\bnpm_[A-Za-z0-9]{36}\b/,
  'a GitHub token': /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{50,})\b/,
  'an AWS access key': /\bAKIA[0-9A-Z]{16}\b/,
  'a bot token': /\b[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,45}\b/,
};

/** Where a publish has native files for. */
export const nativePlatforms = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-x64'] as const;
