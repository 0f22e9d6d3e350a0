const loopbackPort = /^(http:\/\/(?:127\.0\.0\.1|\[::1\])):([1-9][0-9]{0,4})(?=\/|$)/;
const portMax = 65_535;
const customScheme = /^(?!https?:)[a-z][a-z0-9+.-]*:/i;

/**
 * Whether a redirect is registered by the application: as the same text, or on a loopback address with any port,
 * because a game listens on whichever port is free.
 *
 * Unspecified: `localhost` is a name that may resolve elsewhere, so its port must match (RFC 8252, section 8.3).
 *
 * @see docs/spec/oauth2.md#redirects; RFC 8252, section 7.3
 */
export function isRegisteredRedirect(uri: string, registered: readonly string[]): boolean {
  return registered.some(one => withoutLoopbackPort(one) === withoutLoopbackPort(uri));
}

function withoutLoopbackPort(uri: string): string {
  return uri.replace(loopbackPort, (whole, address: string, port: string) =>
    Number(port) > portMax ? whole : address,
  );
}

/** True for a redirect into a program (`<scheme>:/authorize/callback`) rather than to a web address. */
export function isCustomSchemeRedirect(uri: string): boolean {
  return customScheme.test(uri);
}

/** Names of the user's own machine, as `URL` spells them: it rewrites every other form of an address. */
const ownHost = /^(?:127\.[\d.]+|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[\da-f]{2}:[\da-f]+\]|(?:.+\.)?localhost\.?)$/;

/** True for a redirect into a program on the user's machine, where any program may be the one that receives it. */
export function isNativeRedirect(uri: string): boolean {
  return isCustomSchemeRedirect(uri) || ownHost.test(new URL(uri).hostname);
}

/** Parameters of an answer; those without a value are omitted. */
export type AnswerParameters = Readonly<Record<string, string | number | null | undefined>>;

/** Adds parameters to a redirect, in the query or in the fragment, which only the browser sees; spaces become `+`. */
export function redirectWith(uri: string, parameters: AnswerParameters, inFragment = false): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined) query.set(name, String(value));
  }
  const mark = inFragment ? '#' : uri.includes('?') ? '&' : '?';
  return uri + mark + query;
}

/**
 * Hosts that a content security policy can express: no IPv6 address, no character that ends a source or a directive.
 */
const spellableHost = /^[a-z0-9.-]+(?::[0-9]+)?$/;

/**
 * What a page's `form-action` must allow so that its form may be answered with the redirect: browsers apply that
 * directive to redirects after a form, too.
 */
export function formActionSource(uri: string): string {
  const { protocol, host } = new URL(uri);
  return isCustomSchemeRedirect(uri) || !spellableHost.test(host) ? protocol : `${protocol}//${host}`;
}
