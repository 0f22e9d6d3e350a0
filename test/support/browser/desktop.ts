import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { findChromium } from '../../../samples/electron-lobby/host/find-program.ts';
import { type RealKeyring, startKeyring } from '../keychain/real-keyring.ts';
import { browserPolicyFolder, type Part } from '../runs/parts.ts';

/** What a {@link Desktop} needs. */
export const desktopParts: readonly Part[] = [
  'linux',
  'browser',
  'screen',
  'desktop-tools',
  'browser-policy',
  'keychain-daemon',
  'keytar',
];

/** Pages in the order in which they are opened. */
export class OpenedPages {
  readonly #opened: Page[] = [];
  #wake = () => {};

  constructor(context: BrowserContext) {
    context.on('page', page => {
      this.#opened.push(page);
      this.#wake();
    });
  }

  /** The next one that has been opened or will be. */
  async next(): Promise<Page> {
    for (;;) {
      const page = this.#opened.shift();
      if (page) return page;
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
    }
  }
}

/** A browser with a profile of its own, on the desktop's screen. */
export interface DesktopBrowser {
  readonly context: BrowserContext;
  readonly pages: OpenedPages;
  /** All of its windows. */
  close(): Promise<void>;
}

/**
 * A player's desktop, apart from the machine's own: folders, screen, session bus with an unlocked keyring, and a default
 * browser, to which `xdg-open` brings addresses of the web. What opens other schemes is up to whoever registers for them.
 */
export class Desktop {
  readonly folder: string;
  /** What programs of this desktop are started with. */
  readonly environment: Readonly<Record<string, string>>;
  readonly keyring: RealKeyring;
  readonly #screen: ChildProcess;

  private constructor(folder: string, screen: ChildProcess, display: string, keyring: RealKeyring) {
    this.folder = folder;
    this.keyring = keyring;
    this.#screen = screen;
    const { PATH = '', LANG = 'C.UTF-8' } = process.env;
    this.environment = {
      PATH,
      LANG,
      HOME: this.#privateFolder('home'),
      TMPDIR: this.#privateFolder('tmp'),
      XDG_DATA_HOME: this.#privateFolder('data'),
      XDG_CONFIG_HOME: this.#privateFolder('config'),
      XDG_CACHE_HOME: this.#privateFolder('cache'),
      XDG_RUNTIME_DIR: this.#privateFolder('run'),
      // Under no desktop's name xdg-open takes a scheme with digits for a file.
      XDG_CURRENT_DESKTOP: 'GNOME',
      DISPLAY: `:${display}`,
      ...keyring.env,
    };
    this.#appointBrowser();
  }

  static async open(): Promise<Desktop> {
    // The paths of sockets are short.
    const folder = mkdtempSync(join(tmpdir(), 'rp-'));
    const keyring = await startKeyring();
    const screen = spawn('Xvfb', ['-displayfd', '1', '-screen', '0', '1280x800x24', '-nolisten', 'tcp'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return new Desktop(folder, screen, await firstLine(screen), keyring);
  }

  /**
   * Starts a browser. The one named `default` is where addresses of the web are opened.
   *
   * @param environment of whatever it starts, beside the desktop's own
   */
  async openBrowser(
    name: 'default' | 'windows',
    environment: Readonly<Record<string, string>> = {},
  ): Promise<DesktopBrowser> {
    const context = await chromium.launchPersistentContext(this.#profileOf(name), {
      executablePath: findChromium() ?? '',
      headless: false,
      viewport: { width: 1280, height: 800 },
      reducedMotion: 'reduce',
      args: browserArguments,
      env: { ...this.environment, ...environment },
    });
    return {
      context,
      pages: new OpenedPages(context),
      close: async () => {
        await context.close();
        rmSync(this.#profileOf(name), { recursive: true, force: true, maxRetries: 5 });
      },
    };
  }

  /** A program that shows what it is told to in a browser that runs already. */
  programFor(name: 'default' | 'windows'): string {
    const path = join(this.folder, `${name}-browser`);
    const words = [findChromium(), ...browserArguments, '"$@"', `--user-data-dir=${this.#profileOf(name)}`];
    writeFileSync(path, `#!/bin/sh\nexec ${words.join(' ')}\n`, { mode: 0o755 });
    return path;
  }

  /**
   * Lets pages open addresses of the scheme without asking, in browsers that are started from now on. Any page: of two
   * rules that name different ones, one would win, and tests may run beside each other.
   *
   * @returns what takes it back
   */
  trust(scheme: string): () => void {
    const path = join(browserPolicyFolder, `rallypoint-test-${process.pid}.json`);
    const rule = { protocol: scheme, allowed_origins: ['*'] };
    mkdirSync(browserPolicyFolder, { recursive: true });
    writeFileSync(path, JSON.stringify({ AutoLaunchProtocolsFromOrigins: [rule] }));
    const takeBack = () => rmSync(path, { force: true });
    process.once('exit', takeBack);
    return () => {
      process.off('exit', takeBack);
      takeBack();
    };
  }

  /** Processes of this desktop that run this script: also those that nobody here has started. */
  processesOf(script: string): number[] {
    return readdirSync('/proc')
      .filter(name => /^[0-9]+$/.test(name))
      .filter(pid => {
        const [command, environment] = ['cmdline', 'environ'].map(file => readText(`/proc/${pid}/${file}`).split('\0'));
        return command?.includes(script) && environment?.includes(`HOME=${this.environment.HOME}`);
      })
      .map(Number);
  }

  async close(): Promise<void> {
    await this.keyring.stop();
    await ended(this.#screen);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #appointBrowser(): void {
    const { XDG_DATA_HOME = '', XDG_CONFIG_HOME = '' } = this.environment;
    const id = 'default-browser.desktop';
    const types = ['x-scheme-handler/http', 'x-scheme-handler/https'];
    const entry = ['[Desktop Entry]', 'Type=Application', 'Name=Browser', `Exec=${this.programFor('default')} %u`];
    mkdirSync(join(XDG_DATA_HOME, 'applications'));
    writeFileSync(
      join(XDG_DATA_HOME, 'applications', id),
      `${[...entry, `MimeType=${types.join(';')};`].join('\n')}\n`,
    );
    const defaults = types.map(type => `${type}=${id}`);
    writeFileSync(join(XDG_CONFIG_HOME, 'mimeapps.list'), `${['[Default Applications]', ...defaults].join('\n')}\n`);
  }

  #privateFolder(name: string): string {
    const path = join(this.folder, name);
    mkdirSync(path, { mode: 0o700 });
    return path;
  }

  #profileOf(name: string): string {
    return join(this.folder, `${name}-profile`);
  }
}

const browserArguments = [
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-gpu',
  '--password-store=basic',
  // Chromium refuses to run as root with its sandbox.
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
];

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of stdout ?? []) {
    text += chunk;
    if (text.includes('\n')) break;
  }
  return text.trim();
}

/** Ends it, and resolves when it has ended. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise(resolve => child.once('exit', resolve));
  child.kill();
  await exited;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return ''; // It has ended meanwhile.
  }
}
