import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { _electron, type Page } from 'playwright-core';
import { expect } from 'vitest';
import type { BuiltFiles } from '../../../samples/electron-lobby/build.ts';
import { findElectron } from '../../../samples/electron-lobby/host/find-program.ts';
import { variables } from '../../../samples/electron-lobby/main/options.ts';
import { applicationId, botToken, fixtures } from '../../../samples/electron-lobby/starfall.ts';
import { type GameBackend, startGameBackend } from '../../../samples/game-backend/server.ts';
import { ServiceProcess } from '../service/service-process.ts';
import type { Desktop, DesktopBrowser } from './desktop.ts';

const hostEntry = resolve(import.meta.dirname, '../../../samples/electron-lobby/host/main.ts');

/** What shows the game's windows. */
export type Shell = 'stand-in' | 'electron';

/** The scheme of the sample. */
export const scheme = `discord-${applicationId}`;

/** For machines that have much to do beside the tests. */
export const patiently = { timeout: 30_000 } as const;

/** A running copy of the game. */
export interface DesktopGame {
  readonly pid: number;
  readonly window: Page;
  /** In good order: what is under way is brought to its end. */
  close(): Promise<void>;
}

export interface StageParts {
  readonly desktop: Desktop;
  /** Shows the windows of the stand-in. */
  readonly windows: DesktopBrowser;
  readonly files: BuiltFiles;
}

/**
 * One evening on a desktop: a service, the game's server, a browser in which nobody is signed in, and a game that is
 * installed and has never been started.
 */
export class Stage {
  readonly service: ServiceProcess;
  /** Where the player signs in. */
  browser: DesktopBrowser;
  /** What copies of the game are started with, by whomever. */
  readonly environment: Readonly<Record<string, string>>;
  readonly #parts: StageParts;
  readonly #backend: GameBackend;
  readonly #distrust: () => void;

  private constructor(
    parts: StageParts,
    service: ServiceProcess,
    backend: GameBackend,
    environment: Readonly<Record<string, string>>,
    browser: DesktopBrowser,
    distrust: () => void,
  ) {
    this.#parts = parts;
    this.service = service;
    this.#backend = backend;
    this.environment = environment;
    this.browser = browser;
    this.#distrust = distrust;
  }

  /** @param changes of the environment of the game */
  static async open(parts: StageParts, changes: Readonly<Record<string, string>> = {}): Promise<Stage> {
    const { desktop, files } = parts;
    const folder = mkdtempSync(join(desktop.folder, 'stage-'));
    const service = await ServiceProcess.start(folder, fixtures);
    const { webBase } = service.ready;
    const backend = await startGameBackend({ applicationId, botToken, baseUrl: webBase });
    const environment = {
      [variables.applicationId]: applicationId,
      [variables.baseUrl]: webBase,
      [variables.backendBase]: backend.address,
      [variables.profile]: join(folder, 'game'),
      // No stage finds what another has kept.
      [variables.keychainService]: folder,
      STARFALL_BUILT: resolve(files.main, '..'),
      STARFALL_DEFAULT_BROWSER: '1',
      CHROMIUM: desktop.programFor('windows'),
      ...changes,
    };
    const distrust = desktop.trust(scheme);
    const browser = await desktop.openBrowser('default', environment);
    return new Stage(parts, service, backend, environment, browser, distrust);
  }

  /** Starts the game as a player does, and waits for its window. */
  async startGame(shell: Shell = 'stand-in'): Promise<DesktopGame> {
    if (shell === 'electron') return this.#startElectron();
    this.startCopy();
    return this.gameThatStarts();
  }

  /** Starts the game; it may have no window, being the second copy. */
  startCopy(...args: readonly string[]): ChildProcess {
    const env = { ...this.#parts.desktop.environment, ...this.environment };
    return spawn(process.execPath, [hostEntry, ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  }

  /** The next game that shows a window, whoever starts it. */
  async gameThatStarts(): Promise<DesktopGame> {
    const window = await this.#parts.windows.pages.next();
    await window.getByRole('heading', { name: 'Starfall' }).waitFor();
    const [pid = 0] = this.games.slice(-1);
    return {
      pid,
      window,
      close: async () => {
        process.kill(pid, 'SIGTERM');
        await expect.poll(() => this.games, patiently).not.toContain(pid);
      },
    };
  }

  /** Processes of the game that run, by whomever they were started. */
  get games(): number[] {
    return this.#parts.desktop.processesOf(hostEntry);
  }

  /** The page that a game has just opened in the player's browser. */
  async signInPage(): Promise<Page> {
    const page = await this.browser.pages.next();
    await page.getByRole('heading', { level: 1 }).waitFor();
    return page;
  }

  /** As after the player has ended the browser, and started it again. */
  async reopenBrowser(): Promise<void> {
    this.browser = await this.#parts.desktop.openBrowser('default', this.environment);
  }

  async close(): Promise<void> {
    for (const pid of this.games) process.kill(pid, 'SIGKILL');
    await expect.poll(() => this.games, patiently).toEqual([]);
    await this.browser.close();
    this.#distrust();
    await this.#backend.close();
    await this.service.end();
  }

  async #startElectron(): Promise<DesktopGame> {
    const { desktop, files } = this.#parts;
    const app = await _electron.launch({
      executablePath: findElectron() ?? '',
      args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), files.main],
      env: { ...desktop.environment, ...this.environment },
    });
    return { pid: app.process().pid ?? 0, window: await app.firstWindow(), close: () => app.close() };
  }
}
