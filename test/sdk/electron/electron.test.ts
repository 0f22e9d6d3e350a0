import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Client } from '../../../src/sdk/client.ts';
import { openWithShell } from '../../../src/sdk/electron/open-external.ts';
import { type RedirectApp, type RedirectOptions, receiveRedirects } from '../../../src/sdk/electron/redirects.ts';
import { checkOnWake, type WakeMonitor } from '../../../src/sdk/electron/wake.ts';

const good = 'discord-1:/authorize/callback?code=c&state=s';
const forged = 'discord-1:/authorize/callback?code=c&state=forged';

/** The few calls of Electron's `app` that are used; the real Electron is never started here. */
class StandInApp extends EventEmitter {
  readonly registered: unknown[][] = [];
  readonly isFirst: boolean;
  /** The data that is sent to the first copy. */
  told: unknown;
  takesRegistrations = true;

  constructor(isFirst = true) {
    super();
    this.isFirst = isFirst;
  }

  requestSingleInstanceLock(data?: unknown): boolean {
    this.told = data;
    return this.isFirst;
  }

  setAsDefaultProtocolClient(...call: unknown[]): boolean {
    this.registered.push(call);
    return this.takesRegistrations;
  }

  /** What macOS does; whether the app took the address. */
  openUrl(url: string): boolean {
    let isTaken = false;
    const preventDefault = () => {
      isTaken = true;
    };
    this.emit('open-url', { preventDefault }, url);
    return isTaken;
  }
}

function receive(app: StandInApp, options: Partial<RedirectOptions> = {}) {
  const handed: string[] = [];
  let accepted = 0;
  const receiver = receiveRedirects({
    app: app as unknown as RedirectApp,
    client: {
      handleRedirect(url) {
        handed.push(url);
        return url === good;
      },
    },
    scheme: 'discord-1',
    argv: ['electron', '.'],
    onAccepted: () => accepted++,
    ...options,
  });
  return { receiver, handed, accepted: () => accepted };
}

describe('receiveRedirects', () => {
  it('registers the scheme in lower case, with what is to be started if that is said', () => {
    const app = new StandInApp();
    receive(app, { scheme: 'My-Game' });
    receive(app, { launch: { path: '/bin/electron', args: ['/game'] } });
    expect(app.registered).toEqual([['my-game'], ['discord-1', '/bin/electron', ['/game']]]);
  });

  it('gives the client the invite that the game was started for, and one that comes while it runs', async () => {
    const client = new Client({ baseUrl: 'http://127.0.0.1:1', applicationId: '1' });
    const app = new StandInApp();
    const { receiver, accepted } = receive(app, { client, argv: ['/game', 'discord-1:/_discord/join?secret=first'] });
    expect(client.invites.launch).toEqual({ joinSecret: 'first' });
    expect(receiver.startAddress).toBeUndefined();
    expect(app.openUrl('discord-1:/_discord/join?secret=second')).toBe(true);
    expect([client.invites.launch, accepted()]).toEqual([{ joinSecret: 'second' }, 2]);
    await client.close();
  });

  it('has the default scheme of an application, and names the redirect address', () => {
    const app = new StandInApp();
    const { receiver } = receive(app, { scheme: undefined, applicationId: '7' });
    expect(app.registered).toEqual([['discord-7']]);
    expect(receiver.redirectUri).toBe('discord-7:/authorize/callback');
  });

  it('rejects invalid schemes', () => {
    const app = new StandInApp();
    for (const scheme of ['https', 'my game', '', '-x']) {
      expect(() => receive(app, { scheme })).toThrow(expect.objectContaining({ code: 'invalid_scheme' }));
    }
    expect([app.registered, app.eventNames()]).toEqual([[], []]);
  });

  it('reports whether the system accepted the registration', async () => {
    const app = new StandInApp();
    expect(receive(app).receiver.isRegistered).toBe(true);
    app.takesRegistrations = false;
    const { receiver } = receive(app);
    expect(receiver.isRegistered).toBe(false);
    expect(await receiver.registration).toEqual({ isRegistered: false, through: 'game' });
  });

  it('accepts the address of open-url', () => {
    const app = new StandInApp();
    const { handed, accepted } = receive(app);
    expect(app.openUrl(good)).toBe(true);
    expect(app.openUrl(forged)).toBe(false);
    expect(handed).toHaveLength(2);
    expect(accepted()).toBe(1);
  });

  it('accepts the address among the arguments of a second copy', () => {
    const app = new StandInApp();
    const { handed, accepted } = receive(app);
    app.emit('second-instance', {}, ['/game', '--flag', 'https://example.com', good.replace('d', 'D'), good], '/');
    expect(handed).toEqual([good.replace('d', 'D'), good]);
    expect(accepted()).toBe(1);
  });

  it('accepts the address that a second copy sends, unchanged by Chromium', () => {
    const [first, second] = [new StandInApp(), new StandInApp(false)];
    const { handed, accepted } = receive(first);
    receive(second, { argv: ['/game', '--flag', good] });
    first.emit('second-instance', {}, ['/game', '--flag'], '/', second.told);
    expect(handed).toEqual([good]);
    expect(accepted()).toBe(1);
    first.emit('second-instance', {}, ['/game', forged, '--flag'], '/', { rallypointRedirects: [forged] });
    expect(handed).toEqual([good, forged]);
  });

  it.each([
    ['no data', undefined],
    ['null', null],
    ['data of the game', { save: 3 }],
    ['a text', { rallypointRedirects: good }],
    ['a list of other things', { rallypointRedirects: [1, null, {}, [good]] }],
    ['too long an address', { rallypointRedirects: [`${good}${'x'.repeat(8192)}`] }],
    ['a control character', { rallypointRedirects: [`${good}\n`] }],
    ['half a character', { rallypointRedirects: [`${good}\ud800`] }],
  ])('passes over what a second copy sends when it is %s', (_what, data) => {
    const app = new StandInApp();
    const { handed } = receive(app);
    app.emit('second-instance', {}, ['/game'], '/', data);
    app.emit('second-instance', {}, undefined, undefined, data);
    expect(handed).toEqual([]);
  });

  it('reads at most 4 addresses of a start', () => {
    const argv = Array.from({ length: 100_000 }, (_, i) => `${forged}${i}`);
    expect(receive(new StandInApp(), { argv }).handed).toHaveLength(4);
    const app = new StandInApp();
    const { handed } = receive(app);
    app.emit('second-instance', {}, argv, '/', { rallypointRedirects: argv });
    expect(handed.length).toBeLessThanOrEqual(8);
  });

  it('accepts the address of its start', () => {
    expect(receive(new StandInApp(), { argv: ['/game', good] }).handed).toEqual([good]);
  });

  it('keeps the address of its start while no authorization waits for it', () => {
    expect(receive(new StandInApp(), { argv: ['/game', forged] }).receiver.startAddress).toBe(forged);
    const app = new StandInApp();
    let isWaiting = false;
    const { receiver } = receive(app, { client: { handleRedirect: () => isWaiting } });
    app.openUrl(good);
    expect(receiver.startAddress).toBe(good);
    isWaiting = true;
    expect(app.openUrl(good)).toBe(true);
    expect(receiver.startAddress).toBeUndefined();
  });

  it('reports each open-url once: as startAddress until that is read, and to onUnclaimed later', () => {
    const unclaimed: string[] = [];
    const app = new StandInApp();
    const { receiver } = receive(app, { onUnclaimed: address => unclaimed.push(address) });
    app.openUrl(`${forged}1`);
    app.openUrl(`${forged}2`);
    expect(unclaimed).toEqual([`${forged}2`]);
    expect(receiver.startAddress).toBe(`${forged}1`);
    app.openUrl(`${forged}3`);
    expect([receiver.startAddress, unclaimed]).toEqual([`${forged}1`, [`${forged}2`, `${forged}3`]]);
  });

  it('reports no open-url as startAddress once that was read', () => {
    const unclaimed: string[] = [];
    const app = new StandInApp();
    const { receiver } = receive(app, { onUnclaimed: address => unclaimed.push(address) });
    expect(receiver.startAddress).toBeUndefined();
    app.openUrl(forged);
    expect([receiver.startAddress, unclaimed]).toEqual([undefined, [forged]]);
  });

  it('reports an address that no authorization waits for', () => {
    const unclaimed: string[] = [];
    const app = new StandInApp();
    const { receiver } = receive(app, { argv: ['/game', forged], onUnclaimed: address => unclaimed.push(address) });
    expect([receiver.startAddress, unclaimed]).toEqual([forged, []]);
    app.openUrl(forged);
    app.emit('second-instance', {}, ['/game', forged], '/', {});
    app.emit('second-instance', {}, ['/game'], '/', { rallypointRedirects: [forged] });
    app.emit('second-instance', {}, ['/game', 'https://example.com'], '/', {});
    app.emit('second-instance', {}, ['/game', good], '/', {});
    app.openUrl(good);
    app.openUrl('https://example.com');
    expect(unclaimed).toEqual([forged, forged, forged]);
  });

  it('does not use the address in a second copy', () => {
    const app = new StandInApp(false);
    const { receiver, handed } = receive(app, { argv: ['/game', good] });
    expect(receiver.isFirstInstance).toBe(false);
    expect(handed).toEqual([]);
    expect(app.registered).toEqual([]);
  });

  it('ignores addresses of other schemes', () => {
    const app = new StandInApp();
    const { handed } = receive(app);
    app.openUrl('discord-10:/authorize/callback?code=c');
    app.openUrl('discord-1');
    app.openUrl('');
    expect(handed).toEqual([]);
  });

  it('receives nothing after the close', () => {
    const app = new StandInApp();
    const { receiver, handed } = receive(app);
    receiver.close();
    receiver.close();
    app.openUrl(good);
    app.emit('second-instance', {}, [good], '/');
    expect(handed).toEqual([]);
  });
});

describe('openWithShell', () => {
  const opened: string[] = [];
  const open = openWithShell({
    openExternal: async url => {
      opened.push(url);
    },
  });

  it.each(['https://auth.example/oauth2/authorize?a=b', 'http://127.0.0.1:8080/x', 'http://localhost/'])(
    'opens %s',
    async url => {
      await open(url);
      expect(opened.pop()).toBe(url);
    },
  );

  it.each([
    'http://auth.example/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'ms-settings:',
    'wss://x.example',
    'x',
  ])('refuses %s', async url => {
    await expect(open(url)).rejects.toMatchObject({ name: 'ArgumentError', code: 'unsafe_address' });
    expect(opened).toEqual([]);
  });
});

describe('checkOnWake', () => {
  it('checks the connection when the machine wakes up, until it is closed', async () => {
    const powerMonitor = new EventEmitter();
    let checks = 0;
    const watch = checkOnWake({
      powerMonitor: powerMonitor as unknown as WakeMonitor,
      client: { checkConnection: () => checks++ },
    });
    powerMonitor.emit('suspend');
    powerMonitor.emit('resume');
    expect(checks).toBe(1);
    await watch.close();
    await watch[Symbol.asyncDispose]();
    powerMonitor.emit('resume');
    expect(checks).toBe(1);
  });
});
