import { type DispatchName, intents, type Opcode } from '../model/gateway.ts';
import { MetadataReader } from '../model/metadata-schema.ts';
import type { UserId } from '../model/snowflake.ts';
import type { Clock, Entropy, Logger, SocketFactory } from '../wire/clock/ports.ts';
import { loadSystemSocket } from '../wire/gateway/socket.ts';
import { deadlineMsDefault, type Http } from '../wire/http/http.ts';
import type { OpenBrowser } from './auth/open-browser.ts';
import type { TokenRenewal } from './auth/token-renewal.ts';
import { Calls } from './calls.ts';
import type { ClientOptions } from './client-options.ts';
import { LiveCommands } from './command/live-commands.ts';
import { Connection, userIdOf } from './connection/connection.ts';
import type { ConnectionStatus } from './connection/connection-snapshot.ts';
import { Waits } from './connection/waits.ts';
import { LobbyCollection } from './lobby/lobby-collection.ts';
import { LobbyNews } from './lobby/lobby-news.ts';
import { MessageGaps } from './lobby/message-gaps.ts';
import { LobbyOperations } from './lobby/operations.ts';
import { LobbyStore } from './lobby/store.ts';
import { lacking } from './social/scopes.ts';
import { SocialLayer } from './social/social-layer.ts';
import { VoiceCalls } from './voice/voice-calls.ts';

/** What a {@link LiveSession} is made of. */
export interface LiveSessionPorts<LobbyMetadata, MemberMetadata>
  extends Pick<ClientOptions<LobbyMetadata, MemberMetadata>, 'deadlineMs' | 'whenOffline' | 'schemas' | 'picturesUrl'> {
  readonly baseUrl: string;
  readonly http: Http;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  readonly openBrowser: OpenBrowser;
  readonly socket: SocketFactory | undefined;
  /** The access token to use now. */
  readonly token: () => string;
  /** The same, undefined while there is none. */
  readonly heldToken: () => string | undefined;
  readonly renewal: TokenRenewal;
  /** What the player has granted; undefined when that is unknown. */
  readonly scopes: () => readonly string[] | undefined;
  readonly onStatus: (status: ConnectionStatus) => void;
}

/** The connection of a client, and the state that its dispatches keep up to date: lobbies, voice calls, commands. */
export class LiveSession<LobbyMetadata, MemberMetadata> {
  readonly connection: Connection;
  readonly calls: Calls;
  readonly waits: Waits;
  readonly store: LobbyStore;
  readonly news = new LobbyNews();
  readonly lobbies: LobbyCollection<LobbyMetadata, MemberMetadata>;
  readonly commands: LiveCommands;
  readonly social: SocialLayer<LobbyMetadata, MemberMetadata>;
  readonly #voice: VoiceCalls;
  readonly #gaps: MessageGaps;
  /** Remains known while the client reconnects. */
  #ownId: UserId | undefined;

  constructor(ports: LiveSessionPorts<LobbyMetadata, MemberMetadata>) {
    const { baseUrl, http, clock, entropy, logger, openBrowser, socket, token, schemas } = ports;
    const { deadlineMs = deadlineMsDefault, whenOffline = 'fail', renewal } = ports;
    this.connection = new Connection({
      clock,
      entropy,
      logger,
      http,
      loadSocket: socket ? async () => socket : loadSystemSocket,
      token,
      intents: () => intentsFor(ports.scopes()),
      onDispatch: (name, data) => this.#dispatched(name, data),
    });
    this.waits = new Waits(clock, logger);
    const caller = () => ({ token: ports.heldToken(), playerId: this.#ownId });
    this.calls = new Calls({ clock, http, waits: this.waits, token, renewal, caller, deadlineMs, whenOffline });
    this.store = new LobbyStore(logger, this.news);
    const send = (op: Opcode, d: unknown) => this.connection.send(op, d);
    this.#voice = new VoiceCalls({ clock, calls: this.calls, lobbies: this.store, send });
    const operations = new LobbyOperations(this.calls, baseUrl);
    this.#gaps = new MessageGaps(this.store, (...missed) => operations.history('resync', ...missed), logger);
    this.commands = new LiveCommands(clock);
    this.lobbies = new LobbyCollection({
      store: this.store,
      news: this.news,
      calls: this.calls,
      operations,
      voice: this.#voice,
      clock,
      logger,
      openBrowser,
      deadlineMs,
      ownId: () => this.#ownId,
      isReady: () => this.connection.status.status === 'ready',
      lobbyMetadata: new MetadataReader(schemas?.lobby),
      memberMetadata: new MetadataReader(schemas?.member),
    });
    const { store, news, lobbies, calls } = this;
    this.social = new SocialLayer({
      clock,
      logger,
      calls,
      news,
      store,
      lobbies,
      send,
      web: ports.picturesUrl ?? baseUrl,
    });
    this.connection.status$.subscribe(({ status }) => {
      ports.onStatus(status);
      this.#statusChanged(status);
    });
  }

  /** Ends what is in progress and completes the streams. */
  async close(): Promise<void> {
    this.#gaps.stop();
    this.calls.close();
    await this.connection.close();
    this.#voice.close();
    this.social.close();
    this.store.close();
    this.commands.close();
    this.waits.close();
  }

  #dispatched(name: string, data: unknown): void {
    if (name === 'READY') this.#began(data);
    else if (!this.store.apply(name, data)) this.#dispatchedElse(name, data);
  }

  /** A dispatch that is not about the state of lobbies. */
  #dispatchedElse(name: string, data: unknown): void {
    if (this.social.apply(name, data)) return;
    if (name === 'LOBBY_VOICE_SERVER_UPDATE') this.#voice.takeServer(data);
    else if (changesCommands.has(name)) this.commands.refresh();
  }

  /** A session began; messages that were sent since the one before may be missing. */
  #began(ready: unknown): void {
    const known = this.store.lobbies.map(({ id }) => id);
    const ownId = userIdOf(ready);
    if (this.#ownId !== undefined && ownId !== this.#ownId) {
      this.lobbies.forget();
      this.social.forgetDrafts();
    }
    this.#ownId = ownId;
    this.#voice.began(ready);
    this.social.began(ready);
    this.store.apply('READY', ready);
    this.lobbies.began();
    this.#gaps.open(known.filter(id => this.store.lobby(id)));
  }

  #statusChanged(status: ConnectionStatus): void {
    this.calls.setReady(status === 'ready');
    this.commands.setReady(status === 'ready');
    this.#voice.setReady(status === 'ready');
    this.social.setReady(status === 'ready');
    if (status === 'ready') this.#gaps.fill();
    if (status === 'disconnecting' || status === 'disconnected') this.lobbies.disconnected();
    if (status !== 'disconnected') return;
    this.#gaps.stop();
    this.#voice.forget();
    this.social.forget();
    this.store.clear();
    this.commands.forget();
  }
}

/** After these a player may use other commands than before. */
const changesCommands: ReadonlySet<string> = new Set<DispatchName>([
  'APPLICATION_COMMAND_INDEX_UPDATE',
  'APPLICATION_COMMAND_PERMISSIONS_UPDATE',
]);

/** Those that the granted scopes open, lobbies always; all of them while nobody knows the scopes. */
function intentsFor(granted: readonly string[] | undefined): number {
  const { LOBBIES, LOBBY_DELETE, DIRECT_MESSAGES, PRIVATE_CHANNELS, USER_RELATIONSHIPS, USER_PRESENCE } = intents;
  const has = (...scopes: string[]) => lacking(granted, scopes) === undefined;
  return (
    LOBBIES |
    LOBBY_DELETE |
    (has('relationships.read') ? USER_RELATIONSHIPS : 0) |
    (has('activities.read', 'presences.read') ? USER_PRESENCE : 0) |
    (has('dm_channels.messages.read') ? DIRECT_MESSAGES : 0) |
    (has('dm_channels.read') ? PRIVATE_CHANNELS : 0)
  );
}
