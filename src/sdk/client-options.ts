import type { Clock, Entropy, Fetch, Logger, SocketFactory } from '../wire/clock/ports.ts';
import type { OpenBrowser } from './auth/open-browser.ts';
import type { WhenOffline } from './call-options.ts';

export interface ClientOptions {
  /**
   * The address of the service: `https://host`, perhaps with a path. The API, the OAuth2 endpoints, the gateway and the
   * web pages follow from it. A `/api` or `/api/v10` at its end is accepted too.
   *
   * There is no default: pass your own service's address, or {@link discordBaseUrl}. The type admits undefined so that
   * `process.env.RALLYPOINT_BASE_URL` can be passed as it is; the client rejects undefined with `missing_base_url`.
   */
  readonly baseUrl: string | undefined;
  /** @see {@link Client.setApplicationId} */
  readonly applicationId?: string | bigint | undefined;
  /** Shows the page that asks the player. Default: the system's browser. */
  readonly openBrowser?: OpenBrowser | undefined;
  /** What becomes of operations while the client is not ready. Default: `fail`. */
  readonly whenOffline?: WhenOffline | undefined;
  /**
   * How long an operation may take with all its waits and repetitions, in milliseconds; `Infinity`: as long as it takes.
   * Default: {@link deadlineMsDefault}.
   */
  readonly deadlineMs?: number | undefined;
  /** Hears what the client does; never a token, a code or a verifier. Default: nobody. */
  readonly logger?: Logger | undefined;
  /** Default: Node's own HTTP. */
  readonly fetch?: Fetch | undefined;
  /** Default: the sockets of `ws`. */
  readonly socket?: SocketFactory | undefined;
  /** Default: the machine's. */
  readonly clock?: Clock | undefined;
  /** Default: the machine's. */
  readonly entropy?: Entropy | undefined;
}
