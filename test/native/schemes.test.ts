import { execFile } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NativeAddon, SchemeRegistration } from '../../src/sdk/native/contract.ts';
import { temporaryFolder } from '../support/runs/folder.ts';
import { needs } from '../support/runs/parts.ts';
import { tries } from '../support/runs/tries.ts';
import { builtAddon, compiled } from './built.ts';
import { type Desktop, desktopIn, withEnv, writeProgram } from './desktop.ts';

const run = promisify(execFile);
const scheme = 'discord-123';
const type = `x-scheme-handler/${scheme}`;
const ours: SchemeRegistration = { scheme, id: 'starfall.desktop', name: 'Starfall', command: ['/bin/true', '--play'] };
const list = 'mimeapps.list';

const tools = {
  'desktop-file-validate': await needs('desktop-file-validate'),
  'desktop-tools': await needs('desktop-tools'),
};
/** `it` for what needs programs of the system. */
const itWith = (part: keyof typeof tools) => (title: string, work: () => unknown) =>
  it.skipIf(tools[part].missing)(`${title}${tools[part].note}`, work);

describe.skipIf(compiled.missing)(`schemes of a freedesktop system${compiled.note}`, () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let desktop: Desktop;
  let addon: NativeAddon;

  beforeEach(async () => {
    folder = await temporaryFolder();
    desktop = desktopIn(folder.path);
    addon = await builtAddon();
  });
  afterEach(() => folder.remove());

  const inside = <T>(work: () => Promise<T> | T, env = desktop.env) => withEnv(env, work);
  const handlerId = (env = desktop.env) => inside(() => addon.handlerOf(scheme)?.id, env);
  const ask = async (command: string, ...args: string[]) =>
    (await run(command, args, { env: { ...process.env, ...desktop.env } })).stdout;

  describe('registering', () => {
    it('writes an entry and makes it the default; both again change nothing', async () => {
      await inside(() => {
        expect(addon.handlerOf(scheme)).toBeUndefined();
        addon.registerScheme(ours);
        expect(addon.handlerOf(scheme)).toEqual({ id: ours.id, command: '/bin/true --play %u' });
      });
      const first = [desktop.read('XDG_CONFIG_HOME', list), desktop.read('XDG_DATA_HOME', `applications/${ours.id}`)];
      await inside(() => addon.registerScheme(ours));
      expect([desktop.read('XDG_CONFIG_HOME', list), desktop.read('XDG_DATA_HOME', `applications/${ours.id}`)]).toEqual(
        first,
      );
      expect(readdirSync(desktop.env.XDG_CONFIG_HOME ?? '')).toEqual([list]);
      expect(readdirSync(join(desktop.env.XDG_DATA_HOME ?? '', 'applications'))).toEqual([ours.id]);
    });

    itWith('desktop-file-validate')('writes an entry that the validator accepts', async () => {
      const command = [
        '/bin/true',
        'a b',
        '"quoted"',
        '$HOME',
        '100%',
        'back\\slash',
        '`x`',
        "it's",
        '',
        'größer',
        '%u',
      ];
      await inside(() => addon.registerScheme({ ...ours, name: 'Star\\fall ✨ = [1];', command }));
      const path = join(desktop.env.XDG_DATA_HOME ?? '', 'applications', ours.id);
      expect(await ask('desktop-file-validate', path)).toBe('');
    });

    itWith('desktop-tools')('is what xdg-mime answers', async () => {
      await inside(() => addon.registerScheme(ours));
      expect((await ask('xdg-mime', 'query', 'default', type)).trim()).toBe(ours.id);
    });

    itWith('desktop-tools')('is what gio answers', async () => {
      await inside(() => addon.registerScheme(ours));
      expect(await defaultByGio(ask)).toBe(ours.id);
    });

    it('does not change other lines of the list', async () => {
      const before = [
        '# mine',
        '',
        '[Added Associations]',
        'text/plain=a.desktop;b.desktop;',
        '',
        '[Default Applications]',
      ];
      const after = ['x-scheme-handler/http = web.desktop', '', '[Other]', `${type}=other.desktop`, '# end'];
      desktop.write('XDG_CONFIG_HOME', list, [...before, ...after]);
      await inside(() => addon.registerScheme(ours));
      const expected = [...before, after[0], `${type}=${ours.id}`, ...after.slice(1)];
      expect(desktop.read('XDG_CONFIG_HOME', list)).toBe(`${expected.join('\n')}\n`);
      await inside(() => addon.unregisterScheme(scheme, ours.id));
      expect(desktop.read('XDG_CONFIG_HOME', list)).toBe(`${[...before, ...after].join('\n')}\n`);
    });

    it('replaces the previous default, which is restored afterwards', async () => {
      desktop.install('XDG_DATA_DIRS', 'before.desktop');
      desktop.write('XDG_CONFIG_HOME', list, ['[Default Applications]', `${type}=before.desktop`]);
      expect(await handlerId()).toBe('before.desktop');
      await inside(() => addon.registerScheme(ours));
      expect(await handlerId()).toBe(ours.id);
      await inside(() => addon.unregisterScheme(scheme, ours.id));
      expect(await handlerId()).toBe('before.desktop');
    });

    it('follows a link to the list, and keeps the link and the permissions', async () => {
      const real = join(folder.path, 'dotfiles.list');
      writeFileSync(real, '[Default Applications]\n', { mode: 0o640 });
      mkdirSync(desktop.env.XDG_CONFIG_HOME ?? '');
      symlinkSync(real, join(desktop.env.XDG_CONFIG_HOME ?? '', list));
      await inside(() => addon.registerScheme(ours));
      expect(lstatSync(join(desktop.env.XDG_CONFIG_HOME ?? '', list)).isSymbolicLink()).toBe(true);
      expect(statSync(real).mode & 0o777).toBe(0o640);
      expect(await handlerId()).toBe(ours.id);
    });

    it('loses no entry when 8 processes register concurrently', async () => {
      const script = join(import.meta.dirname, 'register-scheme.ts');
      const schemes = Array.from({ length: 8 }, (_, index) => `game-${index}`);
      const env = { ...process.env, ...desktop.env };
      await Promise.all(schemes.map(each => run(process.execPath, [script, each], { env })));
      await inside(() => {
        for (const each of schemes) expect(addon.handlerOf(each)?.id).toBe(`${each}.desktop`);
      });
    });

    it('throws the system’s error code, and leaves nothing half done', async () => {
      writeFileSync(join(folder.path, 'file'), '');
      const env = { ...desktop.env, XDG_DATA_HOME: join(folder.path, 'file', 'below') };
      await inside(
        () => expect(() => addon.registerScheme(ours)).toThrow(expect.objectContaining({ code: 'ENOTDIR' })),
        env,
      );
      desktop.write('XDG_CONFIG_HOME', `${list}/in-the-way`, []);
      await inside(() => expect(() => addon.registerScheme(ours)).toThrow(expect.objectContaining({ code: 'EACCES' })));
      expect(readdirSync(desktop.env.XDG_CONFIG_HOME ?? '')).toEqual([list]);
    });

    it('throws when neither a configuration folder nor a home is set', async () => {
      const env = { XDG_CONFIG_HOME: '', XDG_DATA_HOME: 'relative', HOME: '' };
      await inside(
        () => expect(() => addon.registerScheme(ours)).toThrow(expect.objectContaining({ code: 'ENOENT' })),
        env,
      );
    });

    it.each([
      ['invalid_scheme', { scheme: '' }],
      ['invalid_scheme', { scheme: 'a' }],
      ['invalid_scheme', { scheme: 'Discord' }],
      ['invalid_scheme', { scheme: '1ab' }],
      ['invalid_scheme', { scheme: 'a b' }],
      ['invalid_scheme', { scheme: 'ab:' }],
      ['invalid_scheme', { scheme: 'ab\n[x]' }],
      ['invalid_scheme', { scheme: `a${'b'.repeat(127)}` }],
      ['invalid_handler_id', { id: '' }],
      ['invalid_handler_id', { id: 'starfall' }],
      ['invalid_handler_id', { id: '../starfall.desktop' }],
      ['invalid_handler_id', { id: 'a;b.desktop' }],
      ['invalid_handler_id', { id: '.desktop' }],
      ['invalid_name', { name: '' }],
      ['invalid_name', { name: 'Star\nExec=evil' }],
      ['invalid_command', { command: [] }],
      ['invalid_command', { command: ['relative'] }],
      ['invalid_command', { command: [''] }],
      ['invalid_command', { command: ['/bin/true', 'a\nb'] }],
      ['invalid_command', { command: ['/bin/true', 'a\0b'] }],
    ] as const)('refuses with %s what would not stay one line: %j', async (code, wrong) => {
      await inside(() =>
        expect(() => addon.registerScheme({ ...ours, ...wrong })).toThrow(expect.objectContaining({ code })),
      );
      expect(readdirSync(folder.path)).toEqual([]);
    });
  });

  describe('taking back', () => {
    it('removes our entry, and is idempotent', async () => {
      await inside(() => {
        addon.unregisterScheme(scheme, ours.id);
        addon.registerScheme(ours);
        addon.unregisterScheme(scheme, ours.id);
        addon.unregisterScheme(scheme, ours.id);
        expect(addon.handlerOf(scheme)).toBeUndefined();
      });
      expect(readdirSync(join(desktop.env.XDG_DATA_HOME ?? '', 'applications'))).toEqual([]);
      expect(desktop.read('XDG_CONFIG_HOME', list)).not.toContain(scheme);
    });

    it('does not touch other registrations, nor an entry of that name for another scheme', async () => {
      desktop.install('XDG_DATA_HOME', 'other.desktop', ['MimeType=text/plain;']);
      desktop.write('XDG_CONFIG_HOME', list, ['[Default Applications]', `${type}=other.desktop`]);
      const before = desktop.read('XDG_CONFIG_HOME', list);
      await inside(() => addon.unregisterScheme(scheme, ours.id));
      expect(desktop.read('XDG_CONFIG_HOME', list)).toBe(before);
      await inside(() => addon.unregisterScheme('text', 'other.desktop'));
      expect(await handlerId()).toBe('other.desktop');
    });
  });

  describe('asking', () => {
    it('finds no handler when the program is missing, the entry hidden, or its file missing', async () => {
      desktop.write('XDG_CONFIG_HOME', list, [
        '[Default Applications]',
        `${type}=gone.desktop;hidden.desktop;none.desktop;`,
      ]);
      desktop.write('XDG_DATA_DIRS', 'applications/gone.desktop', [
        '[Desktop Entry]',
        'Type=Application',
        'Exec=/gone %u',
      ]);
      desktop.install('XDG_DATA_DIRS', 'hidden.desktop', ['Hidden=true']);
      expect(await handlerId()).toBeUndefined();
      desktop.install('XDG_DATA_DIRS', 'none.desktop');
      expect(await handlerId()).toBe('none.desktop');
    });

    it('has the lists of the running desktop first, then the user, the system, and the folders of entries', async () => {
      const ids = ['a', 'b', 'c', 'd', 'e', 'f'].map(name => `${name}.desktop`);
      for (const id of ids) desktop.install('XDG_DATA_DIRS', id);
      const env = { ...desktop.env, XDG_CURRENT_DESKTOP: 'Here:There' };
      const places = [
        ['XDG_DATA_DIRS', 'applications/mimeapps.list'],
        ['XDG_DATA_HOME', 'applications/mimeapps.list'],
        ['XDG_CONFIG_DIRS', 'mimeapps.list'],
        ['XDG_CONFIG_HOME', 'mimeapps.list'],
        ['XDG_CONFIG_HOME', 'there-mimeapps.list'],
        ['XDG_CONFIG_HOME', 'here-mimeapps.list'],
      ] as const;
      for (const [index, [variable, name]] of places.entries()) {
        desktop.write(variable, name, ['[Default Applications]', `${type}=${ids[index]}`]);
        expect(await handlerId(env)).toBe(ids[index]);
      }
      // A desktop that does not run has no say.
      expect(await handlerId()).toBe(ids[3]);
    });

    // Hidden entries apart, which gio takes for the default against the specification.
    itWith('desktop-tools')('agrees with gio on any arrangement of lists and entries', async () => {
      const names = ['a', 'b', 'c'].map(name => `${name}.desktop`);
      const some = fc.subarray(names);
      const said = fc.record({ defaults: some, added: some, removed: some }, { requiredKeys: [] });
      const lists = [
        ['XDG_CONFIG_HOME', 'here-mimeapps.list'],
        ['XDG_CONFIG_HOME', 'mimeapps.list'],
        ['XDG_CONFIG_DIRS', 'mimeapps.list'],
        ['XDG_DATA_HOME', 'applications/mimeapps.list'],
        ['XDG_DATA_DIRS', 'applications/mimeapps.list'],
      ] as const;
      const caches = [
        ['XDG_CONFIG_HOME', 'mimeinfo.cache'],
        ['XDG_DATA_HOME', 'applications/mimeinfo.cache'],
        ['XDG_DATA_DIRS', 'applications/mimeinfo.cache'],
      ] as const;
      const arrangement = fc.record({
        said: fc.array(fc.option(said), { minLength: lists.length, maxLength: lists.length }),
        homes: some,
        systems: some,
        cached: fc.array(some, { minLength: caches.length, maxLength: caches.length }),
      });
      // What a list removes is in the cache beside it, and nothing is added there.
      const removedBesideCache = {
        said: [null, null, null, null, { removed: ['c.desktop'] }],
        homes: [],
        systems: ['c.desktop'],
        cached: [[], [], ['c.desktop']],
      };
      await fc.assert(
        fc.asyncProperty(arrangement, async arranged => {
          const world = await temporaryFolder();
          desktop = desktopIn(world.path, 'Here');
          const groups = {
            defaults: 'Default Applications',
            added: 'Added Associations',
            removed: 'Removed Associations',
          } as const;
          for (const [index, [variable, name]] of lists.entries()) {
            const each = arranged.said[index];
            if (!each) continue;
            const lines = (Object.keys(groups) as (keyof typeof groups)[]).flatMap(group =>
              each[group]
                ? [`[${groups[group]}]`, `${type}=${each[group].join(';')}${each[group].length > 1 ? ';' : ''}`]
                : [],
            );
            desktop.write(variable, name, lines);
          }
          for (const id of arranged.homes) desktop.install('XDG_DATA_HOME', id);
          for (const id of arranged.systems) desktop.install('XDG_DATA_DIRS', id);
          for (const [index, [variable, name]] of caches.entries()) {
            desktop.write(variable, name, ['[MIME Cache]', `${type}=${arranged.cached[index]?.join(';')}`]);
          }
          expect((await handlerId()) ?? 'none').toBe(await defaultByGio(ask));
          await world.remove();
        }),
        { ...tries(40, 1_000), examples: [[removedBesideCache]] },
      );
    });
  });

  describe('a real launch', () => {
    const launch = itWith('desktop-tools');
    const address = `${scheme}:/authorize/callback?code=a%20b&state=x'y"z$HOME\`id\`;|*~(1)#%s\\`;

    launch('hands the address over byte for byte, whatever stands in the path and the arguments', async () => {
      const program = join(folder.path, 'a b\'c"d$e%f\\g`h;i&j (1)', 'player');
      const told = join(folder.path, 'told');
      const args = ['a b', '', '"', "'", '$HOME', '%u', '100%', '\\', '`id`', 'größer', '~', '*', '#x', '--x=y'];
      // Writing to a pipe ends when it has been read, so nothing waits by the clock.
      await run('mkfifo', [told]);
      writeProgram(program, [`printf '%s\\0' "$@" >'${told}'`]);
      await inside(() => addon.registerScheme({ ...ours, command: [program, ...args] }));
      expect(await handlerId()).toBe(ours.id);
      const env = { ...process.env, ...desktop.env, XDG_CURRENT_DESKTOP: 'GNOME' };
      const [received] = await Promise.all([run('cat', [told]), run('xdg-open', [address], { env })]);
      expect(received.stdout.split('\0').slice(0, -1)).toEqual([...args, address]);
    });
  });
});

async function defaultByGio(ask: (command: string, ...args: string[]) => Promise<string>): Promise<string> {
  const said = await ask('gio', 'mime', type).catch((error: { stdout?: string }) => error.stdout ?? '');
  return /^Default application for .*: (.*)$/m.exec(said)?.[1] ?? 'none';
}
