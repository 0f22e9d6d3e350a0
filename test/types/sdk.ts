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
  type Conversation,
  type ConversationSnapshot,
  type Credentials,
  createAuthorizationCodeVerifier,
  type DirectMessageEntry,
  discordBaseUrl,
  type FriendsSnapshot,
  type LobbyHandle,
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
  type PresenceSnapshot,
  type RallypointError,
  type StandardSchema,
  type TokenExpiration,
  type TokenSet,
  TransportError,
  toEventTarget,
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
client.lobbies.snapshot.push();
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
export const messages: Observable<LobbyMessages> = client.lobbyMessages$('5');
export const waits: Observable<readonly WaitSnapshot[]> = client.waits$;
export const names: Observable<readonly string[]> = client.select$(lobbies => lobbies.map(({ id }) => id));
export const commands: Observable<CommandsSnapshot> = client.commands$({ channelId: '7' });
// @ts-expect-error there is no such place
client.commands$('everywhere');
// @ts-expect-error a message is read-only
for (const message of client.lobbyMessages('5')) message.content = '';

export const friends: Observable<FriendsSnapshot> = client.friends.friends$;
export const presence: Observable<PresenceSnapshot> = client.presence.presence$('9');
export const conversations: Observable<readonly ConversationSnapshot[]> = client.messages.conversations$;
// @ts-expect-error the lists are read-only
client.friends.friends.offline.pop();
// @ts-expect-error a status has a name of its own
void client.presence.setStatus('offline');
// @ts-expect-error a party has an id
void client.presence.set({ party: { size: [1, 4] } });
client.events$.subscribe(event => {
  if (event.type === 'inviteReceived') event.invite.isValid satisfies boolean;
  // @ts-expect-error an invite is in no lobby
  if (event.type === 'inviteReceived') event.lobbyId;
});

export async function socialize(): Promise<LobbyHandle> {
  await client.friends.add('9', { game: true, note: 'Hello' });
  // @ts-expect-error a block is everywhere
  await client.friends.block('9', { game: true });
  const conversation: Conversation = await client.messages.open('9');
  const entry: DirectMessageEntry | undefined = conversation.messages.at(-1);
  if (entry?.status === 'failed') await conversation.resend(entry.id);
  return client.invites.join('5', { memberMetadata: { team: 'red' } });
}

export async function play(): Promise<LobbyId> {
  const raid = await client.lobbies.join('raid', { memberMetadata: { team: 'red' }, deadlineMs: 5_000 });
  // @ts-expect-error metadata is text → text
  await client.lobbies.join('raid', { memberMetadata: { team: 1 } });
  // @ts-expect-error what is to happen offline has a name
  await raid.leave({ whenOffline: 'later' });
  // @ts-expect-error flags of members are the game server's
  await client.lobbies.join('raid', { flags: 1 });
  const sent: LobbyMessageSnapshot = await raid.send('hello', { whenOffline: 'queue' });
  const known: LobbyHandle | undefined = client.lobbies.get('5');
  const map: string | undefined = raid.metadata?.map ?? known?.memberMetadata('9')?.map;
  for (const message of raid.messages) {
    // @ts-expect-error only outgoing messages fail
    if (message.status === 'sent') message.error;
    else message.error satisfies RallypointError | undefined;
  }
  // @ts-expect-error handles come from the collection
  new LobbyHandle('5', undefined);
  return map === undefined ? sent.lobbyId : raid.id;
}

/** A schema as validation libraries provide it. */
declare const raidSchema: StandardSchema<{ readonly map: string; readonly round: number }>;

export async function playTyped(): Promise<number> {
  await using typed = new Client({ baseUrl: discordBaseUrl, schemas: { lobby: raidSchema } });
  const { metadata, memberMetadata } = await typed.lobbies.join('raid');
  // @ts-expect-error metadata may not fit the schema
  metadata.round;
  const team: string | undefined = memberMetadata('9')?.team;
  return team === 'red' ? 0 : (metadata?.round ?? 1);
}

client.events$.subscribe(event => {
  if (event.type === 'memberJoined') event.member.displayName satisfies string;
  if (event.type === 'lobbyEnded') event.reason satisfies 'deleted' | 'unknown';
  // @ts-expect-error only events of messages have one
  if (event.type === 'removed') event.message;
  // @ts-expect-error no event has this name
  event.type === 'exploded';
});

const target = toEventTarget(client);
target.addEventListener('status', ({ detail }) => detail satisfies ConnectionSnapshot);
target.addEventListener('memberJoined', ({ detail }) => detail.member.displayName satisfies string);
target.addEventListener('memberJoined', ({ detail }) => detail.type satisfies 'memberJoined');
// @ts-expect-error only events of messages have one
target.addEventListener('memberJoined', ({ detail }) => detail.message);
// @ts-expect-error no event has this name
target.addEventListener('exploded', () => {});

export async function speak({ call }: LobbyHandle): Promise<VoiceServerSnapshot | undefined> {
  await call.join({ selfMute: true, deadlineMs: 5_000 });
  await call.update({ selfDeaf: false });
  // @ts-expect-error nobody can be muted by others
  await call.update({ mute: true });
  const { participants, server }: CallSnapshot = call.snapshot;
  // @ts-expect-error what a client shows is read-only
  for (const participant of participants) participant.selfMute = false;
  await call.leave();
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
  if (error instanceof OAuthError && error.code === 'oauth_error') return error.error;
  // @ts-expect-error no error of transport has this code
  if (error instanceof TransportError && error.code === 'unknown_lobby') return undefined;
  // @ts-expect-error no error has this code
  return error instanceof ArgumentError && error.code === 'no_such_code' ? 'never' : undefined;
}
explain(undefined);
