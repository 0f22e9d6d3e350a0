import { createHash } from 'node:crypto';
import type { ServerProcess } from './child.ts';
import { Sockets } from './sockets.ts';

/** Players of the server `fan-out`, and how they come into a lobby and to the gateway. */

export const bot = 'Bot bench-token';
const identify = { op: 2, d: { intents: (2 ** 27) | (2 ** 28), capabilities: 2 ** 16, properties: {} } };
const path = '/gateway?v=10&encoding=json';

/** Every player identifies, each with a token of its own. */
export async function connectPlayers({ ready }: ServerProcess, tokens: readonly string[]): Promise<Sockets> {
  const sockets = await Sockets.open(ready.port, path, tokens.length, n =>
    JSON.stringify({ ...identify, d: { ...identify.d, token: `Bearer ${tokens[n]}` } }),
  );
  await sockets.quiet();
  return sockets;
}

/** Puts a token for each player into the service's state: signing in a thousand players is not what is measured. */
export async function giveTokens({ ready }: ServerProcess, players: number): Promise<string[]> {
  const call = (method: string, body?: string) =>
    fetch(`${ready.controlBase}/snapshot`, {
      method,
      headers: { authorization: `Bearer ${ready.controlToken}` },
      ...(body === undefined ? {} : { body }),
    });
  const snapshot = (await (await call('GET')).json()) as { content: { authorizations: object[]; tokens: object[] } };
  const tokens = Array.from({ length: players }, (_, n) => `token-${n + 1}`);
  for (const [n, token] of tokens.entries()) {
    const [id, user_id] = [String(1_000_000 + n), String(n + 1)];
    const scopes = ['sdk.social_layer'];
    const hash = createHash('sha256').update(token).digest('hex');
    snapshot.content.authorizations.push({ id, application_id: '1000000000', user_id, scopes });
    snapshot.content.tokens.push({
      ...{ hash, kind: 'access', authorization_id: id, grant_id: hash, application_id: '1000000000', user_id, scopes },
      expires_at_ms: Date.now() + 86_400_000,
    });
  }
  await call('PUT', JSON.stringify(snapshot));
  return tokens;
}

/** A lobby with every player in it. */
export async function createLobby({ ready }: ServerProcess, players: number): Promise<string> {
  const lobbies = `http://127.0.0.1:${ready.port}/api/v10/lobbies`;
  const headers = { authorization: bot, 'content-type': 'application/json' };
  const send = (url: string, method: string, body: unknown) =>
    fetch(url, { method, headers, body: JSON.stringify(body) });
  const { id } = (await (await send(lobbies, 'POST', { idle_timeout_seconds: 3600 })).json()) as { id: string };
  for (let n = 1; n <= players; n++) await send(`${lobbies}/${id}/members/${n}`, 'PUT', {});
  return id;
}
