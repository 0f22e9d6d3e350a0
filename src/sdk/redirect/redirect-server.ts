import { rmSync, statSync } from 'node:fs';
import { chmod, rename, rm, stat } from 'node:fs/promises';
import type { Server, Socket } from 'node:net';
import { RedirectError } from '../../model/errors/errors.ts';
import type { Clock, Logger } from '../../wire/clock/ports.ts';
import { fileRemedy } from '../../wire/files/file-remedy.ts';
import { forwarderAgreement } from '../native/forwarder.ts';
import { isAddressOf } from './scheme.ts';
import type { SocketLocation } from './socket-location.ts';
import { answerOf, joinMessage, readLines, sendLine } from './socket-protocol.ts';

// Unspecified: these limits. A player has few windows, and a sign-in causes one redirect; more is a mistake or an attack.
/** Concurrent connections; further ones are dropped. */
export const connectionsMax = 64;
/** How many of them can be windows of the game. */
export const windowsMax = 16;
/** How long a connection that is not a window may last. */
export const connectionMsMax = forwarderAgreement.answerMsMax;

export interface RedirectServerPorts {
  readonly location: SocketLocation;
  readonly scheme: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Passes an address to this instance's client. */
  take(address: string): boolean;
  /** Called with an address that no window accepted. */
  unclaimed(address: string): void;
  /** Called when another window has joined, which addresses can be offered to. */
  onJoin(window: JoinedWindow): void;
}

/** The socket of the first instance: receives addresses of the scheme, for itself and for the windows that join it. */
export class RedirectServer {
  readonly #ports: RedirectServerPorts;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #windows = new Set<JoinedWindow>();
  #inode = 0;

  private constructor(server: Server, ports: RedirectServerPorts) {
    this.#server = server;
    this.#ports = ports;
    server.maxConnections = connectionsMax;
    server.on('connection', socket => this.#accept(socket));
  }

  /**
   * Creates the socket, in place of one whose process is gone. The caller has checked that the folder is private and that no
   * process listens, and holds the lock.
   *
   * @returns undefined when another process listens after all (Windows)
   * @throws RedirectError `cannot_listen`
   */
  static async open(ports: RedirectServerPorts): Promise<RedirectServer | undefined> {
    const { createServer } = await import('node:net');
    const server = new RedirectServer(createServer({ allowHalfOpen: true }), ports);
    return (await server.#listen()) ? server : undefined;
  }

  /** Passes the address to the window that waits for it, this one or another. */
  async offer(address: string): Promise<boolean> {
    if (!isAddressOf(this.#ports.scheme, address)) return false;
    if (this.#ports.take(address)) return true;
    return anyOf(Array.from(this.#windows, window => window.offer(address)));
  }

  /** Whether connections reach this process: false once another program has deleted the socket. */
  get isInPlace(): boolean {
    const { folder, path } = this.#ports.location;
    return folder === undefined || statSync(path, { throwIfNoEntry: false })?.ino === this.#inode;
  }

  /** Deletes the socket and ends all connections. */
  async close(): Promise<void> {
    this.#removeSocket();
    const closed = new Promise(resolve => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #listen(): Promise<boolean> {
    const { folder, path } = this.#ports.location;
    if (folder === undefined) return listenAt(this.#server, path);
    // Renaming makes the socket appear atomically with its mode, and keeps server.close() from deleting a later socket.
    const temporary = `${path}.new`;
    await rm(temporary, { force: true });
    try {
      if (!(await listenAt(this.#server, temporary))) return false;
      await chmod(temporary, 0o600);
      this.#inode = (await stat(temporary)).ino;
      await rename(temporary, path);
    } catch (cause) {
      this.#server.close();
      const { code } = Object(cause) as { code?: unknown };
      throw new RedirectError('cannot_listen', `No socket can be created at ${path} (${code}). ${fileRemedy(cause)}`, {
        cause,
      });
    }
    return true;
  }

  #removeSocket(): void {
    const { folder, path } = this.#ports.location;
    if (folder !== undefined && this.isInPlace) rmSync(path, { force: true });
  }

  #accept(socket: Socket): void {
    const { clock } = this.#ports;
    const cancel = clock.schedule(connectionMsMax, () => void socket.destroy());
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => {
      cancel();
      this.#sockets.delete(socket);
    });

    let hasSent = false;
    let window: JoinedWindow | undefined;
    // A client may end its side and still read the answer.
    socket.once('end', () => (hasSent && !window) || socket.destroy());
    const receive = (text: string | undefined) => {
      if (window) return window.receiveAnswer(text);
      if (hasSent) return;
      hasSent = true;
      if (text !== joinMessage) return void this.#answer(socket, text);
      cancel();
      window = this.#join(socket);
    };
    readLines(socket, receive, () => (window ? socket.destroy() : reply(socket, false)));
  }

  #join(socket: Socket): JoinedWindow | undefined {
    if (this.#windows.size >= windowsMax) {
      this.#ports.logger.warn({ windowsMax }, 'a window was rejected, because too many have joined');
      socket.destroy();
      return undefined;
    }
    const window = new JoinedWindow(socket, this.#ports.clock);
    this.#windows.add(window);
    socket.once('close', () => this.#windows.delete(window));
    this.#ports.onJoin(window);
    return window;
  }

  async #answer(socket: Socket, text: string | undefined): Promise<void> {
    const isAccepted = text !== undefined && (await this.offer(text));
    if (isAccepted) this.#ports.logger.info({}, 'a redirect was delivered');
    else this.#ports.logger.debug({}, 'an address that no window waited for was rejected');
    reply(socket, isAccepted);
    if (!isAccepted && isAddressOf(this.#ports.scheme, text)) this.#ports.unclaimed(text);
  }
}

/** Resolves with true as soon as one answer is, so that a window that hangs delays no other. */
function anyOf(answers: readonly Promise<boolean>[]): Promise<boolean> {
  const acceptances = answers.map(async answer => (await answer) || Promise.reject());
  return Promise.any(acceptances).catch(() => false);
}

function reply(socket: Socket, isAccepted: boolean): void {
  if (socket.destroyed) return;
  sendLine(socket, answerOf(isAccepted));
  socket.end();
}

/** @returns false when another process listens */
function listenAt(server: Server, path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(false) : reject(error));
    server.once('error', fail);
    server.listen({ path }, () => {
      server.off('error', fail);
      resolve(true);
    });
  });
}

// Unspecified: how long a window may take. This is less than the forwarder waits. A window that takes longer is disconnected
// and joins again once it responds.
export const windowAnswerMsMax = 1500;

/** A connection to another window of the game, which answers the offered addresses in order. */
export class JoinedWindow {
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #offers: ((isAccepted: boolean) => void)[] = [];

  constructor(socket: Socket, clock: Clock) {
    this.#socket = socket;
    this.#clock = clock;
    socket.once('close', () => {
      for (const answer of this.#offers.splice(0)) answer(false);
    });
  }

  /** Also resolves with false when the window disconnects or does not answer in time. */
  offer(address: string): Promise<boolean> {
    if (this.#socket.destroyed) return Promise.resolve(false);
    return new Promise(resolve => {
      // The window is disconnected, because its next answer could not be matched to an offer.
      const cancel = this.#clock.schedule(windowAnswerMsMax, () => void this.#socket.destroy());
      this.#offers.push(isAccepted => {
        cancel();
        resolve(isAccepted);
      });
      sendLine(this.#socket, address);
    });
  }

  /** A window that answers without being asked is disconnected. */
  receiveAnswer(text: string | undefined): void {
    const answer = this.#offers.shift();
    if (answer) answer(text === answerOf(true));
    else this.#socket.destroy();
  }
}
