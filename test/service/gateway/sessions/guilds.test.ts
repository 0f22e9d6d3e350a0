import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayFrame, type Identify, intents, opcodes } from '../../../../src/model/gateway.ts';
import type { Channel, Guild, Role } from '../../../../src/model/guild.ts';
import { type Service, startService } from '../../../../src/service/index.ts';
import { GatewayClient } from '../../../support/gateway/gateway-client.ts';
import { patienceMs } from '../../../support/runs/soak.ts';
import { tries } from '../../../support/runs/tries.ts';
import { starfall } from '../../../support/service/starfall.ts';

const [application] = starfall.applications;
const [ada] = starfall.users;
const [harbour] = starfall.guilds;
const bot = application.bot_token;
const wanted = intents.GUILDS | intents.GUILD_MEMBERS;

let service: Service;
const clients: GatewayClient[] = [];
beforeAll(async () => {
  service = await startService({ fixtures: starfall, limits: 'off', clock: 'virtual' });
});
afterEach(async () => {
  for (const client of clients.splice(0)) if (client.socket.readyState === client.socket.OPEN) await client.end();
  await service.reset();
});
afterAll(() => service.close());

async function join(token: string = bot, fields: Partial<Identify> = {}): Promise<GatewayClient> {
  const client = await GatewayClient.identified(service.gateway, { token, intents: wanted, ...fields });
  clients.push(client);
  await client.beat();
  return client;
}

async function furnish(document: object): Promise<void> {
  const headers = { authorization: `Bearer ${service.controlToken}`, 'content-type': 'application/json' };
  const body = JSON.stringify(document);
  const answer = await fetch(`${service.controlBase}/fixtures`, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(await answer.text());
}

async function settle(client: GatewayClient): Promise<void> {
  await client.beat();
  await service.clock.advance(0);
  await client.beat();
}

describe('a bot that is connected', () => {
  it('receives nothing when a document changes nothing', async () => {
    const client = await join();
    await furnish({ guilds: starfall.guilds, users: starfall.users });
    await settle(client);
    expect(client.names).toEqual(['READY', 'GUILD_CREATE']);
  });

  it('is shown roles with all that gateway clients look for without asking', async () => {
    const [role] = (await (await join()).dispatch<Guild>('GUILD_CREATE')).roles;
    expect(role).toEqual({
      ...{ id: harbour.id, name: '@everyone', permissions: expect.stringMatching(/^\d+$/), position: 0 },
      ...{ color: 0, colors: { primary_color: 0, secondary_color: null, tertiary_color: null } },
      ...{ hoist: false, icon: null, unicode_emoji: null, managed: false, mentionable: false, flags: 0 },
    });
  });

  it('gets a guild in which a user installs it, and then receives what happens there', async () => {
    await furnish({ guilds: [{ id: '71', name: 'Outpost', owner_id: ada.id }] });
    const client = await join();
    const [redirect_uri] = application.redirect_uris;
    const authorize = new URL(`${service.webBase}/oauth2/authorize`);
    const fields = {
      response_type: 'code',
      client_id: application.id,
      redirect_uri,
      scope: 'bot',
      integration_type: '0',
    };
    const proof = { code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' };
    authorize.search = new URLSearchParams({ ...fields, ...proof, guild_id: '71' }).toString();
    const headers = { authorization: `Bearer ${service.controlToken}`, 'content-type': 'application/json' };
    const consent = { authorize_url: authorize.href, user_id: ada.id, decision: 'approve', guild_id: '71' };
    const answer = await fetch(`${service.controlBase}/consent`, {
      method: 'POST',
      headers,
      body: JSON.stringify(consent),
    });
    const { redirect_to } = (await answer.json()) as { redirect_to: string };
    expect(redirect_to).toContain('code=');
    await client.until(() => client.names.length === 3);
    const guild = client.frames.findLast(({ t }) => t === 'GUILD_CREATE')?.d as Guild;
    expect(guild).toMatchObject({ id: '71', name: 'Outpost', member_count: 2, large: true });
    expect(guild.members.map(({ user }) => user.id)).toEqual([application.id]);
    await furnish({ guilds: [{ id: '71', name: 'Fort' }] });
    expect(await client.dispatch('GUILD_UPDATE')).toMatchObject({ id: '71', name: 'Fort' });
    await furnish({ guilds: [{ id: '71', applications: [] }] });
    expect(await client.dispatch('GUILD_DELETE')).toEqual({ id: '71' });
    await furnish({ guilds: [{ id: '71', name: 'Ruin' }] });
    await settle(client);
    expect(client.names.slice(-2)).toEqual(['GUILD_UPDATE', 'GUILD_DELETE']);
  });

  it('receives members with the intent for them', async () => {
    const client = await join();
    await furnish({ guilds: [{ id: harbour.id, members: [{ user_id: starfall.users[2].id, nick: 'Ed' }] }] });
    expect(await client.dispatch('GUILD_MEMBER_ADD')).toMatchObject({ guild_id: harbour.id, nick: 'Ed' });
    await furnish({ guilds: [{ id: harbour.id, members: [{ user_id: starfall.users[2].id, nick: 'Edsger' }] }] });
    expect(await client.dispatch('GUILD_MEMBER_UPDATE')).toMatchObject({ nick: 'Edsger' });
  });

  it('is closed with 4003 on every shard when it gets another token, by which it may come back', async () => {
    const shards = [await join(bot, { shard: [0, 2] }), await join(bot, { shard: [1, 2] })];
    await furnish({ applications: [{ id: application.id, bot_token: 'another-token' }] });
    for (const client of shards) expect((await client.closed).code).toBe(4003);
    const old = await GatewayClient.open(service.gateway);
    old.identify({ token: bot });
    expect((await old.closed).code).toBe(4004);
    await join('another-token');
    await furnish({ applications: [{ id: application.id, bot_token: bot }] });
  });

  it('is shown threads apart from channels', async () => {
    await furnish({
      guilds: [
        { id: harbour.id, channels: [{ id: '81', type: 11, name: 'berths', parent_id: harbour.channels[0].id }] },
      ],
    });
    const client = await join();
    const guild = await client.dispatch<Guild & { threads: Channel[] }>('GUILD_CREATE');
    expect(guild.channels.map(({ id }) => id)).toEqual([harbour.channels[0].id]);
    expect(guild.threads).toMatchObject([{ id: '81', type: 11, thread_metadata: { archived: false, locked: false } }]);
  });
});

/** What a bot knows of its guilds; throws when it is told of one twice. */
class GuildMirror {
  readonly guilds = new Map<string, Pick<Guild, 'id' | 'name' | 'roles' | 'channels'>>();

  take({ op, t, d }: GatewayFrame): void {
    if (op !== opcodes.DISPATCH) return;
    const data = d as Guild & { guild_id: string; role: Role };
    const known = this.guilds.get(data.guild_id ?? data.id);
    if (t === 'GUILD_CREATE') {
      if (known) throw new Error(`guild ${data.id} twice`);
      this.guilds.set(data.id, data);
    } else if (t === 'GUILD_DELETE') this.guilds.delete(data.id);
    else if (t === 'GUILD_UPDATE' && known) this.guilds.set(data.id, { ...known, name: data.name, roles: data.roles });
    else if (t?.startsWith('GUILD_ROLE') && known) {
      this.guilds.set(known.id, { ...known, roles: replaced(known.roles, data.role) });
    } else if (t?.startsWith('CHANNEL_') && known) {
      this.guilds.set(known.id, { ...known, channels: replaced(known.channels, d as Channel) });
    }
  }

  get plain(): object {
    const guilds = [...this.guilds.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const named = (items: readonly { id: string; name: string }[]) =>
      items.map(({ id, name }) => `${id} ${name}`).toSorted();
    return guilds.map(({ id, name, roles, channels }) => ({
      id,
      name,
      roles: named(roles),
      channels: named(channels),
    }));
  }
}

function replaced<Item extends { readonly id: string }>(items: readonly Item[], item: Item): Item[] {
  return [...items.filter(({ id }) => id !== item.id), item];
}

const name = fc.constantFrom('a', 'b', 'c');
const change = fc.record(
  {
    id: fc.constantFrom(harbour.id, '72', '73'),
    name,
    applications: fc.constantFrom([], [application.id], [application.id]),
    roles: fc.array(fc.record({ id: fc.constantFrom('91', '92'), name }), { maxLength: 1 }),
    channels: fc.array(fc.record({ id: fc.constantFrom('93', '94'), name }), { maxLength: 1 }),
  },
  { requiredKeys: ['id'] },
);

describe('whenever bots connect and guilds change', () => {
  it(
    'every bot ends with the state of the service, and no guild is told twice',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(fc.option(change), { minLength: 1, maxLength: 5 }), { maxLength: 5 }),
          async groups => {
            await service.reset();
            const joined: GatewayClient[] = [];
            for (const group of groups) {
              await Promise.all(
                group.map(async one => {
                  // Two guilds may not share a role or channel; a refused document is as good a step as any.
                  if (one) await furnish({ guilds: [owned(one)] }).catch(() => {});
                  else joined.push(await GatewayClient.identified(service.gateway, { token: bot, intents: wanted }));
                }),
              );
            }
            const fresh = await GatewayClient.identified(service.gateway, { token: bot, intents: wanted });
            const mirrors = [];
            for (const client of [...joined, fresh]) {
              await settle(client);
              const mirror = new GuildMirror();
              for (const frame of client.frames) mirror.take(frame);
              mirrors.push(mirror.plain);
              await client.end();
            }
            for (const mirror of mirrors) expect(mirror).toEqual(mirrors.at(-1));
          },
        ),
        tries(25, 1_000),
      );
    },
    patienceMs,
  );
});

function owned<Guild extends { id: string }>(guild: Guild): Guild & { owner_id: string } {
  return { ...guild, owner_id: ada.id };
}
