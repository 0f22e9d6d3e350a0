import { EventEmitter } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type RedirectApp, type RedirectOptions, receiveRedirects } from '../../../src/sdk/electron/redirects.ts';
import { needs } from '../../support/runs/parts.ts';
import { openAddress, privateDesktop } from '../redirect/desktop.ts';
import { addressFor, eventually, forward, scheme, socketIn } from '../redirect/games.ts';

const desktop = await needs('linux', 'desktop-tools');
const whole = await needs('linux', 'desktop-tools', 'forwarder');

afterEach(() => vi.unstubAllEnvs());

/** Electron's main process with a forwarder asked for, on a desktop of its own. */
function receive(options: Partial<RedirectOptions> = {}) {
  const home = privateDesktop();
  const folder = join(home, 's');
  const handed: string[] = [];
  const registered: unknown[][] = [];
  const app = Object.assign(new EventEmitter(), {
    requestSingleInstanceLock: () => true,
    setAsDefaultProtocolClient: (...call: unknown[]) => registered.push(call) > 0,
  });
  const client = { handleRedirect: (url: string) => handed.push(url) > 0 };
  const receiver = receiveRedirects({
    app: app as unknown as RedirectApp,
    client,
    scheme,
    argv: ['electron', '.'],
    forwarder: { name: 'Starfall', folder },
    ...options,
  });
  onTestFinished(() => receiver.close());
  return { receiver, folder, handed, registered };
}

describe('receiveRedirects with the forwarder', () => {
  it.skipIf(whole.missing)(
    `registers it, and takes what it brings without a second copy of Electron${whole.note}`,
    async () => {
      const { receiver, folder, handed, registered } = receive();
      expect(receiver.isRegistered).toBe(false);
      expect(await receiver.registration).toEqual({ isRegistered: true, through: 'forwarder' });
      expect(receiver.isRegistered).toBe(true);
      expect(registered).toEqual([]);
      await openAddress(addressFor('s'));
      await eventually(async () => (handed.length > 0 ? true : undefined));
      expect(handed).toEqual([addressFor('s')]);
      receiver.close();
      expect(existsSync(socketIn(folder))).toBe(false);
    },
  );

  it.skipIf(desktop.missing)(
    `lets Electron register the game where the forwarder cannot be used${desktop.note}`,
    async () => {
      const home = privateDesktop();
      mkdirSync(join(home, 'open'), { mode: 0o755 });
      const { receiver, registered } = receive({ forwarder: { name: 'Starfall', folder: join(home, 'open') } });
      expect(await receiver.registration).toEqual({
        isRegistered: true,
        through: 'game',
        reason: expect.stringContaining('is accessible to other users'),
      });
      expect(registered).toEqual([[scheme]]);
    },
  );

  it('leaves no socket behind when it is closed before it has begun to listen', async () => {
    const { receiver, folder } = receive();
    receiver.close();
    await receiver.registration;
    expect(existsSync(socketIn(folder))).toBe(false);
    await expect(forward(socketIn(folder), addressFor('s'))).rejects.toThrow('ENOENT');
  });
});
