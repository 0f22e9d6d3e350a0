const loopbackPort = /^(http:\/\/(?:127\.0\.0\.1|\[::1\])):([1-9][0-9]{0,4})(?=\/|$)/;
const portMax = 65_535;
const customScheme = /^(?!https?:)[a-z][a-z0-9+.-]*:/i;

/**
 * Whether a redirect is one of those the application registered: the same text, or on a loopback address the same but
 * for the port, because a game listens on whichever is free.
 *
 * Our choice: `localhost` is a name that can lead elsewhere and gets no such leave (RFC 8252, section 8.3).
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

const loopbackRedirect = /^http:\/\/(?:127\.\d+\.\d+\.\d+|\[::1\]|localhost)(?=[:/?#]|$)/i;

/** True for a redirect into a program on the user's machine, where any program may be the one that receives it. */
export function isNativeRedirect(uri: string): boolean {
  return isCustomSchemeRedirect(uri) || loopbackRedirect.test(uri);
}

/** Parameters of an answer; those without a value are left out. */
export type AnswerParameters = Readonly<Record<string, string | number | null | undefined>>;

/** Adds parameters to a redirect's query or, for eyes of the browser alone, as its fragment; blanks as `+`. */
export function redirectWith(uri: string, parameters: AnswerParameters, inFragment = false): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined) query.set(name, String(value));
  }
  const mark = inFragment ? '#' : uri.includes('?') ? '&' : '?';
  return uri + mark + query;
}

/** Hosts that a source list can spell: no IPv6 address, no sign that ends a source or a directive. */
const spellableHost = /^[a-z0-9.-]+(?::[0-9]+)?$/;

/**
 * What a page's `form-action` must allow so that its form's answer may lead to the redirect: browsers apply that rule
 * to redirects after a form too.
 */
export function formActionSource(uri: string): string {
  const { protocol, host } = new URL(uri);
  return isCustomSchemeRedirect(uri) || !spellableHost.test(host) ? protocol : `${protocol}//${host}`;
}
