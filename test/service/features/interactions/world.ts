import type { CallbackResponse, CommandInteraction, Interaction } from '../../../../src/model/interaction.ts';
import { topics } from '../../../../src/service/events/announcement.ts';
import { createInteractions, type Interactions } from '../../../../src/service/features/interactions/interactions.ts';
import type { CommandRecord, GuildRecord } from '../../../../src/service/store/records.ts';
import { ada, ben, makeWorld, userRecord, type World } from '../support.ts';

export const guildId = '500';
export const channelId = '700';
/** VIEW_CHANNEL, SEND_MESSAGES, USE_APPLICATION_COMMANDS */
export const usual = '2147486720';

/** A guild of ben's with one channel, where everyone may use commands and application 1 is. */
export function guild(fields: Partial<GuildRecord> = {}): GuildRecord {
  return {
    id: guildId,
    name: 'Harbour',
    owner_id: ben,
    locale: 'de',
    applications: ['1'],
    roles: [{ id: guildId, name: '@everyone', permissions: usual, position: 0 }],
    channels: [
      { id: channelId, type: 0, name: 'general', nsfw: false, position: 0, parent_id: null, permission_overwrites: [] },
    ],
    ...fields,
  };
}

/** `/greet whom?` of application 1, id 900, version 77. */
export function command(fields: Partial<CommandRecord> = {}): CommandRecord {
  const scope = fields.guild_id === undefined ? '1' : `1/${guildId}`;
  return {
    id: '900',
    application_id: '1',
    scope,
    version: '77',
    default_member_permissions: null,
    type: 1,
    name: 'greet',
    name_localizations: null,
    description: 'Greets',
    description_localizations: null,
    dm_permission: true,
    contexts: null,
    integration_types: [0],
    options: [{ type: 3, name: 'whom', description: 'Who is greeted', required: false }],
    nsfw: false,
    ...fields,
  };
}

/** What a client sends that uses `/greet` in the guild. */
export function use(fields: object = {}, data: object = {}): Record<string, unknown> {
  return {
    type: 2,
    application_id: '1',
    guild_id: guildId,
    channel_id: channelId,
    nonce: 'n1',
    data: { id: '900', version: '77', name: 'greet', type: 1, ...data },
    ...fields,
  };
}

/** A world in which ada and ben are in the guild, and what the application and ada's own client hear. */
export interface InteractionWorld extends World {
  readonly interactions: Interactions;
  readonly heard: { readonly name: string; readonly data: Record<string, unknown> }[];
  /** Uses a command; gives what the application heard of it. */
  used(body?: unknown, userId?: string): Promise<CommandInteraction>;
  answer(interaction: Pick<Interaction, 'id' | 'token'>, body: unknown): Promise<CallbackResponse>;
  put(...commands: readonly CommandRecord[]): Promise<void>;
}

export async function openInteractionWorld(): Promise<InteractionWorld> {
  const world = await makeWorld();
  const { store, bus } = world.core;
  const put = (...commands: readonly CommandRecord[]) =>
    store.transact('place', transaction => {
      for (const record of commands) transaction.put('commands', record);
    });
  await store.transact('place', transaction => {
    transaction.put('guilds', guild());
    for (const user_id of [ada, ben]) {
      transaction.put('guild_members', { guild_id: guildId, user_id, roles: [], nick: null, joined_at_ms: 0 });
    }
  });
  await put(command());
  const interactions = createInteractions(world.core);
  await interactions.start();
  const heard: { name: string; data: Record<string, unknown> }[] = [];
  for (const topic of [topics.application('1'), topics.user(ada), topics.channel(channelId)]) {
    await bus.subscribe(topic, ({ event, except }) => {
      if (event && except !== ada) heard.push({ name: event.name, data: JSON.parse(event.data) });
    });
  }
  return {
    ...world,
    interactions,
    heard,
    put,
    async used(body = use(), userId = ada) {
      await interactions.invoke(userRecord(userId), body);
      return heard.findLast(({ name }) => name === 'INTERACTION_CREATE')?.data as unknown as CommandInteraction;
    },
    answer: ({ id, token }, body) => interactions.answer(id, token, body),
  };
}
