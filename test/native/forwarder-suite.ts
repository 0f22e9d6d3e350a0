import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ForwarderOutcome,
  forwarderAgreement,
  forwarderAnswers,
  forwarderExitCodes,
} from '../../src/sdk/native/forwarder.ts';
import { temporaryFolder } from '../support/runs/folder.ts';
import { needs } from '../support/runs/parts.ts';
import { root } from './built.ts';
import { type Listener, listenAt, says } from './listener.ts';

const start = 'discord-123:/authorize/callback?';
const address = `${start}code=a%20b&state='"$HOME\`id\`;|&*~#\\größer ✨`;
const game = [process.execPath, join(import.meta.dirname, 'started-game.ts')] as const;
const byRoot = await needs('root');
const { addressBytesMax, answerMsMax } = forwarderAgreement;

/**
 * Everything a forwarder must do, for any build of it.
 *
 * @param unheard why a program that cannot be started is not reported here; tests that need it are then skipped
 */
export function forwarderSuite(binary: string, unheard?: string): void {
  const itHears = it.skipIf(unheard !== undefined);
  const skipped = unheard === undefined ? '' : ` (skipped: ${unheard})`;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let socket: string;
  let listener: Listener | undefined;
  const children: ChildProcess[] = [];

  beforeEach(async () => {
    folder = await temporaryFolder();
    socket = join(folder.path, 'run', 'game.sock');
    listener = undefined;
  });
  afterEach(async () => {
    await listener?.close();
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await folder.remove();
  });

  const forward = (...args: readonly (string | Buffer)[]) => runForwarder(binary, args);
  /** How it ends with a game that does not start. */
  const hand = async (text: string | Buffer, path = socket) => (await forward(path, '/nonexistent/game', text)).outcome;

  describe('with a game that listens', () => {
    it.each(forwarderAnswers)('exits with the code of %s when the game answers it', async answer => {
      listener = await listenAt(socket, says(answer));
      expect(await hand(address)).toBe(answer);
      expect(listener.received).toEqual([`${address}\n`]);
    });

    it('delivers every character that a line can have', async () => {
      listener = await listenAt(socket, says('accepted'));
      const characters = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index)).join('');
      const text = `${start}${characters}é€𐍈\u00a0`;
      expect(await hand(text)).toBe('accepted');
      expect(listener.received).toEqual([`${text}\n`]);
    });

    it('reads an answer that arrives in pieces, and nothing after it', async () => {
      listener = await listenAt(socket, game => {
        game.write('acce');
        setImmediate(() => game.end('pted\nrefused\n'));
      });
      expect(await hand(address)).toBe('accepted');
    });

    it('starts no second game, and writes no address to the terminal', async () => {
      listener = await listenAt(socket, says('refused'));
      const { outcome, stderr, stdout } = await forward(socket, ...game, join(folder.path, 'report.sock'), address);
      expect(outcome).toBe('refused');
      expect(stdout).toBe('');
      expect(stderr).toMatch(/^rallypoint-forwarder: .*\n$/);
      expect(stderr).not.toContain('authorize');
    });

    it.each([
      ['below', addressBytesMax - 1, 'accepted'],
      ['at', addressBytesMax, 'accepted'],
      ['above', addressBytesMax + 1, 'usage'],
      ['far above', 120_000, 'usage'],
    ] as const)('takes an address %s the bound: %i bytes end with %s', async (_, bytes, outcome) => {
      listener = await listenAt(socket, says('accepted'));
      const text = start + 'x'.repeat(bytes - start.length);
      expect(await hand(text)).toBe(outcome);
      expect(listener.received).toEqual(outcome === 'accepted' ? [`${text}\n`] : []);
    });

    it('does not count a bound in characters', async () => {
      listener = await listenAt(socket, says('accepted'));
      expect(await hand(start + '✨'.repeat(addressBytesMax / 3))).toBe('usage');
    });

    it('is one line each when 20 deliver concurrently', async () => {
      listener = await listenAt(socket, says('accepted'));
      const texts = Array.from({ length: 20 }, (_, index) => `${start}${index}-${'x'.repeat(8000)}`);
      expect(await Promise.all(texts.map(text => hand(text)))).toEqual(texts.map(() => 'accepted'));
      expect(listener.received.toSorted()).toEqual(texts.map(text => `${text}\n`).toSorted());
    });
  });

  describe('with an invalid address', () => {
    it.each([
      '',
      'no scheme',
      ':',
      'x:/',
      'C:\\Windows',
      '1ab:/x',
      '-ab:/x',
      '--help',
      '/etc/passwd',
      'größer:/x',
      'ab:\n',
      'ab:/x\nab:/y',
      'ab:/\r',
      'ab:/\t',
      'ab:/\x1b[2J',
      'ab:/\x7f',
      'ab:/\u0085',
      Buffer.from('ab:/\xff', 'latin1'),
      Buffer.from('ab:/\xc0\xaf', 'latin1'),
      Buffer.from('ab:/\xed\xa0\x80', 'latin1'),
      Buffer.from('ab:/\xe2\x9c', 'latin1'),
    ])('sends nothing, starts nothing and ends with usage: %j', async text => {
      listener = await listenAt(socket, says('accepted'));
      const { outcome } = await forward(socket, '/bin/true', text);
      expect(outcome).toBe('usage');
      expect(listener.received).toEqual([]);
    });

    it('requires a socket, a program and an address', async () => {
      for (const args of [[], [socket], [socket, address], ['--version', address]]) {
        const { outcome, stderr } = await forward(...args);
        expect(outcome).toBe('usage');
        expect(stderr).toMatch(/^Usage: rallypoint-forwarder <socket> <program>/);
      }
    });

    it.each(['', 'relative.sock', './game.sock', '/game.sock', '/tmp/', `/${'x'.repeat(108)}/s`])(
      'refuses a path that no game can listen at: %j',
      async path => {
        expect(await hand(address, path)).toBe('usage');
      },
    );
  });

  describe('with no game that listens', () => {
    /** Hands over with a real game to start; what that tells of its start. */
    const startGame = async (args: readonly string[], prepare = () => {}) => {
      const report = join(folder.path, 'report', 'game.sock');
      const told = Promise.withResolvers<Record<string, unknown>>();
      const reports = await listenAt(report, () => told.resolve(JSON.parse(reports.received[0] ?? '')));
      prepare();
      const { outcome, stderr } = await forward(socket, ...game, report, ...args, address);
      const started = await told.promise;
      await reports.close();
      return { outcome, stderr, started };
    };

    it('starts the game with its arguments and the address behind them, in a session of its own', async () => {
      const args = ['a b', '', '"', "'", '$HOME', '`id`', '%u', '*', '--', '--flag'];
      const { outcome, stderr, started } = await startGame(args);
      expect(outcome).toBe('started');
      expect(stderr).toBe('');
      expect(started).toEqual({
        args: [...args, address],
        leadsSession: true,
        standard: ['/dev/null', '/dev/null', '/dev/null'],
        inherited: [],
        folder: process.cwd(),
      });
    });

    it('restores the game’s signal handling', async () => {
      const told = join(folder.path, 'told');
      spawnSync('mkfifo', [told]);
      const report = spawn('cat', [told], { stdio: ['ignore', 'pipe', 'inherit'] })
        .stdout.setEncoding('utf8')
        .toArray();
      await forward(socket, '/bin/sh', '-c', `grep -E 'SigIgn|SigBlk' /proc/self/status >'${told}'`, address);
      const sets = [...(await report).join('').matchAll(/\t(\w+)$/gm)].map(
        ([, bits]) => BigInt(`0x${bits}`) & standardSignals,
      );
      expect(sets).toEqual([0n, 0n]);
    });

    it('starts it where the folder is there and empty, and where a killed game left its socket', async () => {
      mkdirSync(join(folder.path, 'run'), { mode: 0o700 });
      expect((await startGame([])).outcome).toBe('started');
      const killed = await listening(children, socket);
      killed.kill('SIGKILL');
      await once(killed, 'exit');
      expect((await startGame([])).outcome).toBe('started');
    });

    itHears.each([
      ['missing', '/nonexistent/game'],
      ['a folder', '/tmp'],
      ['no program', join(root, 'package.json')],
      ['without a path', 'true'],
    ])(`ends with its own code when the program is %s${skipped}`, async (_, program) => {
      const { outcome, stderr } = await forward(socket, program, address);
      expect(outcome).toBe('not_started');
      expect(stderr).not.toContain('authorize');
    });

    it('passes the address to no shell', async () => {
      const trap = join(folder.path, 'trap');
      await forward(socket, '/bin/true', `${start}$(touch ${trap});touch ${trap}\`touch ${trap}\``);
      expect(() => readFileSync(trap)).toThrow();
    });
  });

  describe('with a socket that is not the user’s alone', () => {
    it.each([0o701, 0o710, 0o750, 0o755, 0o777, 0o1777])(
      'sends nothing when others may enter its folder (%o)',
      async mode => {
        listener = await listenAt(socket, says('accepted'));
        chmodSync(join(folder.path, 'run'), mode);
        expect(await hand(address)).toBe('not_private');
        expect(listener.received).toEqual([]);
      },
    );

    it('starts no game either', async () => {
      mkdirSync(join(folder.path, 'run'));
      chmodSync(join(folder.path, 'run'), 0o755);
      expect((await forward(socket, '/bin/true', address)).outcome).toBe('not_private');
    });

    it('follows no link, neither for the folder nor for the socket', async () => {
      listener = await listenAt(socket, says('accepted'));
      symlinkSync(join(folder.path, 'run'), join(folder.path, 'linked'));
      expect(await hand(address, join(folder.path, 'linked', 'game.sock'))).toBe('not_private');
      symlinkSync(socket, join(folder.path, 'run', 'linked.sock'));
      expect(await hand(address, join(folder.path, 'run', 'linked.sock'))).toBe('not_private');
      expect(listener.received).toEqual([]);
    });

    it('does not accept a file or a folder as a socket', async () => {
      mkdirSync(join(folder.path, 'run', 'folder.sock'), { recursive: true });
      chmodSync(join(folder.path, 'run'), 0o700);
      writeFileSync(socket, '');
      expect(await hand(address)).toBe('not_private');
      expect(await hand(address, join(folder.path, 'run', 'folder.sock'))).toBe('not_private');
    });

    const itAsRoot = it.skipIf(byRoot.missing);
    const asRoot = byRoot.note;

    itAsRoot(`sends nothing into another user's folder, or to another user's socket${asRoot}`, async () => {
      listener = await listenAt(socket, says('accepted'));
      chownSync(socket, nobody, nobody);
      expect(await hand(address)).toBe('not_private');
      chownSync(socket, 0, 0);
      chownSync(join(folder.path, 'run'), nobody, nobody);
      expect(await hand(address)).toBe('not_private');
      expect(listener.received).toEqual([]);
    });

    itAsRoot(`sends nothing to a listener of another user, whoever owns its socket${asRoot}`, async () => {
      const theirs = join(folder.path, 'theirs');
      mkdirSync(theirs);
      chownSync(theirs, nobody, nobody);
      chmodSync(folder.path, 0o755);
      await listening(children, join(theirs, 'game.sock'), String(nobody));
      mkdirSync(join(folder.path, 'run'), { mode: 0o700 });
      renameSync(join(theirs, 'game.sock'), socket);
      chownSync(socket, 0, 0);
      expect(await hand(address)).toBe('not_private');
    });
  });

  describe('with a game that does not answer', () => {
    it.each([
      ['closes', ''],
      ['says something else', 'banana\n'],
      ['says more than an answer', `${'accepted'.repeat(10_000)}\n`],
      ['ends before the line does', 'accepted'],
      ['says it in other letters', 'Accepted\n'],
      ['says it with a space', 'accepted \n'],
    ])('ends at once when the game %s', async (_, answer) => {
      listener = await listenAt(socket, game => game.end(answer));
      const began = performance.now();
      expect(await hand(address)).toBe('no_answer');
      expect(performance.now() - began).toBeLessThan(answerMsMax);
    });

    it('waits as long as agreed for a game that listens and is silent', async () => {
      listener = await listenAt(socket, () => {});
      const began = performance.now();
      expect(await hand(address)).toBe('no_answer');
      expect(performance.now() - began).toBeGreaterThan(answerMsMax - 50);
      expect(performance.now() - began).toBeLessThan(answerMsMax + 2000);
      expect(listener.received).toEqual([`${address}\n`]);
    });

    it('waits 100 ms for a game that hangs and accepts no connection', async () => {
      const hung = await listening(children, socket);
      const waiting = Array.from({ length: 4 }, () => connect(socket).on('error', () => {}));
      await Promise.all(waiting.slice(0, 2).map(each => once(each, 'connect')));
      const began = performance.now();
      expect(await hand(address)).toBe('no_answer');
      expect(performance.now() - began).toBeLessThan(answerMsMax);
      for (const each of waiting) each.destroy();
      hung.kill('SIGKILL');
    });
  });

  it('prints its version and its exit codes', async () => {
    const version = await forward('--version');
    expect(version.stdout).toBe(
      `rallypoint-forwarder ${JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version}\n`,
    );
    const help = await forward('--help');
    for (const [name, code] of Object.entries(forwarderExitCodes)) {
      expect(help.stdout).toContain(`${code} ${name.replaceAll('_', ' ')}`);
    }
    expect([version.outcome, help.outcome]).toEqual(['accepted', 'accepted']);
  });

  itHears(`outlives a terminal that is gone${skipped}`, async () => {
    rmSync(folder.path, { recursive: true });
    const child = spawn(binary, [socket, '/nonexistent/game', address], { stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr.destroy();
    expect((await once(child, 'exit'))[0]).toBe(forwarderExitCodes.not_started);
  });
}

const nobody = 65534;
// Signals 1 to 31; those above are the C library's own.
const standardSignals = 0x7fffffffn;

interface Ended {
  readonly outcome: ForwarderOutcome | number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs it as a browser would: with files open that are none of its business. */
async function runForwarder(binary: string, args: readonly (string | Buffer)[]): Promise<Ended> {
  // Node passes texts as UTF-8 only; the shell makes other bytes of what printf says.
  const octal = (arg: Buffer) => [...arg].map(byte => `\\${byte.toString(8).padStart(3, '0')}`).join('');
  const words = args.map((arg, index) =>
    typeof arg === 'string' ? `"$${`{${index + 1}}`}"` : `"$(printf '${octal(arg)}')"`,
  );
  const texts = args.map(arg => (typeof arg === 'string' ? arg : ''));
  const child = spawn('/bin/sh', ['-c', `exec "$0" ${words.join(' ')} 9<"$0"`, binary, ...texts], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', text => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', text => (stderr += text));
  const [code] = (await once(child, 'close')) as [number | null];
  const named = Object.entries(forwarderExitCodes).find(([, value]) => value === code)?.[0];
  if (stderr.includes('Sanitizer') || stderr.includes('runtime error')) throw new Error(stderr);
  return { outcome: (named as ForwarderOutcome | undefined) ?? code, stdout, stderr };
}

/** A process that listens at the path; without a user it hangs from then on. */
async function listening(children: ChildProcess[], path: string, user?: string): Promise<ChildProcess> {
  mkdirSync(join(path, '..'), { recursive: true });
  if (!user) chmodSync(join(path, '..'), 0o700);
  const script = join(import.meta.dirname, 'silent-listener.ts');
  const child = spawn(process.execPath, [script, path, ...(user ? [user] : [])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  await once(child.stdout, 'data');
  return child;
}
