import { spawn } from 'node:child_process';
import type { ShownPage } from './stand-in.ts';

export interface ChromiumOptions {
  readonly program: string;
  /** Its own profile: neither the player's history nor extensions see the game. */
  readonly profile: string;
  /** Without a screen: for looking whether everything starts. */
  readonly isHeadless?: boolean | undefined;
}

/** Chromium, with a profile of its own. Addresses are arguments by themselves, never of a shell. */
export class Chromium {
  readonly #options: ChromiumOptions;

  constructor(options: ChromiumOptions) {
    this.#options = options;
  }

  /** Shows an address as a window without a browser's controls. */
  showWindow = async (
    address: string,
    size: { readonly width: number; readonly height: number },
  ): Promise<ShownPage> => {
    const window = this.#start([`--app=${address}`, `--window-size=${size.width},${size.height}`]);
    return { close: () => void window.kill() };
  };

  /** Opens a page in the same browser. */
  openPage = async (url: string): Promise<void> => {
    this.#start([url]).unref();
  };

  #start(args: readonly string[]) {
    const { program, profile, isHeadless } = this.#options;
    const fixed = [`--user-data-dir=${profile}`, '--no-first-run', '--no-default-browser-check', '--disable-sync'];
    // Chromium refuses to run as root with its sandbox.
    if (process.getuid?.() === 0) fixed.push('--no-sandbox');
    if (isHeadless) fixed.push('--headless=new');
    const browser = spawn(program, [...fixed, ...args], { stdio: 'ignore' });
    browser.on('error', error => process.stderr.write(`Chromium could not be started: ${error.message}\n`));
    return browser;
  }
}
