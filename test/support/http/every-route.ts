import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { Command } from '../../../src/model/command.ts';
import { opcodes } from '../../../src/model/gateway.ts';
import type { Interaction } from '../../../src/model/interaction.ts';
import { type Service, type ServiceOptions, startService } from '../../../src/service/index.ts';
import { type Route, type RouteName, routes } from '../../../src/wire/routes.ts';
import { GatewayClient } from '../gateway/gateway-client.ts';
import { botIssuedToken, mergeByBot, openTicketOffice, ticketOf } from '../service/provisional.ts';
import { callApi, postFixtures, starfall } from '../service/starfall.ts';
import { clientToken, playerToken, playerTokens, sessionToken } from '../service/tokens.ts';

const [application] = starfall.applications;
const [guild] = starfall.guilds;
const [ada, grace, edsger] = starfall.users;

/** What a call to a route carries beside its credential. */
export interface RouteCall {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  /** Sent as JSON or as a form, as the route asks; text is sent as it is. */
  readonly body?: unknown;
  /** In place of the credential that the world would use. */
  readonly authorization?: string;
}

export interface RouteAnswer {
  readonly status: number;
  readonly text: string;
  /** Parsed; undefined when there is none. */
  readonly body: unknown;
}

/** A service in which every route can be called with success, and the means to do so. */
export interface RouteWorld {
  readonly service: Service;
  /** A call that the route answers with success, now; where it never does, with the refusal that it is there for. */
  sample(name: RouteName): Promise<RouteCall>;
  /** Calls the route over one of few connections, with a credential that it is for. */
  call(name: RouteName, call: RouteCall): Promise<RouteAnswer>;
  /** Makes anew what calls may have changed and samples stand on. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

export const routeNames = Object.keys(routes) as RouteName[];

/** Those that can answer with success; the others are there to say that there is no such thing. */
export const servingRouteNames = routeNames.filter(name => (routes[name] as Route).success.length > 0);

const commandBody = { name: 'greet', description: 'Greets', name_localizations: { de: 'gruss' } };
const message = { body: { content: 'Hello', flags: 64, embeds: [{ title: 'Hello' }] } };
const deviceForm = new URLSearchParams({ client_id: application.id, scope: 'identify' }).toString();
const allScopes =
  'identify email openid guilds.members.read connections sdk.social_layer applications.commands.permissions.update';

export async function openRouteWorld(options: ServiceOptions = {}): Promise<RouteWorld> {
  const service = await startService({ fixtures: starfall, limits: 'off', clock: 'virtual', ...options });
  const tickets = await openTicketOffice();
  await postFixtures(service, { applications: [{ id: application.id, identity_providers: [tickets.provider] }] });
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const bot = await GatewayClient.identified(service.gateway, { token: application.bot_token });
  const tokens = {
    bot: `Bot ${application.bot_token}`,
    application: `Bearer ${await clientToken(service, 'applications.commands.update')}`,
    user: `Bearer ${await playerToken(service, ada.id, allScopes)}`,
    session: await sessionToken(service, ada.id),
  };

  const made = async <T>(path: string, body: unknown) => (await callApi(service, 'POST', path, body)).body as T;
  const globalCommand = (name = commandBody.name) =>
    made<Command>(`/applications/${application.id}/commands`, { ...commandBody, name });
  const guildCommand = (name = commandBody.name) =>
    made<Command>(`/applications/${application.id}/guilds/${guild.id}/commands`, { ...commandBody, name });
  const openLobby = () =>
    made<{ id: string }>('/lobbies', { metadata: { a: 'b' }, members: [{ id: ada.id, flags: 1 }] });
  let lobby = await openLobby();

  async function invocation(): Promise<unknown> {
    const { id, version, name, type } = await globalCommand();
    const place = { application_id: application.id, guild_id: guild.id, channel_id: guild.channels[0].id };
    return { type: 2, ...place, data: { id, version, name, type } };
  }

  /** Uses the command and gives what the app heard of it. */
  async function used(): Promise<{ interaction_id: string; interaction_token: string }> {
    const uses = () => bot.frames.filter(({ t }) => t === 'INTERACTION_CREATE');
    const before = uses().length;
    const { status, text } = await call('invokeCommand', await sample('invokeCommand'));
    if (status !== 204) throw new Error(`The use was refused: ${text}`);
    await bot.until(() => uses().length > before);
    const interaction = uses().at(-1)?.d as Interaction | undefined;
    return { interaction_id: interaction?.id ?? '', interaction_token: interaction?.token ?? '' };
  }

  /** Ada in a lobby that is linked to a channel of a guild where she is not. */
  async function linked(): Promise<RouteCall> {
    const members = [{ id: ada.id }, { id: edsger.id, flags: 1 }];
    const { id } = await made<{ id: string }>('/lobbies', { members });
    const authorization = `Bearer ${await playerToken(service, edsger.id, allScopes)}`;
    const headers = { authorization, 'content-type': 'application/json' };
    await callApi(service, 'PATCH', `/lobbies/${id}/channel-linking`, { channel_id: await openQuay() }, headers);
    return { params: { lobby_id: id, user_id: ada.id } };
  }

  /** A new channel in Edsger's guild. */
  async function openQuay(): Promise<string> {
    const document = { guilds: [{ name: 'Quay', owner_id: edsger.id, channels: [{ name: 'general' }] }] };
    const { guilds } = await postFixtures(service, document);
    return guilds[0]?.channels[0]?.id ?? '';
  }

  async function guildWithBot(): Promise<string> {
    const { guilds } = await postFixtures(service, { guilds: [{ name: 'Stay', applications: [application.id] }] });
    return guilds[0]?.id ?? '';
  }

  const ownProfile = { params: { user_id: ada.id, external_user_id: 'ada-1' } };

  let players = 0;
  const newPlayer = () => `player-${++players}`;

  /** A user that is in nothing yet. */
  async function newcomer(): Promise<string> {
    const { users } = await postFixtures(service, { users: [{}] });
    return users[0]?.id ?? '';
  }

  /** A new friend of Ada's. */
  async function befriended(): Promise<string> {
    const id = await newcomer();
    await postFixtures(service, { relationships: [{ users: [ada.id, id], type: 'friend' }] });
    return id;
  }

  /** Somebody new who has authorized Starfall. */
  async function newPlayerOfGame(): Promise<string> {
    const id = await newcomer();
    await playerToken(service, id);
    return id;
  }

  /** An application that belongs to Starfall. */
  async function childApplication(): Promise<string> {
    const { applications } = await postFixtures(service, { applications: [{ parent_id: application.id }] });
    return applications[0]?.id ?? '';
  }

  async function answered(): Promise<{ interaction_token: string }> {
    const params = await used();
    await call('createInteractionResponse', { params, body: { type: 4, data: { content: 'Hello' } } });
    return { interaction_token: params.interaction_token };
  }

  async function followedUp(): Promise<{ interaction_token: string; message_id: string }> {
    const params = await answered();
    const { body } = await call('createFollowUp', {
      params: { application_id: application.id, ...params },
      ...message,
    });
    return { ...params, message_id: (body as { id: string }).id };
  }

  /** Only clients that keep a secret get the scope from users; the application's own token speaks of its owner. */
  async function roleConnection(): Promise<RouteCall> {
    return { authorization: `Bearer ${await clientToken(service, 'role_connections.write')}` };
  }

  /** The code that a device shows. */
  async function userCode(): Promise<string> {
    const { body } = await call('startDevice', { body: deviceForm });
    return (body as { user_code: string }).user_code;
  }

  /** A friend of Ada's who has authorized the game. */
  async function friend(): Promise<{ user_id: string }> {
    await postFixtures(service, { relationships: [{ users: [ada.id, edsger.id], type: 'friend' }] });
    friendToken ??= await playerToken(service, edsger.id, allScopes);
    return { user_id: edsger.id };
  }
  let friendToken: string | undefined;

  /** A message that Ada has sent to that friend. */
  async function messaged(): Promise<{ user_id: string; message_id: string }> {
    const { body } = await call('createDirectMessage', await sample('createDirectMessage'));
    return { ...(await friend()), message_id: (body as { id: string }).id };
  }

  /** The session in which that friend plays, in a party that is open to friends. */
  async function playing(): Promise<{ user_id: string; session_id: string }> {
    const params = await friend();
    player ??= play(`Bearer ${friendToken}`);
    return { ...params, session_id: (await player).sessionId };
  }
  let player: Promise<GatewayClient> | undefined;

  async function play(token: string): Promise<GatewayClient> {
    const client = await GatewayClient.identified(service.gateway, { token });
    const party = { id: 'party', size: [1, 4], privacy: 1 };
    const activity = { name: 'Starfall', type: 0, application_id: application.id, party, secrets: { join: 'secret' } };
    client.send({
      op: opcodes.PRESENCE_UPDATE,
      d: { since: null, afk: false, status: 'online', activities: [activity] },
    });
    await client.until(() =>
      client.frames.some(({ t, d }) => t === 'SESSIONS_REPLACE' && JSON.stringify(d).includes('Starfall')),
    );
    return client;
  }

  const rows: Partial<Record<RouteName, () => RouteCall | Promise<RouteCall>>> = {
    createGlobalCommand: () => ({ body: { ...commandBody, options: [{ type: 3, name: 'a', description: 'b' }] } }),
    replaceGlobalCommands: async () => {
      const { body } = await callApi(service, 'GET', `/applications/${application.id}/commands`);
      const others = (body as Command[]).filter(({ type }) => type !== 2);
      return { body: [...others, { type: 2, name: 'Greet' }] };
    },
    editGlobalCommand: () => ({ body: { description: 'Greets you' } }),
    deleteGlobalCommand: async () => ({ params: { command_id: (await globalCommand('gone')).id } }),
    listGlobalCommands: () => ({ query: '?with_localizations=true' }),
    createGuildCommand: () => ({ body: commandBody }),
    replaceGuildCommands: async () => ({ body: [{ ...commandBody, id: (await guildCommand()).id }] }),
    editGuildCommand: () => ({ body: { description: 'Greets you' } }),
    deleteGuildCommand: async () => ({ params: { command_id: (await guildCommand('gone')).id } }),
    getCommandPermissions: async () => {
      await call('replaceCommandPermissions', await sample('replaceCommandPermissions'));
      return {};
    },
    replaceCommandPermissions: () => ({ body: { permissions: [{ id: guild.id, type: 1, permission: true }] } }),
    createLobby: () => ({ body: { metadata: { a: 'b' }, members: [{ id: grace.id, flags: 1 }] } }),
    editLobby: () => ({ body: { metadata: { c: 'd' } } }),
    deleteLobby: async () => ({ params: { lobby_id: (await made<{ id: string }>('/lobbies', {})).id } }),
    putLobbyMember: () => ({ body: { metadata: { a: 'b' }, additional_name: 'Gandalf' } }),
    joinLobby: () => ({ body: { secret: 'harbour', lobby_metadata: { a: 'b' }, member_metadata: { c: 'd' } } }),
    leaveLobby: async () => ({
      params: { lobby_id: ((await call('joinLobby', await sample('joinLobby'))).body as Command).id },
    }),
    bulkUpdateLobbyMembers: () => ({ body: [{ id: grace.id, metadata: { a: 'b' } }] }),
    linkLobbyChannel: () => ({ body: { channel_id: guild.channels[0].id } }),
    createLobbyMessage: () => ({ body: { content: 'Hello', metadata: { a: 'b' }, flags: 4096 } }),
    listLobbyMessages: () => ({ query: '?limit=1' }),
    setLobbyModerationMetadata: async () => ({
      params: {
        message_id: ((await call('createLobbyMessage', await sample('createLobbyMessage'))).body as Command).id,
      },
      body: { verdict: 'fine' },
    }),
    createDirectMessage: async () => ({
      params: await friend(),
      body: { content: 'Hello', metadata: { a: 'b' }, flags: 4096, nonce: 7 },
    }),
    listDirectMessages: async () => ({ params: await messaged(), query: '?limit=200' }),
    editDirectMessage: async () => ({ params: await messaged(), body: { content: 'Hello again' } }),
    deleteDirectMessage: async () => ({ params: await messaged() }),
    listConversations: async () => ({ params: await messaged() }),
    getDirectChannel: async () => ({ params: await messaged() }),
    setDirectModerationMetadata: async () => {
      const { user_id, message_id } = await messaged();
      return { params: { user_id_1: user_id, user_id_2: ada.id, message_id }, body: { verdict: 'fine' } };
    },
    getActivitySecret: async () => ({ params: await playing() }),
    editSettings: () => ({ body: { status: 'idle', custom_status: { text: 'Sailing' } } }),
    putHeadlessSession: () => ({
      body: { activities: [{ name: 'Starfall', type: 0, application_id: application.id, platform: 'ps5' }] },
    }),
    deleteHeadlessSession: async () => {
      const { body } = await call('putHeadlessSession', await sample('putHeadlessSession'));
      return { body: { token: (body as { token: string }).token } };
    },
    subscribeActivities: async () => {
      const { user_id, message_id } = await messaged();
      const invite = { user_id, message_id, channel_id: message_id, application_id: application.id, party_id: 'party' };
      return { body: { subscriptions: [invite] } };
    },
    getActivityMetadata: async () => ({ params: await playing() }),
    createLobbyInvite: linked,
    createOwnLobbyInvite: linked,
    listOwnGuilds: () => ({ query: '?with_counts=true' }),
    getGuild: () => ({ query: '?with_counts=true' }),
    leaveGuild: async () => ({ params: { guild_id: await guildWithBot() } }),
    openDirectChannel: () => ({ body: { recipient_id: grace.id } }),
    listGuildMembers: () => ({ query: '?limit=1000' }),
    searchGuildMembers: () => ({ query: '?query=gr&limit=5' }),
    listGuildChannels: async () => {
      await call('linkLobbyChannel', await sample('linkLobbyChannel'));
      return { query: '?with_can_link_lobby=true' };
    },
    invokeCommand: async () => ({ body: await invocation() }),
    createInteractionResponse: async () => ({
      params: await used(),
      query: '?with_response=true',
      body: { type: 4, data: { content: 'Hello' } },
    }),
    createFollowUp: async () => ({ params: await answered(), ...message }),
    getOriginalResponse: async () => ({ params: await answered() }),
    editOriginalResponse: async () => ({ params: await answered(), ...message }),
    deleteOriginalResponse: async () => ({ params: await answered() }),
    getFollowUp: async () => ({ params: await followedUp() }),
    editFollowUp: async () => ({ params: await followedUp(), ...message }),
    deleteFollowUp: async () => ({ params: await followedUp() }),
    createProvisionalToken: () => ({ body: { client_id: application.id, ...ticketOf(newPlayer()) } }),
    createBotProvisionalToken: () => ({ body: { external_user_id: newPlayer(), preferred_global_name: 'Player' } }),
    createChildToken: async () => ({
      body: {
        parent_access_token: await playerToken(service, grace.id),
        child_application_id: await childApplication(),
        parent_client_secret: application.client_secret,
      },
    }),
    unmergeProvisionalAccount: async () => {
      const ticket = ticketOf(newPlayer());
      const body = { client_id: application.id, ...ticket };
      await call('createProvisionalToken', { body });
      await playerTokens(service, await newcomer(), 'openid', {}, ticket);
      return { body };
    },
    unmergeBotProvisionalAccount: async () => {
      const external_user_id = newPlayer();
      await mergeByBot(service, external_user_id, await newcomer());
      return { body: { external_user_id } };
    },
    getApplicationProfile: async () => {
      await call('editApplicationProfile', await sample('editApplicationProfile'));
      return ownProfile;
    },
    editApplicationProfile: () => ({
      ...ownProfile,
      body: {
        username: 'Ada the Brave',
        metadata: { level: '7' },
        data: {
          primary: { rank_name: 'Gold', rank_image: { url: 'https://example.com/gold.png' } },
          dynamic: [{ type: 2, name: 'ships', value: 3 }],
        },
      },
    }),
    editAccount: async () => ({
      authorization: `Bearer ${(await botIssuedToken(service, newPlayer())).access_token}`,
      body: { global_name: 'Player' },
    }),
    editWebhook: () => ({ body: { name: 'Harbour' } }),
    getWebhookByToken: async () => ({ params: await answered() }),
    editWebhookByToken: async () => ({ params: await answered(), body: { name: 'Harbour' } }),
    deleteWebhookByToken: async () => ({ params: await answered() }),
    executeGithubWebhook: async () => ({ params: await answered(), body: { action: 'opened' } }),
    executeSlackWebhook: async () => ({ params: await answered(), body: { text: 'Hello' } }),
    editCurrentUser: () => ({ body: { username: 'Starfall Bot', avatar: null } }),
    listOwnEntitlements: () => ({ query: '?sku_ids=1&sku_ids=2&exclude_consumed=true' }),
    getRoleConnection: roleConnection,
    replaceRoleConnection: async () => ({
      ...(await roleConnection()),
      body: { platform_name: 'Starfall', platform_username: 'ada#1', metadata: { level: 7 } },
    }),
    deleteRoleConnection: roleConnection,
    replaceRoleConnectionMetadata: () => ({
      body: [{ type: 2, key: 'level', name: 'Level', description: 'At least', name_localizations: { de: 'Stufe' } }],
    }),
    editApplication: () => ({ body: { description: 'Harbours and stars' } }),
    editOwnApplication: () => ({ body: { description: 'Harbours and stars', interactions_endpoint_url: null } }),
    createToken: () => ({
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: application.id,
        client_secret: application.client_secret,
        scope: 'applications.commands.update',
      }).toString(),
    }),
    startDevice: () => ({ body: deviceForm }),
    verifyDevice: async () => ({ body: { user_code: await userCode() } }),
    finishDevice: async () => ({ body: { user_code: await userCode(), result: 'granted' } }),
    revokeToken: () => ({
      body: new URLSearchParams({
        token: 'unknown',
        client_id: application.id,
        client_secret: application.client_secret,
      }).toString(),
    }),
    listRelationships: async () => {
      await befriended();
      return {};
    },
    requestRelationship: async () => ({ body: { username: `user_${await newcomer()}`, note: 'Hello' } }),
    putRelationship: async () => ({ params: { user_id: await newcomer() }, body: { type: -1, note: 'Hello' } }),
    editRelationship: async () => ({ params: { user_id: await befriended() }, body: { nickname: 'Friend' } }),
    deleteRelationship: async () => ({ params: { user_id: await befriended() } }),
    listGameRelationships: async () => {
      await call('putGameRelationship', await sample('putGameRelationship'));
      return {};
    },
    requestGameRelationship: async () => ({ body: { username: `user_${await newPlayerOfGame()}` } }),
    putGameRelationship: async () => ({ params: { user_id: await newPlayerOfGame() }, body: { type: -1 } }),
    putGameRelationshipOf: async () => ({ params: { user_id: await newPlayerOfGame() }, body: { type: -1 } }),
  };

  /** What stands for the parameters of a path: made anew when it is gone. */
  async function knownIds({ path }: Route): Promise<Readonly<Record<string, string>>> {
    const command = path.includes('/guilds/') ? guildCommand : globalCommand;
    return {
      application_id: application.id,
      guild_id: guild.id,
      channel_id: guild.channels[0].id,
      lobby_id: lobby.id,
      user_id: grace.id,
      role_id: guild.id,
      ...(path.includes('{command_id}') && { command_id: (await command()).id }),
    };
  }

  async function sample(name: RouteName): Promise<RouteCall> {
    const known = await knownIds(routes[name]);
    const made = (await rows[name]?.()) ?? {};
    return { ...made, params: { ...known, ...made.params } };
  }

  async function call(
    name: RouteName,
    { params = {}, query = '', body, ...credential }: RouteCall,
  ): Promise<RouteAnswer> {
    const route: Route = routes[name];
    const path = route.path.replace(/\{(\w+)\}/g, (_, parameter: string) =>
      encodeURIComponent(params[parameter] ?? '1'),
    );
    const url = `${service.apiBase}/v10${path}${query}`;
    const authorization = credential.authorization ?? authorizationFor(route, tokens);
    const mediaType = route.body === 'form' ? 'application/x-www-form-urlencoded' : 'application/json';
    const headers = { ...(authorization && { authorization }), ...(route.body && { 'content-type': mediaType }) };
    const sent = request(url, { agent, method: route.method, headers });
    sent.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
    const [answer] = await once(sent, 'response');
    const text = (await answer.setEncoding('utf8').toArray()).join('');
    return { status: answer.statusCode, text, body: text === '' ? undefined : JSON.parse(text) };
  }

  return {
    service,
    sample,
    call,
    async renew() {
      await call('deleteLobby', { params: { lobby_id: lobby.id } });
      lobby = await openLobby();
      await call('replaceGlobalCommands', { params: { application_id: application.id }, body: [commandBody] });
    },
    async close() {
      await bot.end();
      await (await player)?.end();
      agent.destroy();
      await service.close();
      await tickets.close();
    },
  };
}

function authorizationFor({ credentials }: Route, tokens: Readonly<Record<string, string>>): string | undefined {
  const kind = credentials[0]?.split(':', 1)[0] ?? 'none';
  return tokens[kind];
}
