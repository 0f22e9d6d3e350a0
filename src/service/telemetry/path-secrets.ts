/** Path parameters that are secrets: they prove who sends the request. */
const secretParameters = ['interaction_token', 'code'];
/** Query parameters with secrets, and those that lead to one. */
const secretQuery =
  /([?&#](?:code|token|access_token|refresh_token|id_token|key|secret|client_secret|user_code|password)=)[^&#]*/gi;

/** An address without the secrets in its path, its query and its fragment. @param params what fills the path */
export function withoutPathSecrets(address: string, params: Readonly<Record<string, string>>): string {
  let shown = address;
  for (const name of secretParameters) {
    const value = params[name];
    if (value !== undefined) shown = shown.replace(encodeURIComponent(value), 'masked').replace(value, 'masked');
  }
  return shown.includes('=') ? shown.replace(secretQuery, '$1masked') : shown;
}
