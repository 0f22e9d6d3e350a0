import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { openWithShell } from '../../../src/sdk/electron/open-external.ts';
import { type RedirectApp, type RedirectOptions, receiveRedirects } from '../../../src/sdk/electron/redirects.ts';
import { checkOnWake, type WakeMonitor } from '../../../src/sdk/electron/wake.ts';

const good = 'discord-1:/authorize/callback?code=c&state=s';

/** The few calls of Electron's `app` that are used; the real Electron is never started here. */
class StandInApp extends EventEmitter {
  readonly registered: unknown[][] = [];
  readonly isFirst: boolean;

  constructor(isFirst = true) {
    super();
    this.isFirst = isFirst;
  }

  requestSingleInstanceLock(): boolean {
    return this.isFirst;
  }

  setAsDefaultProtocolClient(...call: unknown[]): boolean {
    this.registered.push(call);
    return true;
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

  it('takes the address of open-url, and says so to macOS', () => {
    const app = new StandInApp();
    const { handed, accepted } = receive(app);
    expect(app.openUrl(good)).toBe(true);
    expect(app.openUrl('discord-1:/authorize/callback?code=c&state=forged')).toBe(false);
    expect(handed).toHaveLength(2);
    expect(accepted()).toBe(1);
  });

  it('takes the address among the arguments of a second copy', () => {
    const app = new StandInApp();
    const { handed, accepted } = receive(app);
    app.emit('second-instance', {}, ['/game', '--flag', 'https://example.com', good.replace('d', 'D'), good], '/');
    expect(handed).toEqual([good.replace('d', 'D'), good]);
    expect(accepted()).toBe(1);
  });

  it('takes the address it was started with', () => {
    expect(receive(new StandInApp(), { argv: ['/game', good] }).handed).toEqual([good]);
  });

  it('leaves the address to the first copy when it is the second', () => {
    const { receiver, handed } = receive(new StandInApp(false), { argv: ['/game', good] });
    expect(receiver.isFirstInstance).toBe(false);
    expect(handed).toEqual([]);
  });

  it('passes over addresses of other schemes', () => {
    const app = new StandInApp();
    const { handed } = receive(app);
    app.openUrl('discord-10:/authorize/callback?code=c');
    app.openUrl('discord-1');
    app.openUrl('');
    expect(handed).toEqual([]);
  });

  it('hears nothing once closed', () => {
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
  it('checks the connection when the machine wakes up, until it is closed', () => {
    const powerMonitor = new EventEmitter();
    let checks = 0;
    const watch = checkOnWake({
      powerMonitor: powerMonitor as unknown as WakeMonitor,
      client: { checkConnection: () => checks++ },
    });
    powerMonitor.emit('suspend');
    powerMonitor.emit('resume');
    expect(checks).toBe(1);
    watch.close();
    watch.close();
    powerMonitor.emit('resume');
    expect(checks).toBe(1);
  });
});
