import { filter, firstValueFrom, map } from 'rxjs';
import { AuthorizationArgs } from '../../../src/sdk/auth/authorization-args.ts';
import type { TokenSet } from '../../../src/sdk/auth/token-set.ts';
import type { Client } from '../../../src/sdk/client.ts';
import type { LobbyHandle } from '../../../src/sdk/lobby/lobby-handle.ts';
import type { LobbySnapshot } from '../../../src/sdk/lobby/snapshot.ts';
import type { ServiceAddresses } from '../../../src/service/index.ts';

/** What the consent page would do: where the browser is sent when this user decides so. */
export async function decide(
  service: ServiceAddresses,
  authorizeUrl: string,
  userId: string,
  decision: 'approve' | 'deny' = 'approve',
): Promise<string> {
  const answer = await fetch(`${service.controlBase}/consent`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.controlToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ authorize_url: authorizeUrl, user_id: userId, decision }),
  });
  const { redirect_to, message } = (await answer.json()) as { redirect_to?: string; message?: string };
  if (redirect_to === undefined) throw new Error(`No redirect: ${message}`);
  return redirect_to;
}

/** A browser in which this user approves: for a client's `openBrowser`. */
export function browserOf(service: ServiceAddresses, userId: string): (url: string) => Promise<void> {
  return async url => {
    await fetch(await decide(service, url, userId));
  };
}

/** Authorizes, exchanges the code and hands the token to the client. */
export async function signIn(client: Client, args = new AuthorizationArgs()): Promise<TokenSet> {
  const { challenge, verifier } = client.createAuthorizationCodeVerifier();
  const grant = await client.authorize(new AuthorizationArgs(args).setCodeChallenge(challenge));
  const tokens = await client.getToken({ ...grant, verifier });
  client.updateToken(tokens.accessToken);
  return tokens;
}

/** The handle of a lobby that the client knows. */
export function lobbyOf(client: Client, lobbyId: string): LobbyHandle {
  const handle = client.lobbies.get(lobbyId);
  if (!handle) throw new Error(`The client does not know the lobby ${lobbyId}.`);
  return handle;
}

/** The first snapshot of a lobby that fits, the present one included. */
export function seen(
  client: Client,
  lobbyId: string,
  fits: (lobby: LobbySnapshot) => boolean = () => true,
): Promise<LobbySnapshot> {
  return firstValueFrom(
    client.lobby$(lobbyId).pipe(
      map(lobby => (lobby && fits(lobby) ? lobby : undefined)),
      filter(lobby => lobby !== undefined),
    ),
  );
}

/** Resolves once the client knows no lobby of this id. */
export async function gone(client: Client, lobbyId: string): Promise<void> {
  await firstValueFrom(client.lobby$(lobbyId).pipe(filter(lobby => lobby === undefined)));
}
