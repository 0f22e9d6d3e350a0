/** Compile-only: what the client's types allow, and what they refuse. */
import type { SafeStorage } from 'electron';
import type { Observable } from 'rxjs';
import {
  ApiError,
  ArgumentError,
  AuthorizationArgs,
  type CallSnapshot,
  Client,
  type CommandsSnapshot,
  type ConnectionSnapshot,
  type Credentials,
  createAuthorizationCodeVerifier,
  discordBaseUrl,
  type LobbyId,
  type LobbyMemberSnapshot,
  type LobbyMembers,
  type LobbyMessageSnapshot,
  type LobbyMessages,
  type LobbySnapshot,
  OAuthError,
  type OpenedKeychain,
  openCredentials,
  openKeychain,
  type TokenExpiration,
  type TokenSet,
  TransportError,
  type VoiceServerSnapshot,
  type WaitSnapshot,
} from '../../src/sdk/index.ts';

const client = new Client({ baseUrl: process.env.RALLYPOINT_BASE_URL, applicationId: 1n });
new Client({ baseUrl: discordBaseUrl });
// @ts-expect-error there is no default service
new Client({ applicationId: 1n });
const { challenge, verifier } = createAuthorizationCodeVerifier();

new AuthorizationArgs({ clientId: '1' }).setClientId(1n).setState(undefined).setIntegrationType(1);
// @ts-expect-error a number loses digits of an id
new AuthorizationArgs().setClientId(1);
// @ts-expect-error there are two installation types
new AuthorizationArgs().setIntegrationType(2);
// @ts-expect-error S256 is the only method
new AuthorizationArgs().setCodeChallenge({ method: 'plain', challenge: '' });
// @ts-expect-error fields are changed by setters
new AuthorizationArgs().state = 'x';
// @ts-expect-error an application id is text or bigint
new Client({ baseUrl: discordBaseUrl, applicationId: 1 });

export async function signIn(): Promise<TokenSet> {
  const grant = await client.authorize(new AuthorizationArgs().setCodeChallenge(challenge));
  // @ts-expect-error the verifier is needed
  await client.getToken(grant);
  return client.getToken({ ...grant, verifier });
}

client.updateToken('text');
client.updateToken({ accessToken: 'text', expiresAtMs: 1 });
client.updateToken(undefined);
// @ts-expect-error an end is a number
client.updateToken({ accessToken: 'text', expiresAtMs: '1' });

export async function keep(credentials: Credentials): Promise<string> {
  const tokens = await client.getTokenFromDevice({ scopes: 'openid' }, { onProgress: ({ userCode }) => userCode });
  await credentials.accept(tokens);
  // @ts-expect-error whether somebody is signed in has two names
  credentials.state.status === 'expired';
  // @ts-expect-error kinds of proof have names
  await client.getProvisionalToken({ type: 'oidc', token: 'proof' });
  // @ts-expect-error a number loses digits of an id
  await client.exchangeChildToken('token', 1);
  return credentials.accessToken({ rejected: 'old' });
}

export const expiration: Observable<TokenExpiration> = client.tokenExpiration$;
export const credentials = openCredentials({
  client,
  keychain: await openKeychain({ service: 'S', allow: ['memory'] }),
});

export const status: Observable<ConnectionSnapshot> = client.status$;
export const lobby: Observable<LobbySnapshot | undefined> = client.lobby$('5');
// @ts-expect-error subjects stay private
client.lobbies$.next([]);
// @ts-expect-error snapshots are read-only
client.lobbies.push();
for (const { members } of client.lobbies) {
  // @ts-expect-error all the way down
  members.length = 0;
  for (const { metadata } of members) {
    // @ts-expect-error metadata too
    metadata.team = 'blue';
  }
}
// @ts-expect-error an id is text
client.lobby(5);
// @ts-expect-error a status has a name of its own
export const isUp = client.status.status === 'up';

export const members: Observable<LobbyMembers> = client.members$('5');
export const member: Observable<LobbyMemberSnapshot | undefined> = client.member$('5', '9');
export const messages: Observable<LobbyMessages> = client.messages$('5');
export const waits: Observable<readonly WaitSnapshot[]> = client.waits$;
export const names: Observable<readonly string[]> = client.select$(lobbies => lobbies.map(({ id }) => id));
export const commands: Observable<CommandsSnapshot> = client.commands$({ channelId: '7' });
// @ts-expect-error there is no such place
client.commands$('everywhere');
// @ts-expect-error a message is read-only
for (const message of client.messages('5')) message.content = '';

export async function play(): Promise<LobbyId> {
  const id = await client.createOrJoinLobby('raid', { memberMetadata: { team: 'red' }, deadlineMs: 5_000 });
  // @ts-expect-error metadata is text → text
  await client.createOrJoinLobby('raid', { memberMetadata: { team: 1 } });
  // @ts-expect-error what is to happen offline has a name
  await client.leaveLobby(id, { whenOffline: 'later' });
  // @ts-expect-error flags of members are the game server's
  await client.createOrJoinLobby('raid', { flags: 1 });
  const sent: LobbyMessageSnapshot = await client.sendLobbyMessage(id, 'hello', { whenOffline: 'queue' });
  return sent.lobbyId;
}

export async function speak(id: LobbyId): Promise<VoiceServerSnapshot | undefined> {
  await client.joinLobbyCall(id, { selfMute: true, deadlineMs: 5_000 });
  await client.updateLobbyCall(id, { selfDeaf: false });
  // @ts-expect-error nobody can be muted by others
  await client.updateLobbyCall(id, { mute: true });
  const { participants, server }: CallSnapshot = client.call(id);
  // @ts-expect-error what a client shows is read-only
  for (const participant of participants) participant.selfMute = false;
  await client.leaveLobbyCall(id);
  return server;
}

export const keychain: Promise<OpenedKeychain> = openKeychain({ service: 'Starfall', allow: ['system', 'memory'] });
// @ts-expect-error the tiers that are good enough must be said
openKeychain({ service: 'Starfall' });
// @ts-expect-error there is no such tier
openKeychain({ service: 'Starfall', allow: ['cloud'] });
export const withElectron = (safeStorage: SafeStorage): Promise<OpenedKeychain> =>
  openKeychain({ service: 'Starfall', allow: ['system', 'encrypted-file'], safeStorage, moveOnRead: true });
// @ts-expect-error an entry is moved to a backend, not to a tier
export const moved: Promise<boolean> = keychain.then(({ move }) => move('ada', 'system'));

/** A code that nothing has is a mistake, and each class has its own. */
function explain(error: unknown): string | undefined {
  if (error instanceof TransportError && error.code === 'client_not_ready') return 'offline';
  if (error instanceof ApiError && error.code === 'unknown_lobby') return 'gone';
  if (error instanceof OAuthError && error.code === 'temporarily_unavailable') return 'servers have codes of their own';
  // @ts-expect-error no error of transport has this code
  if (error instanceof TransportError && error.code === 'unknown_lobby') return undefined;
  // @ts-expect-error no error has this code
  return error instanceof ArgumentError && error.code === 'no_such_code' ? 'never' : undefined;
}
explain(undefined);
