import { AuthorizationArgs, Client, type LobbySnapshot, ValidationError } from '@rallypoint/sdk';
import {
  type Backend,
  commandTypes,
  createBackend,
  entryPointHandlers,
  optionTypes,
  type ReceivedInteraction,
} from '@rallypoint/sdk/backend';
import type { Service } from '@rallypoint/sdk/service';
import { filter, firstValueFrom, map, type Observable, timeout } from 'rxjs';
import { signInAs } from './player-browser.ts';
import { ada, applicationId, botToken, channelId, grace, guildId } from './starfall.ts';
import type { Story } from './story.ts';

const secondsToSee = 5;

/** The story itself, from signing in to the answered command. */
export async function tellStarfall(story: Story, service: Service): Promise<void> {
  const backend = createBackend({ applicationId, botToken, baseUrl: service.webBase });
  const clients: Client[] = [];
  try {
    story.chapter('The players sign in');
    const adas = await signIn(story, service, clients, ada);
    const graces = await signIn(story, service, clients, grace);

    story.chapter('The game registers its commands');
    await registerCommands(story, backend);

    story.chapter('A lobby, watched live');
    await shareLobby(story, backend, adas, graces);

    story.chapter('Friends meet in a lobby');
    await meetFriends(story, adas, graces);

    story.chapter('A command in a channel reaches the game');
    await answerCommand(story, service, backend);
  } finally {
    await Promise.all(clients.map(client => client.close()));
    backend.close();
  }
}

type Player = typeof ada;

async function signIn(story: Story, service: Service, clients: Client[], player: Player): Promise<Client> {
  const client = new Client({
    applicationId,
    baseUrl: service.webBase,
    // A game leaves this out and the system's browser opens; here the story plays the person in front of it.
    openBrowser: url => signInAs(player.username, url),
  });
  clients.push(client);
  const { challenge, verifier } = client.createAuthorizationCodeVerifier();
  await story.step(
    `${player.global_name} signs in: browser, consent, redirect to the game, PKCE`,
    'Look at the sign-in page of the service in a browser.',
    async () => {
      const grant = await client.authorize(new AuthorizationArgs().setCodeChallenge(challenge));
      const tokens = await client.getToken({ ...grant, verifier });
      client.updateToken(tokens.accessToken);
      return { grant, tokens };
    },
    ({ grant, tokens }) =>
      `The code came to ${grant.redirectUri}; the token lives ${tokens.expiresInSeconds / 86_400} days.`,
  );
  await story.step(
    `${player.global_name}'s game connects to the gateway`,
    'Is the gateway address of the ready line reachable?',
    () => client.connect(),
    () => `Status ${client.status.status}; ${client.lobbies.size} lobbies so far.`,
  );
  return client;
}

async function registerCommands(story: Story, backend: Backend): Promise<void> {
  await story.step(
    'The game registers its entry point, which opens its Activity',
    'Entry points need an application with an Activity ("embedded" in the fixtures).',
    () =>
      backend.commands.create({
        type: commandTypes.PRIMARY_ENTRY_POINT,
        name: 'Launch',
        description: 'Opens Starfall',
        handler: entryPointHandlers.APP_HANDLER,
      }),
    ({ command, isNew }) =>
      `"${command.name}" ${isNew ? 'is new' : 'took the place of the automatic one'}: ${command.id}.`,
  );
  await story.step(
    'A misspelt command is rejected before anything is sent',
    'The rulebook let a wrong command pass: please report it.',
    () => refusalOf(backend.commands.create({ name: 'Rally Up', description: '' })),
    ({ issues }) => issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('  '),
  );
  await story.step(
    'The game registers /rally',
    'See the issues above; docs/decisions.md explains the rules that are our choice.',
    () =>
      backend.commands.create({
        name: 'rally',
        description: 'Calls your party together',
        description_localizations: { de: 'Ruft deine Gruppe zusammen' },
        options: [
          {
            type: optionTypes.STRING,
            name: 'map',
            description: 'Where to meet',
            required: true,
            choices: [
              { name: 'Harbour', value: 'harbour' },
              { name: 'Lighthouse', value: 'lighthouse' },
            ],
          },
        ],
      }),
    ({ command }) => `/${command.name} is ${command.id}, version ${command.version}.`,
  );
}

async function refusalOf(call: Promise<unknown>): Promise<ValidationError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ValidationError) return error;
  throw error ?? new Error('It was not rejected.');
}

async function shareLobby(story: Story, backend: Backend, adas: Client, graces: Client): Promise<void> {
  const lobby = await story.step(
    'The game server opens a lobby with Ada in it',
    'Does the bot token belong to the application?',
    () =>
      backend.lobbies.create({ metadata: { map: 'harbour' }, members: [{ id: ada.id }], idle_timeout_seconds: 300 }),
    ({ id }) => `Lobby ${id}.`,
  );
  await story.step(
    "Ada's game sees it appear",
    'Is the client connected, and granted the scope sdk.social_layer?',
    () => seen(adas, lobby.id, () => true),
    describe,
  );
  await story.step(
    'The game server adds Grace; both games see two members, both connected',
    'Is the client connected, and granted the scope sdk.social_layer?',
    async () => {
      await backend.lobbies.putMember(lobby.id, grace.id, { metadata: { team: 'blue' } });
      const full = (one: LobbySnapshot) => one.members.length === 2 && one.members.every(member => member.connected);
      const [his] = await Promise.all([seen(graces, lobby.id, full), seen(adas, lobby.id, full)]);
      return his;
    },
    describe,
  );
  await story.step(
    'The game server moves the match to the lighthouse; both games follow',
    'Is the client connected, and granted the scope sdk.social_layer?',
    async () => {
      await backend.lobbies.edit(lobby.id, { metadata: { map: 'lighthouse' } });
      const moved = (one: LobbySnapshot) => one.metadata.map === 'lighthouse';
      const [hers] = await Promise.all([seen(adas, lobby.id, moved), seen(graces, lobby.id, moved)]);
      return hers;
    },
    describe,
  );
  await story.step(
    'Ada says something, and Grace reads it in her game',
    'Is the client connected, and granted the scope sdk.social_layer?',
    async () => {
      const heard = firstValueFrom(
        graces.lobbyMessages$(lobby.id).pipe(
          map(messages => messages.at(-1)),
          filter(message => message !== undefined),
          timeout(secondsToSee * 1000),
        ),
      );
      await adas.lobbies.get(lobby.id)?.send('The lighthouse is lit!');
      return heard;
    },
    message => `Grace reads: "${message.content}"`,
  );
}

async function meetFriends(story: Story, adas: Client, graces: Client): Promise<void> {
  await story.step(
    'Ada asks Grace to be friends, and Grace accepts',
    'Did both players grant the scope sdk.social_layer?',
    async () => {
      await adas.friends.addByUsername(grace.username);
      await soon(graces.friends.requests$, ({ incoming }) => incoming.length > 0);
      await graces.friends.accept(ada.id);
      return soon(adas.friends.friends$, ({ onlineElsewhere }) => onlineElsewhere.length > 0);
    },
    ({ onlineElsewhere }) =>
      `Ada's list shows ${onlineElsewhere.map(({ displayName }) => displayName).join()}, online.`,
  );
  const lobby = await story.step(
    'Ada opens a lobby of her own and shows where she is; Grace sees it in her list',
    'Did both players grant the scope sdk.social_layer?',
    async () => {
      const opened = await adas.lobbies.join(joinSecret);
      const party = { id: opened.id, size: [1, 4] as const };
      await adas.presence.set({ details: 'The harbour', state: 'Looking for a crew', party, joinSecret });
      const { onlinePlayingGame } = await soon(graces.friends.friends$, list => list.onlinePlayingGame.length > 0);
      return { opened, activity: onlinePlayingGame[0]?.activity };
    },
    ({ activity }) => `Grace reads: "${activity?.name}, ${activity?.details}: ${activity?.state}"`,
  );
  await story.step(
    'Ada invites Grace, who lands in that lobby',
    'Is the party of the activity full?',
    async () => {
      await adas.invites.send(grace.id, { content: 'Come to the harbour!' });
      const [invite] = await soon(graces.invites.invites$, invites => invites.length > 0);
      const joined = await graces.invites.join(invite?.id ?? '');
      return seen(adas, joined.id, ({ members }) => members.length === 2);
    },
    ({ id, members }) => `Lobby ${id}${id === lobby.opened.id ? '' : ', another one'}, with ${members.length} members.`,
  );
  await story.step(
    'Grace writes to Ada, beside the lobby',
    'Did both players grant the scope sdk.social_layer?',
    async () => {
      const conversation = await graces.messages.open(ada.id);
      await conversation.send('I am here!');
      const [newest] = await soon(adas.messages.conversations$, all => all.length > 0);
      return newest;
    },
    newest => `Ada reads: "${newest?.lastMessage?.content}" (${newest?.unreadCount} unread)`,
  );
}

const joinSecret = 'the harbour of Ada and Grace';

/** The first value that fits. */
function soon<Value>(values$: Observable<Value>, fits: (value: Value) => boolean): Promise<Value> {
  return firstValueFrom(values$.pipe(filter(fits), timeout(secondsToSee * 1000)));
}

function seen(client: Client, lobbyId: string, fits: (lobby: LobbySnapshot) => boolean): Promise<LobbySnapshot> {
  return firstValueFrom(
    client.lobby$(lobbyId).pipe(
      filter(lobby => lobby !== undefined && fits(lobby)),
      map(lobby => lobby as LobbySnapshot),
      timeout(secondsToSee * 1000),
    ),
  );
}

function describe({ metadata, members }: LobbySnapshot): string {
  const names = new Map([ada, grace].map(({ id, global_name }) => [id, global_name]));
  const present = members.map(({ id, connected }) => `${names.get(id) ?? id}${connected ? '' : ' (offline)'}`);
  return `On ${metadata.map}: ${present.join(', ')}.`;
}

async function answerCommand(story: Story, service: Service, backend: Backend): Promise<void> {
  const used = Promise.withResolvers<ReceivedInteraction>();
  await story.step(
    'The game server listens for its commands on the gateway',
    'Does the bot token belong to the application?',
    () =>
      backend.interactions.listen(async interaction => {
        await interaction.reply({ content: 'Meet at the lighthouse!' });
        used.resolve(interaction);
      }),
    () => 'It is connected as the bot.',
  );
  await story.step(
    'Ada uses /rally in a channel, and the game server answers',
    'The answer must come within 3 seconds.',
    async () => {
      await use(service, backend, 'rally', [{ type: optionTypes.STRING, name: 'map', value: 'lighthouse' }]);
      const interaction = await used.promise;
      return answerOf(service, interaction);
    },
    content => `The channel shows: "${content}"`,
  );
}

/** What Ada's own client does when she sends a command; the control API lets this story act as it. */
async function use(service: Service, backend: Backend, name: string, options: readonly unknown[]): Promise<void> {
  const command = (await backend.commands.list()).find(one => one.name === name);
  if (!command) throw new Error(`/${name} is not registered.`);
  const session = await call(`${service.controlBase}/users/${ada.id}/session`, `Bearer ${service.controlToken}`);
  const { token } = (await session.json()) as { token: string };
  const { id, version, type } = command;
  await call(`${service.apiBase}/v10/interactions`, token, {
    type: 2,
    application_id: applicationId,
    guild_id: guildId,
    channel_id: channelId,
    data: { id, version, name, type, options },
  });
}

async function answerOf({ apiBase }: Service, { payload }: ReceivedInteraction): Promise<string> {
  const answer = await fetch(`${apiBase}/v10/webhooks/${applicationId}/${payload.token}/messages/@original`);
  const { content } = (await answer.json()) as { content: string };
  return content;
}

async function call(url: string, authorization: string, body?: unknown): Promise<Response> {
  const headers = { authorization, 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  if (!answer.ok) throw new Error(`${new URL(url).pathname} answered ${answer.status}: ${await answer.text()}`);
  return answer;
}
