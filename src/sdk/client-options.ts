import type { Clock, Entropy, Fetch, Logger, SocketFactory } from '../wire/clock/ports.ts';
import type { OpenBrowser } from './auth/open-browser.ts';
import type { WhenOffline } from './call-options.ts';

export interface ClientOptions {
  /** @see {@link Client.setApplicationId} */
  readonly applicationId?: string | bigint | undefined;
  /** Where the pages for people are, and who issues the tokens. Default: the hosted service. */
  readonly webBase?: string | undefined;
  /** What stands before the version in every API path; ends in `/api`. Default: the hosted service. */
  readonly apiBase?: string | undefined;
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
