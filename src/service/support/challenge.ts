/**
 * The value of a `WWW-Authenticate` header. It has a realm, because Basic requires one, and Bearer at least one parameter.
 *
 * @param error absent: there was no credential
 * @see RFC 7617, section 2; RFC 6750, section 3
 */
export function challengeOf(
  scheme: 'Basic' | 'Bearer' | 'Bot',
  error?: 'insufficient_scope' | 'invalid_client' | 'invalid_token',
): string {
  const challenge = `${scheme} realm="rallypoint"`;
  return error === undefined ? challenge : `${challenge}, error="${error}"`;
}
