import type { ApplicationTraits } from '../../../src/model/application.ts';
import type { Command } from '../../../src/model/command.ts';
import type { CommandInteraction } from '../../../src/model/interaction.ts';
import { type LimitProfile, limitProfiles } from '../../../src/model/limits/limit-profiles.ts';
import { limits } from '../../../src/model/limits/limits.ts';
import { type Service, startService } from '../../../src/service/index.ts';
import { GatewayClient } from '../../support/gateway/gateway-client.ts';
import { starfall } from '../../support/service/starfall.ts';
import { playerToken, sessionToken } from '../../support/service/tokens.ts';

/** What the rulebook must know of the applications: one with an Activity, one without, one with discovery. */
export const traits = {
  game: { embedded: true, discoverable: false, integration_types: [0, 1] },
  plain: { embedded: false, discoverable: false, integration_types: [0] },
  listed: { embedded: false, discoverable: true, integration_types: [0, 1] },
  crowded: { embedded: false, discoverable: false, integration_types: [0, 1] },
} as const satisfies Record<string, ApplicationTraits>;
export type ApplicationName = keyof typeof traits;

const [starfallApplication] = starfall.applications;
const ids: Readonly<Record<ApplicationName, string>> = {
  ...{ game: starfallApplication.id, plain: '12', listed: '13', crowded: '14' },
};
const names = Object.keys(ids) as ApplicationName[];
export const guildId = '500';
/** An adult, and a child who reads German; both see everything. */
export const people = { adult: '21', child: '22' };
export const channels = { open: '501', silent: '502', restricted: '503' };
const sendMessages = '2048';

/** Users to give overwrites to, one more than a command can have. */
const crowd = Array.from({ length: limits.commandPermissionsMax + 1 }, (_, i) => String(1000 + i));

const fixtures = {
  applications: names.map(name => ({
    ...(name === 'game' && starfallApplication),
    id: ids[name],
    name,
    owner_id: people.adult,
    bot_token: `token-${name}`,
    ...traits[name],
  })),
  users: [
    { id: people.adult, username: 'adult' },
    { id: people.child, username: 'child', adult: false, locale: 'de' as const },
    ...crowd.map(id => ({ id, username: `user${id}` })),
  ],
  guilds: [
    {
      id: guildId,
      owner_id: people.adult,
      applications: Object.values(ids),
      channels: [
        { id: channels.open, name: 'open' },
        { id: channels.restricted, name: 'restricted', nsfw: true },
        {
          id: channels.silent,
          name: 'silent',
          permission_overwrites: [{ id: guildId, type: 0 as const, deny: sendMessages }],
        },
      ],
      members: [{ user_id: people.adult }, { user_id: people.child }],
    },
  ],
};

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly body: unknown;
}

/** A service whose commands are the cases' to fill, and the calls that they are made of. */
export class RuleWorld {
  readonly service: Service;
  readonly #bot: GatewayClient;
  /** Frames the bot had when a command was used last. */
  #framesBefore = 0;

  private constructor(service: Service, bot: GatewayClient) {
    this.service = service;
    this.#bot = bot;
  }

  /** @param limited which limits count; none by default */
  static async open(limited: readonly (keyof LimitProfile['buckets'])[] = []): Promise<RuleWorld> {
    const buckets = Object.fromEntries(limited.map(name => [name, limitProfiles.standard.buckets[name]]));
    const profile: LimitProfile = { ...limitProfiles.off, buckets };
    const service = await startService({ fixtures, limits: profile, clock: 'virtual' });
    return new RuleWorld(service, await GatewayClient.identified(service.gateway, { token: 'token-game' }));
  }

  async close(): Promise<void> {
    await this.#bot.end();
    await this.service.close();
  }

  /** Calls below the application's path as its bot. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    application: ApplicationName = 'game',
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const url = `${this.service.apiBase}/v10/applications/${ids[application]}${path}`;
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const authorization = `Bot token-${application}`;
    const answer = await fetch(url, {
      method,
      headers: { authorization, 'content-type': 'application/json', ...headers },
      ...sent,
    });
    const text = await answer.text();
    return { status: answer.status, text, body: text === '' ? undefined : JSON.parse(text) };
  }

  async create(body: unknown, application?: ApplicationName, scope = '/commands'): Promise<Command> {
    const { status, text } = await this.call('POST', scope, body, application);
    if (status >= 300) throw new Error(text);
    return JSON.parse(text);
  }

  async list(application?: ApplicationName, query = '', headers = {}): Promise<Command[]> {
    return (await this.call('GET', `/commands${query}`, undefined, application, headers)).body as Command[];
  }

  /** Takes all commands away; of an application with an Activity all but its entry point. */
  async clear(application: ApplicationName = 'game'): Promise<void> {
    const entryPoints = (await this.list(application)).filter(({ type }) => type === 4);
    for (const scope of ['/commands', `/guilds/${guildId}/commands`]) {
      const { status, text } = await this.call('PUT', scope, scope === '/commands' ? entryPoints : [], application);
      if (status !== 200) throw new Error(text);
    }
  }

  /** Gives a command of `game` so many overwrites in the guild: the status. */
  async overwrite(id: string, count: number): Promise<number> {
    const permissions = crowd.slice(0, count).map(user => ({ id: user, type: 2, permission: true }));
    const token = await playerToken(this.service, people.adult, 'applications.commands.permissions.update');
    const { status } = await fetch(
      `${this.service.apiBase}/v10/applications/${ids.game}/guilds/${guildId}/commands/${id}/permissions`,
      {
        method: 'PUT',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ permissions }),
      },
    );
    return status;
  }

  /** Uses a command of `game` as a user's own client does: the status and code of the answer. */
  async use(
    { id, version, name, type }: Command,
    more: {
      readonly by?: string;
      readonly channel?: string;
      readonly options?: unknown;
      readonly direct?: boolean;
    } = {},
  ): Promise<{ status: number; code?: number; errors?: unknown }> {
    const { by = people.adult, channel = channels.open, options, direct = false } = more;
    this.#framesBefore = this.#bot.frames.length;
    const answer = await fetch(`${this.service.apiBase}/v10/interactions`, {
      method: 'POST',
      headers: { authorization: await sessionToken(this.service, by), 'content-type': 'application/json' },
      body: JSON.stringify({
        type: 2,
        application_id: ids.game,
        ...(direct ? {} : { guild_id: guildId }),
        channel_id: channel,
        data: {
          id,
          version,
          name,
          type,
          ...(options !== undefined && { options }),
          ...(type > 1 && { target_id: by }),
        },
      }),
    });
    const text = await answer.text();
    return { status: answer.status, ...(text === '' ? {} : JSON.parse(text)) };
  }

  /** What the application hears of the last use, which must be of the command with that name. */
  async heard(name: string): Promise<CommandInteraction> {
    const uses = () =>
      this.#bot.frames.slice(this.#framesBefore).filter(({ t, d }) => t === 'INTERACTION_CREATE' && nameOf(d) === name);
    await this.#bot.until(() => uses().length > 0);
    return uses()[0]?.d as CommandInteraction;
  }
}

function nameOf(interaction: unknown): string | undefined {
  return (interaction as CommandInteraction).data?.name;
}
