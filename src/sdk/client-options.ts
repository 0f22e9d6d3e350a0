import type { RateLimit } from '../model/limits/limit-profiles.ts';
import type { Metadata } from '../model/lobby.ts';
import type { MetadataSchemas } from '../model/metadata-schema.ts';
import type { Clock, Entropy, Fetch, Logger, SocketFactory } from '../wire/clock/ports.ts';
import type { OpenBrowser } from './auth/open-browser.ts';
import type { RedirectPage } from './auth/redirect-page.ts';
import type { WhenOffline } from './call-options.ts';

export interface ClientOptions<LobbyMetadata = Metadata, MemberMetadata = Metadata> {
  /**
   * The address of the service: `https://host`, perhaps with a path. The API, the OAuth2 endpoints, the gateway and the
   * web pages follow from it. A `/api` or `/api/v10` at its end is accepted too.
   *
   * There is no default: pass your own service's address, or {@link discordBaseUrl}. The type admits undefined so that
   * `process.env.RALLYPOINT_BASE_URL` can be passed as it is; the client rejects undefined with `missing_base_url`.
   */
  readonly baseUrl: string | undefined;
  /** Where the pictures of users are: their addresses begin with it. Default: `baseUrl`. Discord has a host of its own for them. */
  readonly picturesUrl?: string | undefined;
  /** @see {@link Client.setApplicationId} */
  readonly applicationId?: string | bigint | undefined;
  /** Opens pages for the player, such as the consent page. Default: the system's browser; if there is none, a terminal shows the address. */
  readonly openBrowser?: OpenBrowser | undefined;
  /** The last page of a sign-in with a redirect to this machine: the game's name, or texts or a page of its own. */
  readonly redirectPage?: RedirectPage | undefined;
  /** What operations do while the client is not ready. Default: `fail`. */
  readonly whenOffline?: WhenOffline | undefined;
  /**
   * How long an operation may take with all its waits and attempts, in milliseconds; `Infinity`: without a limit. Calls
   * for tokens and for the player's account count as operations, of a sign-in on another device each request;
   * {@link Client.connect} has a limit of its own. Default: {@link deadlineMsDefault}.
   */
  readonly deadlineMs?: number | undefined;
  /** The rate limit over all calls. Default: 50 a second. `'off'` for a service that has no such limit. */
  readonly globalLimit?: RateLimit | 'off' | undefined;
  /**
   * What the metadata of lobbies and of their members looks like: handles then show it typed ({@link LobbyHandle.metadata},
   * {@link LobbyHandle.memberMetadata}), and reject metadata to be written that does not fit.
   */
  readonly schemas?: MetadataSchemas<LobbyMetadata, MemberMetadata> | undefined;
  /** Receives what the client logs; never a token, a code or a verifier. Default: nothing is logged. */
  readonly logger?: Logger | undefined;
  /** Default: Node's own HTTP. */
  readonly fetch?: Fetch | undefined;
  /** Default: the sockets of `ws`. */
  readonly socket?: SocketFactory | undefined;
  /** Default: the system's clock. */
  readonly clock?: Clock | undefined;
  /** Default: the system's random numbers. */
  readonly entropy?: Entropy | undefined;
}
