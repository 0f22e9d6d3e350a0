import { TransportError } from '../../model/errors/errors.ts';
import { type Logger, silentLogger } from '../../wire/clock/ports.ts';
import { errorFieldsOf } from './error-fields.ts';
import { connectChannel, type FromMain } from './messages.ts';
import { checkOwnPages, isOwnPage, type OwnPages } from './own-pages.ts';
import { type MainPort, type SharedParts, WindowConnection } from './window-connection.ts';

/** A frame of a window, as Electron describes the sender of a message: a `WebFrameMain`. */
export interface SenderFrame {
  readonly url: string;
  /** Null for the top frame. */
  readonly parent: object | null;
}

/** What Electron passes to a listener of `ipcMain`. */
export interface ConnectEvent {
  readonly sender: object;
  /** Null when the frame is gone already. */
  readonly senderFrame: SenderFrame | null;
  readonly ports: readonly MainPort[];
}

/** The part of Electron's `ipcMain` that is called. */
export interface WindowIpc {
  on(channel: string, listener: (event: ConnectEvent) => void): unknown;
  off(channel: string, listener: (event: ConnectEvent) => void): unknown;
}

export interface WindowServerOptions extends OwnPages {
  /** From the `electron` module of the main process. */
  readonly ipcMain: WindowIpc;
  /**
   * Decides whether a frame may use the client, in place of {@link app} and {@link pages}. Default: {@link isOwnPage} with these, for
   * top frames alone.
   */
  readonly isTrusted?: ((frame: SenderFrame) => boolean) | undefined;
  readonly logger?: Logger | undefined;
}

/** Serves windows until it is closed. */
export interface WindowServer {
  /** How many windows are connected. */
  readonly connections: number;
  /** Disconnects the windows and serves no more. Repeatable. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const goneFrame = 'a frame that is gone';

/** A window that opens more connections than this loses its oldest one. */
const connectionsPerWindowMax = 4;

export function serveShared(shared: SharedParts, options: WindowServerOptions): WindowServer {
  const { ipcMain, logger = silentLogger, app, pages } = options;
  checkOwnPages({ app, pages });
  const isOwn = ({ url, parent }: SenderFrame) => parent === null && isOwnPage(url, { app, pages });
  const { isTrusted = isOwn } = options;
  const connections = new Set<WindowConnection>();
  const byWindow = new WeakMap<object, Set<WindowConnection>>();

  /** The page that is not trusted; undefined for one that is. */
  const distrusted = (frame: SenderFrame | null): string | undefined => {
    if (!frame) return goneFrame;
    let url = goneFrame;
    try {
      // A frame that is gone by now throws, and so may the game's function, as `new URL('')` does.
      url = frame.url;
      // A promise is no answer.
      if (isTrusted(frame) === true) return undefined;
    } catch (error) {
      logger.error({ error }, 'Whether to trust a page could not be decided.');
    }
    return url;
  };

  const onConnect = ({ sender, senderFrame, ports: [port] }: ConnectEvent) => {
    if (!port) return;
    const page = distrusted(senderFrame);
    if (page !== undefined) {
      reject(port, page, logger);
      return;
    }
    const own = byWindow.get(sender) ?? new Set();
    byWindow.set(sender, own);
    const [oldest] = own;
    if (oldest && own.size >= connectionsPerWindowMax) {
      oldest.close({ reason: `a window has at most ${connectionsPerWindowMax} connections` });
    }
    const connection = new WindowConnection({
      port,
      shared,
      logger,
      defer: setImmediate,
      onClose: () => {
        connections.delete(connection);
        own.delete(connection);
      },
    });
    connections.add(connection);
    own.add(connection);
  };
  ipcMain.on(connectChannel, onConnect);

  const close = async () => {
    ipcMain.off(connectChannel, onConnect);
    for (const connection of [...connections]) connection.close({ mayReconnect: true });
  };
  return {
    get connections() {
      return connections.size;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The page learns why, so that its developer need not look for the reason. */
function reject(port: MainPort, url: string, logger: Logger): void {
  const page = URL.canParse(url) ? `${new URL(url).protocol}//${new URL(url).host}` : url;
  logger.warn({ page }, 'A page was not connected: app, pages or isTrusted of serveWindows() decide.');
  const error = new TransportError(
    'untrusted_window',
    `The main process does not trust this page (${page}). Pass app to serveWindows() for files of the app, pages for other addresses of the game, or isTrusted.`,
  );
  port.start();
  port.postMessage([0, ['closed', false, errorFieldsOf(error)]] satisfies FromMain);
  port.close();
}
