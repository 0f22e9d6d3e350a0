import { rmSync, statSync } from 'node:fs';
import { chmod, rename, rm, stat } from 'node:fs/promises';
import type { Server, Socket } from 'node:net';
import { RedirectError } from '../../model/errors/errors.ts';
import type { Clock, Logger } from '../../wire/clock/ports.ts';
import { forwarderAgreement } from '../native/forwarder.ts';
import { isAddressOf } from './address.ts';
import { JoinedWindow } from './joined-window.ts';
import { answerOf, joinWord, readLines, sendLine } from './lines.ts';
import type { Place } from './place.ts';

// Our choice: a person has few windows, and a redirect comes once per sign-in; the rest is a mistake or an attack.
/** Connections at once; more are dropped as they come. */
export const connectionsMax = 64;
/** Windows among them. */
export const windowsMax = 16;
/** How long a visitor may stay: to say what it came for, and to read the answer. */
export const visitMsMax = forwarderAgreement.answerMsMax;

/** What an {@link Owner} stands on. */
export interface OwnerPorts {
  readonly place: Place;
  readonly scheme: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Hands an address to this instance's own client. */
  take(address: string): boolean;
  /** Told of an address that nobody took. */
  unclaimed(address: string): void;
  /** Another window has come, to whom addresses can be offered. */
  onJoin(window: JoinedWindow): void;
}

/** The first instance: listens for the scheme's addresses, for itself and for the windows that join it. */
export class Owner {
  readonly #ports: OwnerPorts;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #windows = new Set<JoinedWindow>();
  #inode = 0;

  private constructor(server: Server, ports: OwnerPorts) {
    this.#server = server;
    this.#ports = ports;
    server.maxConnections = connectionsMax;
    server.on('connection', socket => this.#welcome(socket));
  }

  /**
   * Puts a socket at the place, over one whose process is gone. Who calls has made sure that the folder is private, that
   * nobody listens there, and that no other process does the same now.
   *
   * @returns undefined when somebody listens there after all (Windows)
   * @throws RedirectError `cannot_listen`
   */
  static async open(ports: OwnerPorts): Promise<Owner | undefined> {
    const { createServer } = await import('node:net');
    const owner = new Owner(createServer({ allowHalfOpen: true }), ports);
    return (await owner.#listen()) ? owner : undefined;
  }

  /** Hands the address to whoever waits for it, here or in another window. */
  async offer(address: string): Promise<boolean> {
    if (!isAddressOf(this.#ports.scheme, address)) return false;
    if (this.#ports.take(address)) return true;
    return anyOf(Array.from(this.#windows, window => window.offer(address)));
  }

  /** Whether whoever comes to the place meets us: false once somebody has cleaned the socket away. */
  get isInPlace(): boolean {
    const { folder, path } = this.#ports.place;
    return folder === undefined || statSync(path, { throwIfNoEntry: false })?.ino === this.#inode;
  }

  /** Lets everybody go; nothing is left at the place. */
  close(): void {
    this.#removeSocket();
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #listen(): Promise<boolean> {
    const { folder, path } = this.#ports.place;
    if (folder === undefined) return listenAt(this.#server, path);
    // Renamed, so that the socket is there all at once, and closing the server cannot remove a later one in its place.
    const unnamed = `${path}.new`;
    await rm(unnamed, { force: true });
    try {
      if (!(await listenAt(this.#server, unnamed))) return false;
      await chmod(unnamed, 0o600);
      this.#inode = (await stat(unnamed)).ino;
      await rename(unnamed, path);
    } catch (cause) {
      this.#server.close();
      const { code } = Object(cause) as { code?: unknown };
      throw new RedirectError('cannot_listen', `No socket can be put at ${path} (${code}).`, { cause });
    }
    return true;
  }

  #removeSocket(): void {
    const { folder, path } = this.#ports.place;
    if (folder !== undefined && this.isInPlace) rmSync(path, { force: true });
  }

  #welcome(socket: Socket): void {
    const { clock } = this.#ports;
    const cancel = clock.schedule(visitMsMax, () => void socket.destroy());
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => {
      cancel();
      this.#sockets.delete(socket);
    });

    let hasSpoken = false;
    let window: JoinedWindow | undefined;
    // A visitor may say that it has no more to say, and still read the answer.
    socket.once('end', () => (hasSpoken && !window) || socket.destroy());
    const hear = (text: string | undefined) => {
      if (window) return window.answered(text);
      if (hasSpoken) return;
      hasSpoken = true;
      if (text !== joinWord) return void this.#answer(socket, text);
      cancel();
      window = this.#join(socket);
    };
    readLines(socket, hear, () => (window ? socket.destroy() : reply(socket, false)));
  }

  #join(socket: Socket): JoinedWindow | undefined {
    if (this.#windows.size >= windowsMax) {
      this.#ports.logger.warn({ windowsMax }, 'one window too many wants the redirects');
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
    if (isAccepted) this.#ports.logger.info({}, 'a redirect came to whoever waited for it');
    else this.#ports.logger.debug({}, 'an address was refused');
    reply(socket, isAccepted);
    if (!isAccepted && isAddressOf(this.#ports.scheme, text)) this.#ports.unclaimed(text);
  }
}

/** True as soon as one is; a window that hangs holds nobody up. */
function anyOf(answers: readonly Promise<boolean>[]): Promise<boolean> {
  const acceptances = answers.map(async answer => (await answer) || Promise.reject());
  return Promise.any(acceptances).catch(() => false);
}

function reply(socket: Socket, isAccepted: boolean): void {
  if (socket.destroyed) return;
  sendLine(socket, answerOf(isAccepted));
  socket.end();
}

/** @returns false when somebody else listens there */
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
