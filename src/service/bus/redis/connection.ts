import { createClient, ErrorReply } from '@redis/client';
import { type Cancel, type Logger, systemClock } from '../../../wire/clock/ports.ts';
import { BusError } from '../errors.ts';
import { parseRedisUrl, type RedisAddress } from './address.ts';

/** A command that is unanswered while this long nothing arrived shows that the server, or the way to it, is gone. */
const silentMsMax = 2000;
/** Interval at which that is checked, and an idle connection is tried. */
const checkEveryMs = 500;
/** How long a new connection may take until it can be used. */
const connectMsMax = 3000;
/** Pauses between attempts to connect: they double from the first to the last. */
const pauseMsMin = 50;
const pauseMsMax = 1000;
/** Commands under way; more are rejected. */
const commandsMax = 20_000;
const versionMin = 7;

export type RedisClient = ReturnType<typeof newClient>;

/** What its owner does while a connection opens and closes. */
export interface ConnectionEvents {
  /** Before the connection is used; it counts as up once this resolves. When it rejects, another connection is opened. */
  opened(client: RedisClient, server: RedisServer): Promise<void>;
  closed(): void;
}

export interface RedisServer {
  /** Random, new at each start of the server. */
  readonly runId: string;
}

/**
 * One connection to Redis that is opened again, for as long as it takes, whenever it is lost or the server stops answering. Commands of one turn
 * of the event loop are sent together, and are answered in their order.
 *
 * A command is sent once. When the connection breaks, whether it ran is not known, and it is rejected.
 */
export class RedisConnection {
  readonly address: RedisAddress;
  readonly #log: Logger;
  readonly #events: ConnectionEvents;
  #client: RedisClient | undefined;
  /** The client that is connecting or connected. */
  #newest: RedisClient | undefined;
  #isClosed = false;
  /** The code of the error that Redis answered last. */
  #answer = '';
  #underWay = 0;
  /** When something was last sent after silence, or received. */
  #heardAtMs = 0;
  #cancel: Cancel = () => {};
  #wakePause: () => void = () => {};
  #running: Promise<void> = Promise.resolve();

  constructor(url: string, log: Logger, events: ConnectionEvents) {
    this.address = parseRedisUrl(url);
    this.#log = log;
    this.#events = events;
  }

  /** Whether commands can be sent. */
  get isUp(): boolean {
    return this.#client !== undefined;
  }

  /**
   * Opens the first connection; from then on it is kept open.
   *
   * @throws BusError `bus_unusable` when the server rejects it; `bus_unavailable` when it cannot be reached within `withinMs`
   */
  async open(withinMs: number): Promise<void> {
    const untilMs = systemClock.now() + withinMs;
    for (let pauseMs = pauseMsMin; ; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
      try {
        const client = await this.#connect();
        this.#running = this.#run(client);
        this.#watch();
        return;
      } catch (error) {
        if (this.#isClosed) throw this.#unavailable();
        const refused = refusalIn(error);
        if (refused) throw this.#unusable(refused);
        if (systemClock.now() + pauseMs >= untilMs) throw this.#unavailable(error);
        await this.#pause(pauseMs);
      }
    }
  }

  /**
   * Sends a command.
   *
   * @throws BusError `bus_unavailable`, at the latest some seconds after the call
   */
  async call<T>(send: (client: RedisClient) => Promise<T>): Promise<T> {
    const client = this.#client;
    if (!client || this.#underWay >= commandsMax) throw this.#unavailable();
    if (this.#underWay++ === 0) this.#heardAtMs = now();
    try {
      return await send(client);
    } catch (error) {
      if (error instanceof ErrorReply) this.#logAnswer(error);
      // The server was demoted to a replica: the address may lead to the new primary when it is looked up again.
      if (error instanceof ErrorReply && error.message.startsWith('READONLY')) end(client);
      throw this.#unavailable(error);
    } finally {
      this.#underWay--;
      this.#heardAtMs = now();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    if (this.#newest) end(this.#newest);
    this.#wakePause();
    await this.#running;
  }

  /** Waits until the connection is lost, then opens another, until it is closed. */
  async #run(first: RedisClient): Promise<void> {
    let client: RedisClient | undefined = first;
    for (;;) {
      await lost(client);
      this.#client = undefined;
      this.#events.closed();
      if (this.#isClosed) return;
      this.#log.warn({ redis: this.address.shown }, 'The connection to Redis was lost; it is being opened again.');
      const sinceMs = now();
      client = await this.#reopen();
      if (!client) return;
      const awayMs = Math.round(now() - sinceMs);
      this.#log.info({ redis: this.address.shown, awayMs }, 'Redis is connected again.');
    }
  }

  async #reopen(): Promise<RedisClient | undefined> {
    let said = '';
    for (let pauseMs = pauseMsMin; ; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
      if (this.#isClosed) return undefined;
      try {
        return await this.#connect();
      } catch (error) {
        // Once for each reason: an outage may last for hours.
        const reason = reasonOf(error);
        if (!this.#isClosed && reason !== said) {
          this.#log.warn({ redis: this.address.shown, reason }, 'Redis cannot be connected.');
        }
        said = reason;
      }
      // Spread, so that not all nodes come at the same moment.
      await this.#pause(pauseMs * (0.5 + Math.random() / 2));
    }
  }

  /** Opens a connection that can be used. */
  async #connect(): Promise<RedisClient> {
    const client = newClient(this.address);
    // What breaks a connection is told by its end, see `lost`.
    client.on('error', () => end(client));
    this.#newest = client;
    let isLate = false;
    const cancel = systemClock.schedule(connectMsMax, () => {
      isLate = true;
      end(client);
    });
    try {
      await client.connect();
      await this.#events.opened(client, await readServer(client));
      if (this.#isClosed || !client.isReady) throw new Error('closed while it was opened');
      this.#client = client;
      this.#answer = '';
      return client;
    } catch (error) {
      end(client);
      throw isLate ? new Error(`no answer within ${connectMsMax} ms`) : error;
    } finally {
      cancel();
    }
  }

  /** Ends a connection on which nothing is answered any more, and tries an idle one. */
  #watch(): void {
    this.#cancel = systemClock.schedule(checkEveryMs, () => {
      const client = this.#client;
      if (client && this.#underWay > 0 && now() - this.#heardAtMs > silentMsMax) end(client);
      else if (client && this.#underWay === 0) this.call(used => used.ping()).catch(() => {});
      if (!this.#isClosed) this.#watch();
    });
  }

  #pause(ms: number): Promise<void> {
    return new Promise(resolve => {
      const cancel = systemClock.schedule(ms, resolve);
      this.#wakePause = () => {
        cancel();
        resolve();
      };
    });
  }

  /** An error of the server itself, such as a full memory; once while it stays the same. */
  #logAnswer({ message }: ErrorReply): void {
    const code = message.split(' ', 1)[0] ?? '';
    if (code === this.#answer) return;
    this.#answer = code;
    this.#log.error({ redis: this.address.shown, reason: message }, 'Redis rejects commands.');
  }

  #unavailable(cause?: unknown): BusError {
    const reason = cause === undefined ? '' : ` (${reasonOf(cause)})`;
    return new BusError('bus_unavailable', `Redis at ${this.address.shown} cannot be reached${reason}.`, { cause });
  }

  #unusable(reason: string): BusError {
    return new BusError('bus_unusable', `Redis at ${this.address.shown} cannot be used: ${reason}.`);
  }
}

function newClient({ url, path, database, username, password }: RedisAddress) {
  return createClient({
    ...(path === undefined ? { url } : {}),
    socket: {
      ...(path === undefined ? {} : { path, tls: false as const }),
      // RedisConnection opens another client instead: a command must never be sent a second time.
      reconnectStrategy: false as const,
      connectTimeout: connectMsMax,
    },
    ...{ database, disableOfflineQueue: true, disableClientInfo: true, RESP: 3 as const },
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    maintNotifications: 'disabled',
  });
}

/** Ends the connection; commands under way are rejected. */
function end(client: RedisClient): void {
  if (client.isOpen) client.destroy();
}

async function readServer(client: RedisClient): Promise<RedisServer> {
  const info = String(await client.sendCommand(['INFO', 'server', 'replication']));
  const version = /^redis_version:(\d+)/m.exec(info)?.[1];
  const runId = /^run_id:(\w+)/m.exec(info)?.[1];
  if (runId === undefined || Number(version) < versionMin)
    throw new UnusableServer(`it is not Redis ${versionMin} or newer`);
  if (/^role:slave/m.test(info)) throw new Error('it is a replica, which accepts no writes');
  return { runId };
}

class UnusableServer extends Error {}

/** Resolves when the client's connection is lost. */
function lost(client: RedisClient): Promise<void> {
  return new Promise(resolve => {
    if (!client.isReady) return resolve();
    client.once('end', () => resolve());
    client.once('terminated', () => resolve());
  });
}

/** Why the server will never accept this connection; undefined when it may do so later. */
function refusalIn(error: unknown): string | undefined {
  if (error instanceof UnusableServer) return error.message;
  if (!(error instanceof ErrorReply) || /^(LOADING|BUSY|MASTERDOWN)\b/.test(error.message)) return undefined;
  return error.message.replace(/\.$/, '');
}

/** A reason in words. Neither Redis nor the system writes credentials into its errors. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message || error.name : String(error);
}

function now(): number {
  return systemClock.steady?.() ?? systemClock.now();
}
