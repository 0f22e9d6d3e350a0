/** Who waits for redirects: a {@link Client}. */
export interface RedirectTarget {
  /** Whether the address ended an authorization that is under way; anything may be handed in. */
  handleRedirect(address: string): boolean;
}

/** A way in for redirects. Who listens judges nothing: what arrives goes to whoever waits. */
export interface RedirectReceiver {
  /** The address that a page is to send the player back to. */
  readonly redirectUri: string;
  /** Stops listening. Idempotent. */
  close(): void;
}
