import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signInAs } from '../../samples/quickstart/player-browser.ts';
import { apiErrors } from '../../src/model/errors/errors.ts';
import { findingCodes } from '../../src/sdk/redirect/doctor/finding.ts';
import { freePort } from '../support/runs/free-port.ts';
import { Guide, type Program } from '../support/runs/guide.ts';
import { needs } from '../support/runs/parts.ts';

/** docs/authorization.md and its reference, done as they say. The control API's consent stands for the player. */
const root = resolve(import.meta.dirname, '../..');
const linux = await needs('linux');
const registered = await needs('desktop-tools');
const redirected = await needs('desktop-tools', 'forwarder');
const realOpener = spawnSync('which', ['xdg-open']).stdout?.toString().trim() ?? '';
const programs = ['sign-in.mjs', 'keep.mjs', 'scheme.mjs', 'device.mjs', 'guest.mjs', 'child.mjs', 'expiry.mjs'];
const [port, loginPort] = await Promise.all([freePort(), freePort()]);
const guide = new Guide(['docs/authorization.md', 'docs/authorization-reference.md'], {
  8910: String(port),
  8911: String(loginPort),
});
let control: Readonly<Record<string, string>>;
let profilesCount = 0;

/** A person's machine without a keyring: its own folders, and a browser that agrees at once. */
function machine(player = '9'): NodeJS.ProcessEnv {
  const home = join(guide.folder, `home-${++profilesCount}`);
  const runtime = join(home, 'run');
  mkdirSync(runtime, { recursive: true, mode: 0o700 });
  const { DBUS_SESSION_BUS_ADDRESS: _, DISPLAY: __, WAYLAND_DISPLAY: ___, ...env } = process.env;
  return {
    ...env,
    HOME: home,
    XDG_DATA_HOME: join(home, 'data'),
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_RUNTIME_DIR: runtime,
    PATH: `${join(guide.folder, 'system')}${delimiter}${process.env.PATH}`,
    GUIDE_PLAYER: player,
    ...control,
  };
}

function run(file: string, env: NodeJS.ProcessEnv, ...args: string[]): Program {
  return guide.run([...guide.said(`node ${file}`), ...args], env);
}

/** In place of the system's browser: it agrees, and goes where the service sends it. */
const person = `
  import { execFileSync } from 'node:child_process';
  import { writeFileSync } from 'node:fs';
  const { GUIDE_CONTROL, GUIDE_TOKEN, GUIDE_PLAYER, GUIDE_KEEPS, GUIDE_OPENER } = process.env;
  const answer = await fetch(GUIDE_CONTROL + '/consent', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + GUIDE_TOKEN, 'content-type': 'application/json' },
    body: JSON.stringify({ authorize_url: process.argv.at(-1), user_id: GUIDE_PLAYER, decision: 'approve' }),
  });
  const { redirect_to: address } = await answer.json();
  if (GUIDE_KEEPS) writeFileSync(GUIDE_KEEPS, address);
  else if (address.startsWith('http:')) await fetch(address);
  // Without a display it asks nobody who opens a scheme.
  else execFileSync(GUIDE_OPENER, [address], { env: { ...process.env, DISPLAY: ':0' } });`;

beforeAll(async () => {
  for (const name of ['fixtures.json', 'client.mjs', 'login.mjs', ...programs]) guide.write(name);
  mkdirSync(join(guide.folder, 'system'));
  writeFileSync(join(guide.folder, 'system/person.mjs'), person);
  const opener = join(guide.folder, 'system/xdg-open');
  const agree = `exec '${process.execPath}' '${join(guide.folder, 'system/person.mjs')}' "$@"`;
  writeFileSync(opener, `#!/bin/sh\ncase "$1" in http:*) ${agree};; *) exec '${realOpener}' "$@";; esac\n`);
  chmodSync(opener, 0o755);
  const [, ...dev] = guide.said('npx rallypoint dev --fixtures fixtures.json');
  await guide.run([join(root, 'bin/rallypoint.js'), ...dev, '--port', String(port)], process.env).shows('Ctrl+C');
  const line = readFileSync(join(guide.folder, '.rallypoint/ready.json'), 'utf8');
  const { control_base, control_token } = JSON.parse(line) as Record<string, string>;
  control = { GUIDE_CONTROL: control_base ?? '', GUIDE_TOKEN: control_token ?? '', GUIDE_OPENER: realOpener };
});

afterAll(() => guide.close());

describe.skipIf(linux.missing)(`the guide to authorization${linux.note}`, { timeout: 60_000 }, () => {
  it('signs a player in', async () => {
    const program = run('sign-in.mjs', machine());
    expect([await program.ends(), program.output]).toEqual([0, 'Signed in as Ada, for 7 days.\n']);
    expect(guide.text).toContain(`\`${program.output.trim()}\``);
  });

  it('keeps the player signed in: the next start, a second window, and a sign-out in one of them', async () => {
    const env = machine();
    const first = run('keep.mjs', env);
    await first.shows('No player is signed in.');
    first.say('in');
    await first.shows('Signed in. Stored in: file (encrypted-file).');
    await first.shows('Connected as user 9.');
    first.child.stdin?.end();
    expect(await first.ends()).toBe(0);

    const windows = [run('keep.mjs', env), run('keep.mjs', env)];
    await Promise.all(windows.map(window => window.shows('Connected as user 9.')));
    for (const window of windows) expect(window.output).not.toContain('No player is signed in.');
    windows[0]?.say('out');
    await Promise.all(windows.map(window => window.shows('You signed out, here or in another window.')));
    windows[1]?.say('in');
    const [again] = await Promise.all(
      windows.map(async window => {
        await window.shows('window.\nSigned in. Stored in: file (encrypted-file).\nConnected as user 9.');
        return window.output;
      }),
    );
    expect(again).not.toContain('Failed');
    for (const window of windows) window.child.stdin?.end();
    expect(await Promise.all(windows.map(window => window.ends()))).toEqual([0, 0]);
  });

  it('says why the player is signed out after a sign-out on another machine', async () => {
    const [here, there] = [run('keep.mjs', machine('10')), run('keep.mjs', machine('10'))];
    for (const window of [here, there]) {
      window.say('in');
      await window.shows('Connected as user 10.');
    }
    there.say('out');
    await here.shows('Your authorization was revoked.');
    for (const window of [here, there]) window.child.stdin?.end();
    expect(await Promise.all([here.ends(), there.ends()])).toEqual([0, 0]);
  });

  it.skipIf(redirected.missing)(
    `receives the redirect to the scheme through xdg-open and the forwarder, and the doctor finds no problem${redirected.note}`,
    async () => {
      const env = machine();
      const program = run('scheme.mjs', env);
      await program.shows('starfall-game:/authorize/callback is delivered by the ');
      await program.shows('The player is back.\nUser 9 is signed in.\n');
      expect(await program.ends()).toBe(0);

      const [, ...asked] = guide.said('npx rallypoint doctor --scheme starfall-game');
      const doctor = guide.run([join(root, 'bin/rallypoint.js'), ...asked, '--json'], env);
      expect(await doctor.ends()).toBe(1);
      const findings = JSON.parse(doctor.output) as { code: string; ok: boolean }[];
      expect(findings.map(({ code }) => code)).toEqual(findingCodes);
      // There is no keyring on this machine, and all else is well.
      expect(findings.filter(({ ok }) => !ok).map(({ code }) => code)).toEqual(['keychain']);
    },
  );

  it('lists every check of the doctor', () => {
    for (const code of findingCodes) expect(guide.text).toMatch(new RegExp(`^\\| (\`\\w+\`, )?\`${code}\``, 'm'));
  });

  it.skipIf(registered.missing)(
    `finishes the sign-in of a game that was killed, and rejects any other address${registered.note}`,
    async () => {
      const env = machine();
      const kept = join(guide.folder, 'kept-address');
      const first = run('scheme.mjs', { ...env, GUIDE_KEEPS: kept });
      await expect.poll(() => readIfThere(kept), { timeout: 30_000 }).toMatch(/^starfall-game:/);
      first.child.kill('SIGKILL');
      await first.ends();

      const forged = run(
        'scheme.mjs',
        { ...env, GUIDE_KEEPS: kept },
        'starfall-game:/authorize/callback?code=c&state=s',
      );
      const address = readIfThere(kept);
      await forged.shows('The address was rejected: foreign_redirect');
      await expect.poll(() => readIfThere(kept), { timeout: 30_000 }).not.toBe(address);
      forged.child.kill('SIGKILL');
      await forged.ends();

      const next = run('scheme.mjs', env, readIfThere(kept));
      await next.shows('User 9 is signed in.');
      expect(await next.ends()).toBe(0);
    },
  );

  it('signs in on another device', async () => {
    const program = run('device.mjs', machine());
    await program.shows('or scan ');
    const address = /or scan (\S+)/.exec(await program.shows('\n'))?.[1] ?? '';
    await signInAs('grace', address);
    await program.shows('The sign-in is granted.\nSigned in as Grace.\n');
    expect(await program.ends()).toBe(0);
  });

  it('lets a guest play, and merges the guest into an account', async () => {
    const login = run('login.mjs', machine());
    await login.shows('The login is ready.');
    const program = run('guest.mjs', machine());
    expect(await program.ends()).toBe(0);
    expect(program.output).toBe('Playing as Edsger the Guest.\nEdsger the Guest is now Ada.\n');
  });

  it('exchanges a token of the publisher for a token of one of its games', async () => {
    const program = run('child.mjs', machine());
    expect([await program.ends(), program.output]).toEqual([0, 'Ada plays Starfall Two.\n']);
  });

  it('refreshes a token that is about to expire', async () => {
    const path = join(guide.folder, 'expiry.mjs');
    // In place of a week: the client is told that it ends in a minute.
    const hurried = readFileSync(path, 'utf8').replace(
      /client\.updateToken\(tokens\);\nawait/,
      'client.updateToken({ ...tokens, expiresAtMs: Date.now() + 60_000 });\nawait',
    );
    expect(hurried).toContain('60_000');
    writeFileSync(path, hurried);
    const program = guide.run([path], machine());
    await program.shows('Refreshed in time.');
  });

  it('compiles against the types of the SDK', async () => {
    expect(await guide.check(programs)).toBe('');
  });

  it('contains no code block that these tests do not run', () => {
    const blocks = guide.text.match(/^```js$/gm) ?? [];
    expect(blocks).toHaveLength([...guide.files].filter(name => name.endsWith('.mjs')).length);
  });

  it('lists only error codes that exist', () => {
    const table = guide.text.slice(guide.text.indexOf('## Errors'), guide.text.indexOf('## What was tested'));
    const listed = [...table.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = '']) => [...cell.matchAll(/`(\w+)`/g)]);
    const codes = listed.flatMap(([, code = '']) => (code === 'code' ? [] : [code]));
    expect(codes.length).toBeGreaterThan(30);
    const unknown = codes.filter(code => !(code in apiErrors) && !sourcesName(code));
    expect(unknown).toEqual([]);
  });
});

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function sourcesName(code: string): boolean {
  return spawnSync('grep', ['-rqE', `'${code}'|\`${code}\``, join(root, 'src')]).status === 0;
}
