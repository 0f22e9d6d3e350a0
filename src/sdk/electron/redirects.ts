import type { App } from 'electron';

/** The part of Electron's `app` that is called. */
export type RedirectApp = Pick<
  App,
  'on' | 'off' | 'requestSingleInstanceLock' | 'releaseSingleInstanceLock' | 'setAsDefaultProtocolClient'
>;

export interface RedirectOptions {
  /** From the `electron` module of the main process. */
  readonly app: RedirectApp;
  /** Who waits for the redirect: a {@link Client}. */
  readonly client: { handleRedirect(url: string): boolean };
  /** The scheme of the redirects, `discord-<application id>` or one of the game's own. */
  readonly scheme: string;
  /** Called when a redirect ended an authorization: the moment to bring the game's window to the front. */
  readonly onAccepted?: (() => void) | undefined;
  /** What the system is to start; needed while the game is run by `electron .` on Windows and Linux. */
  readonly launch?: { readonly path: string; readonly args: readonly string[] } | undefined;
  /** How this process was started. Default: `process.argv`. */
  readonly argv?: readonly string[] | undefined;
}

/** Redirects on their way from the system to the client. */
export interface RedirectReceiver {
  /**
   * False in a second copy of the game: the redirect it was started with has gone to the first one, and it should quit.
   */
  readonly isFirstInstance: boolean;
  /** Whether the system took us for the scheme's program. */
  readonly isRegistered: boolean;
  /** Stops receiving; the registration stays, so that the next redirect finds the game. Idempotent. */
  close(): void;
}

/**
 * Receives custom-scheme redirects in Electron's main process, wherever a system puts them: the `open-url` event
 * (macOS), the arguments of a second copy that the system starts (Windows, Linux), the arguments of this one. Call it
 * early, before the app is ready.
 *
 * @see interface.md, CustomSchemeParam
 */
export function receiveRedirects(options: RedirectOptions): RedirectReceiver {
  const { app, client, launch, argv = process.argv } = options;
  const scheme = options.scheme.toLowerCase();
  const isFirstInstance = app.requestSingleInstanceLock();

  const take = (candidates: readonly string[]) => {
    const accepted = candidates.some(
      text => text.toLowerCase().startsWith(`${scheme}:`) && client.handleRedirect(text),
    );
    if (accepted) options.onAccepted?.();
    return accepted;
  };
  const onOpenUrl = (event: { preventDefault(): void }, url: string) => {
    if (take([url])) event.preventDefault();
  };
  const onSecondInstance = (_event: unknown, otherArgv: readonly string[]) => {
    take(otherArgv);
  };

  const isRegistered = launch
    ? app.setAsDefaultProtocolClient(scheme, launch.path, [...launch.args])
    : app.setAsDefaultProtocolClient(scheme);
  app.on('open-url', onOpenUrl);
  app.on('second-instance', onSecondInstance);
  if (isFirstInstance) take(argv);

  return {
    isFirstInstance,
    isRegistered,
    close() {
      app.off('open-url', onOpenUrl);
      app.off('second-instance', onSecondInstance);
    },
  };
}
