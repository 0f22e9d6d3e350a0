/** Compile-only: what the backend's types allow, and what they refuse. */
import { createServer } from 'node:http';
import {
  type LeaseStatus,
  type LobbyDirectory,
  manageLobbies,
  memoryLobbyDirectory,
} from '../../src/backend/fleet/index.ts';
import {
  type Backend,
  type Command,
  commandTypes,
  createBackend,
  discordBaseUrl,
  type InteractionHandler,
  type Lobby,
  optionTypes,
  type ReceivedInteraction,
  type UserId,
} from '../../src/backend/index.ts';

const baseUrl = 'http://127.0.0.1:8910';
const backend: Backend = createBackend({
  baseUrl,
  applicationId: '1',
  botToken: 'x',
  globalLimit: { requests: 1200, windowMs: 1000 },
});
// What the environment names may be undefined, and is checked when the program runs.
createBackend({
  baseUrl: process.env.RALLYPOINT_BASE_URL,
  applicationId: process.env.RALLYPOINT_APPLICATION_ID,
  botToken: process.env.RALLYPOINT_BOT_TOKEN,
});
createBackend({
  baseUrl: discordBaseUrl,
  applicationId: '1',
  clientSecret: 'x',
  traits: { embedded: false },
  globalLimit: 'off',
});
// @ts-expect-error there is no default service
createBackend({ applicationId: '1', botToken: 'x' });
// @ts-expect-error an application id is needed
createBackend({ baseUrl, botToken: 'x' });
// @ts-expect-error a number loses digits of an id
createBackend({ baseUrl, applicationId: 1, botToken: 'x' });

export async function lobbies(): Promise<Lobby> {
  const { id, members } = await backend.lobbies.create({
    metadata: { map: 'harbour' },
    members: [{ id: '9', flags: 1 }],
  });
  // @ts-expect-error metadata is text → text
  await backend.lobbies.edit(id, { metadata: { map: 1 } });
  // @ts-expect-error a member needs an id
  await backend.lobbies.create({ members: [{ metadata: {} }] });
  await backend.lobbies.putMember(id, '9', { additional_name: null }, { signal: new AbortController().signal });
  // @ts-expect-error the service's list is not ours to change
  members.push({ id: '1' });
  const user: UserId = '9';
  // @ts-expect-error ids of different things do not mix
  await backend.lobbies.get(user);
  return backend.lobbies.get(id, { deadlineMs: 1000 });
}

export async function managedLobbies(): Promise<void> {
  const directory: LobbyDirectory = memoryLobbyDirectory();
  await using lobbies = manageLobbies(backend, { name: 'eu-1', directory, leaseMs: undefined });
  const { lobby, isOwner } = await lobbies.ensure('match 1', {
    members: [{ id: '9', additional_name: 'Ada', metadata: { team: 'red' } }],
    idle_timeout_seconds: 60,
  });
  isOwner satisfies boolean;
  // @ts-expect-error a desired member says who it is
  await lobbies.ensure('match 1', { members: [{ flags: 1 }] });
  const report = await lobbies.reconcile(new Map([['match 1', {}]]), { keepOthers: true });
  const outcome = report.lobbies.get('match 1');
  if (outcome?.outcome === 'failed') throw outcome.error;
  if (outcome?.outcome === 'created') outcome.lobby satisfies Lobby;
  // @ts-expect-error there is no lobby in what was deleted
  if (outcome?.outcome === 'deleted') outcome.lobby;
  await lobbies.sweep({ fate: ({ owner }) => (owner === 'eu-1' ? 'take-over' : 'delete') });
  // @ts-expect-error there is no such fate
  await lobbies.sweep({ fate: 'forget' });
  await lobbies.handOver(lobby.id, 'eu-2', { deadlineMs: 1000 });
  const { dropped } = await lobbies.bulkMembers(lobby.id, [{ id: '9', remove_member: true }]);
  dropped satisfies readonly UserId[];
  lobbies.state$.subscribe(({ lease }) => lease satisfies LeaseStatus);
  lobbies.progress$.subscribe(({ done, total }) => (done / total) satisfies number);
  await lobbies.putMember(lobby.id, '9', { flags: 1 });
}

export async function commands(): Promise<Command> {
  const { command, isNew } = await backend.commands.create({
    type: commandTypes.CHAT_INPUT,
    name: 'rally',
    options: [{ type: optionTypes.STRING, name: 'map', description: 'Where', choices: [{ name: 'a', value: 'b' }] }],
    description_localizations: { de: 'Ruft' },
  });
  isNew satisfies boolean;
  // @ts-expect-error there is no such locale
  await backend.commands.create({ name: 'rally', description_localizations: { xx: 'Ruft' } });
  // @ts-expect-error a command needs a name
  await backend.commands.create({ description: 'x' });
  // @ts-expect-error a command's type cannot change
  await backend.commands.edit(command, { type: commandTypes.USER });
  (await backend.commands.delete(command.id)) satisfies boolean;
  await backend.commands.replaceAll([{ id: command.id, name: 'rally' }]);
  return backend.commands.edit(command.id, { nsfw: null });
}

export async function interactions(): Promise<void> {
  const listener = await backend.interactions.listen(async (interaction: ReceivedInteraction) => {
    await interaction.reply({ content: 'On the way!', flags: 64 });
    // @ts-expect-error the answer says of which kind it is
    await interaction.respond({ data: {} });
    (await interaction.editReply({ content: 'Here!' })).id satisfies string;
    (await interaction.followUp({ content: 'And there' })).id satisfies string;
    await interaction.deleteReply();
  });
  await listener.close();
  const handler: InteractionHandler = interaction => interaction.reply({ content: 'On the way!' });
  const endpoint = await backend.interactions.endpoint(handler, { publicKey: 'ab'.repeat(32) });
  createServer(endpoint.handleRequest).close();
  (await endpoint.fetch(new Request('http://127.0.0.1/'))).status satisfies number;
  await endpoint.close();
}
