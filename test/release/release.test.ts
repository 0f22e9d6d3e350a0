import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CopiedCheckout } from './copied-checkout.ts';

let checkout: CopiedCheckout;
beforeAll(() => {
  checkout = new CopiedCheckout();
}, 60_000);
afterEach(() => checkout.restore());
afterAll(() => checkout.remove());

/** What a dry run of one step says against a release. */
function reasonsOf(step: string, ...args: string[]): readonly string[] {
  const { status, reasons } = checkout.release('--dry-run', '--only', step, ...args);
  expect(status).toBe(reasons.length === 0 ? 0 : 1);
  return reasons;
}

describe('a dry run', () => {
  it.each([
    ['src/model/version.ts', "'0.0.9'", 'src/model/version.ts says version 0.0.9, package.json says version'],
    ['package-lock.json', '"0.0.9"', 'package-lock.json says version 0.0.9, package.json says version'],
  ])('names the version of %s when it is not that of package.json', (file, version, reason) => {
    checkout.plant(file, text => text.replace(/(version(?: =|":) )(['"]).*?\2/, `$1${version}`));
    expect(reasonsOf('version')).toEqual([expect.stringContaining(reason.replace(/ says version$/, ''))]);
  });

  it('names the newest release of the changelog when package.json has another version', () => {
    checkout.plant('CHANGELOG.md', text => `${text}\n## [9.9.9] - 2026-01-01\n\n### Added\n\n- Something.\n`);
    expect(reasonsOf('version')).toEqual([
      expect.stringMatching(/^The newest release in CHANGELOG\.md says version 9\.9\.9, package\.json says \d/),
    ]);
  });

  it('rejects a changelog without an entry for the release', () => {
    checkout.plant('CHANGELOG.md', text => text.replace(/^## \[Unreleased\]$[\s\S]*/m, '## [Unreleased]\n'));
    expect(reasonsOf('changelog')).toEqual([
      'CHANGELOG.md has no entry under "## [Unreleased]" that says what this release changes.',
    ]);
  });

  it('names the line of a changelog that is not in the form of Keep a Changelog', () => {
    checkout.plant('CHANGELOG.md', text => text.replace('### Added', '### New things'));
    expect(reasonsOf('changelog')).toEqual([
      expect.stringMatching(/^CHANGELOG\.md:\d+: "### New things" must be one of Added, Changed, /),
    ]);
  });

  it('names a package whose licence is not on the allow list, installed or bundled', () => {
    checkout.plant('package-lock.json', text =>
      text.replace(/("node_modules\/@napi-rs\/keyring-darwin-x64": \{[^}]*?"license": )"MIT"/, '$1"SSPL-1.0"'),
    );
    checkout.plant('dist/THIRD-PARTY-LICENSES.txt', text =>
      text.replace(/^(fastify \S+) \(MIT\)$/m, '$1 (GPL-3.0-only)'),
    );
    expect(reasonsOf('licences')).toEqual([
      expect.stringMatching(
        /^@napi-rs\/keyring-darwin-x64 \S+ has the licence SSPL-1\.0, which is not on the allow list/,
      ),
      expect.stringMatching(/^fastify \S+ has the licence GPL-3\.0-only, which is not on the allow list/),
    ]);
  });

  it('names the report of public types that changed without it, and the command that updates it', () => {
    const report = 'api/electron.api.md';
    checkout.plant(report, text => text.replace('export function openWithShell', 'export function openWithoutShell'));
    expect(reasonsOf('api')).toEqual([
      expect.stringMatching(
        /^The public types differ from api\/electron\.api\.md .*openWithoutShell.*run "npm run api"/,
      ),
    ]);
  }, 60_000);

  it('names what the tarball should not hold: an older build, tests, broken links, secrets, folders of a machine, files over their bound', () => {
    const secret = `npm_${'a1'.repeat(18)}`;
    checkout.plant('dist/esm/client.test.js', () => '// a test\n');
    checkout.plant('dist/esm/token.js', () => `export const token = '${secret}';\n`);
    checkout.plant('dist/esm/place.js', () => "export const place = '/home/ada/game';\n");
    checkout.plant('dist/esm/large.js', () => `// ${'x'.repeat(5_000_000)}\n`);
    checkout.plant('package.json', text => text.replace(/("version": ")[^"]*/, '$19.9.9'));
    checkout.plant('README.md', text => `${text}\n[The missing page](docs/missing.md)\n`);
    expect(reasonsOf('tarball').filter(reason => !reason.startsWith('The unpacked package'))).toEqual([
      expect.stringMatching(/^The packed command says version .*, package\.json says 9\.9\.9; run "npm run build"\.$/),
      'Not meant to be published: dist/esm/client.test.js; leave it out by "files" in package.json.',
      'Links in the package lead out of it: docs/missing.md in README.md.',
      'A path of a machine (/home/ada/) is in dist/esm/place.js.',
      'What looks like an npm token is in dist/esm/token.js.',
      expect.stringMatching(/^dist\/esm\/large\.js has 5\.00 MB; the bound in scripts\/release\/bounds\.ts is /),
    ]);
  }, 60_000);

  it('names settings without which npm cannot attest where the package comes from', () => {
    checkout.plant('package.json', text => text.replace('"provenance": true', '"provenance": false'));
    checkout.plant('.github/workflows/ci.yml', text => text.replace('id-token: write', 'id-token: none'));
    expect(reasonsOf('provenance')).toEqual([
      'package.json must set publishConfig.provenance to true.',
      '.github/workflows/ci.yml must give its publish job "id-token: write".',
    ]);
  });

  it('names a tag of another version', () => {
    expect(reasonsOf('version', '--tag', 'v9.9.9')).toEqual([
      expect.stringMatching(/^The tag is v9\.9\.9, but package\.json says version .*: expected v\d/),
    ]);
  });
});

describe('a call that makes no sense', () => {
  it.each([
    ['nothing', []],
    ['a dry run of a new version', ['--dry-run', 'minor']],
    ['a version from some of the steps', ['minor', '--only', 'version']],
    ['an unknown step', ['--dry-run', '--only', 'everything']],
    ['an unknown option', ['--publish']],
  ])('ends with 2 and says why: %s', (_, args) => {
    const { status, stderr } = checkout.release(...args);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^(Usage: |There is no step everything|Unknown option '--publish')/);
  });
});

describe('a release', () => {
  it('is checked in every step, written, committed and tagged, and neither pushed nor published', () => {
    checkout.git('init', '--quiet', '--initial-branch', 'main');
    checkout.git('add', '--all');
    checkout.git('commit', '--quiet', '--message', 'before');

    checkout.plant('README.md', text => `${text}\nNot committed.\n`);
    expect(checkout.release('minor', '--only', 'worktree').status).toBe(2);
    expect(reasonsOf('worktree')).toEqual([]);
    checkout.restore();

    const { status, stdout, stderr } = checkout.release('7.8.9');
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^provenance +ready/m);
    expect(stdout).toMatch(/^sha256 [0-9a-f]{64} {2}rallypoint-sdk-/m);
    expect(stdout).toContain('git push origin HEAD v7.8.9');
    expect(checkout.git('log', '-1', '--format=%s')).toBe('release: 7.8.9');
    expect(checkout.git('describe', '--exact-match')).toBe('v7.8.9');
    expect(checkout.git('status', '--porcelain')).toBe('');
    expect(checkout.read('CHANGELOG.md')).toMatch(/^## \[Unreleased\]\n\n## \[7\.8\.9\] - \d{4}-\d\d-\d\d$/m);
    expect(checkout.read('src/model/version.ts')).toContain("'7.8.9'");

    const after = checkout.release('--dry-run', '--only', 'version,changelog', '--tag', 'v7.8.9');
    expect(after).toMatchObject({ status: 0, reasons: [] });
    expect(checkout.release('patch').stderr).toBe('CHANGELOG.md has no entry under "## [Unreleased]".\n');

    checkout.plant('CHANGELOG.md', text =>
      text.replace('[Unreleased]\n\n', '[Unreleased]\n\n### Fixed\n\n- A fault.\n\n'),
    );
    expect(checkout.release('7.8.8').stderr).toBe('7.8.8 is not newer than 7.8.9, the last release in CHANGELOG.md.\n');
    expect(checkout.release('7.9').stderr).toContain(
      '"7.9" is no version; name major, minor, patch or one of the form',
    );
    checkout.plant('api/model.api.md', text => text.replace('export const limits', 'export const bounds'));
    const { status: rejected, stderr: removal } = checkout.release('patch');
    expect(rejected).toBe(1);
    expect(removal).toMatch(
      /^api\/model\.api\.md lost 1 lines since v7\.8\.9 \(first: "export const limits.*release a minor version\.$/m,
    );
  }, 120_000);
});
