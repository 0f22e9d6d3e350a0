import { createPublicKey, sign, verify } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ValidationError } from '../../../src/model/errors.ts';
import { createFixtures } from '../../../src/service/control/fixtures.ts';
import type { Fixtures } from '../../../src/service/control/fixtures-document.ts';
import { everyonePermissions } from '../../../src/service/control/fixtures-records.ts';
import type { Core } from '../../../src/service/core.ts';
import { hashSecret } from '../../../src/service/secret.ts';
import type { ApplicationRecord } from '../../../src/service/store/records.ts';
import { makeCore, startMs } from './support.ts';

async function furnish(seed?: string, location?: string) {
  const core = await makeCore(seed, location);
  onTestFinished(() => core.store.close());
  const launched: string[] = [];
  const emptied: string[] = [];
  const keeper = createFixtures(
    core,
    { ensureLaunch: async (application: ApplicationRecord) => launched.push(application.id) },
    { removeAll: async (application: ApplicationRecord) => void emptied.push(application.id) },
  );
  return { core, keeper, launched, emptied };
}

function dataFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rallypoint-fixtures-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'store.db');
}

async function faults(work: Promise<unknown>): Promise<string[]> {
  const error = await work.then(
    () => undefined,
    error => error,
  );
  expect(error).toBeInstanceOf(ValidationError);
  return (error as ValidationError).issues.map(({ path, code }) => `${path.join('.')} ${code}`);
}

/** All that is stored but the settings. */
async function contentOf({ store }: Core) {
  const { settings: _, ...content } = await store.dump();
  return content;
}

const example: Fixtures = {
  applications: [
    {
      id: '1',
      name: 'Starfall',
      owner_id: '9',
      bot_token: 'bot-secret',
      client_secret: 'client-secret',
      public_client: true,
      redirect_uris: ['http://127.0.0.1/callback', 'discord-1:/authorize/callback'],
      embedded: true,
      discoverable: false,
      integration_types: [0, 1],
      interactions_endpoint_url: null,
      event_webhooks_url: null,
      parent_id: null,
      provisional_accounts: true,
      identity_providers: [],
    },
  ],
  users: [{ id: '9', username: 'ada', global_name: 'Ada', locale: 'de', adult: true, banned: false }],
  guilds: [
    {
      id: '5',
      name: 'Guild',
      owner_id: '9',
      applications: ['1'],
      roles: [{ id: '6', name: 'mod', permissions: '8' }],
      channels: [{ id: '7', type: 0, name: 'general', nsfw: false, permission_overwrites: [] }],
      members: [{ user_id: '9', roles: ['6'], nick: null }],
    },
  ],
};

describe('a fixtures document', () => {
  it('comes back as it was, with what was left out filled in at its place or at the end of its list', async () => {
    const { keeper } = await furnish();
    const answer = await keeper.begin(example);
    const filledIn = { description: '', bot_require_code_grant: false, install_params: null };
    expect(answer.applications).toEqual([{ ...example.applications?.[0], ...filledIn }]);
    expect(answer.users).toEqual(example.users);
    expect(answer.guilds[0]).toEqual({
      ...example.guilds?.[0],
      locale: 'en-US',
      roles: [
        { id: '6', name: 'mod', permissions: '8', position: 1 },
        { id: '5', name: '@everyone', permissions: everyonePermissions, position: 0 },
      ],
      channels: [
        { id: '7', type: 0, name: 'general', nsfw: false, position: 0, parent_id: null, permission_overwrites: [] },
      ],
    });
  });

  it('keeps secrets as hashes alone', async () => {
    const { core, keeper } = await furnish();
    const { applications } = await keeper.apply({ applications: [{ id: '1', bot_token: 'bot-secret' }] });
    const stored = JSON.stringify(await core.store.dump());
    const record = await core.store.get('applications', '1');
    expect(record?.bot_token_hash).toBe(hashSecret('bot-secret'));
    expect(record?.client_secret_hash).toBe(hashSecret(applications[0]?.client_secret ?? ''));
    expect(stored).not.toContain('bot-secret');
    expect(stored).not.toContain(applications[0]?.client_secret);
  });

  it('gets bot tokens of three parts, the first the id of the application in base64url', async () => {
    const { keeper } = await furnish();
    const { applications } = await keeper.apply({ applications: [{ id: '123456789' }, {}] });
    const [first, second] = applications.map(application => application.bot_token ?? '');
    expect(first).toMatch(/^MTIzNDU2Nzg5\.[\w-]{6}\.[\w-]{38}$/);
    expect(first?.split('.')[1]).not.toBe(second?.split('.')[1]);
    expect(applications[0]?.client_secret).toMatch(/^[\w-]{32}$/);
  });

  it('gives no secret to an application whose document says null, then or later', async () => {
    const { core, keeper } = await furnish();
    const document = { applications: [{ id: '1', bot_token: null, client_secret: null }] };
    expect((await keeper.apply(document)).applications[0]).toMatchObject({ bot_token: null, client_secret: null });
    const again = await keeper.apply({ applications: [{ id: '1', name: 'x' }] });
    expect(again.applications[0]).toMatchObject({ bot_token: null, client_secret: null });
    expect(await core.store.get('applications', '1')).toMatchObject({ bot_token_hash: null, client_secret_hash: null });
  });

  it('gives every application an Ed25519 key pair that signs and verifies', async () => {
    const { core, keeper } = await furnish();
    await keeper.apply({ applications: [{ id: '1' }, { id: '2' }] });
    const [one, other] = await core.store.list('applications');
    expect(one?.verify_key).toMatch(/^[0-9a-f]{64}$/);
    expect(one?.verify_key).not.toBe(other?.verify_key);
    const message = Buffer.from('ping');
    const key = { key: Buffer.from(one?.signing_key ?? '', 'base64'), format: 'der', type: 'pkcs8' } as const;
    const x = Buffer.from(one?.verify_key ?? '', 'hex').toString('base64url');
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    expect(verify(null, message, publicKey, sign(null, message, key))).toBe(true);
  });

  it('makes an owner when it names no user, who owns and joins all that needs one', async () => {
    const { core, keeper } = await furnish();
    const answer = await keeper.apply({ applications: [{}], guilds: [{}] });
    const [owner] = answer.users;
    expect(answer.users).toHaveLength(1);
    expect(answer.applications[0]?.owner_id).toBe(owner?.id);
    expect(answer.guilds[0]).toMatchObject({ owner_id: owner?.id, members: [{ user_id: owner?.id, roles: [] }] });
    expect(await core.store.list('guild_members')).toMatchObject([{ user_id: owner?.id, joined_at_ms: startMs }]);
  });

  it('stores no user for a bot: it appears as its application', async () => {
    const { core, keeper } = await furnish();
    await keeper.apply(example);
    expect((await core.store.list('users')).map(user => user.id)).toEqual(['9']);
  });

  it('puts @everyone first among the stored roles and never among a member’s own', async () => {
    const { core, keeper } = await furnish();
    const roles = [{ id: '6' }, { id: '5', permissions: '0' }];
    await keeper.apply({
      users: [{ id: '9' }],
      guilds: [{ id: '5', roles, members: [{ user_id: '9', roles: ['5', '6'] }] }],
    });
    expect((await core.store.get('guilds', '5'))?.roles.map(role => role.id)).toEqual(['5', '6']);
    expect((await core.store.get('guild_members', '5', '9'))?.roles).toEqual(['6']);
  });

  it('has the Launch command registered for embedded applications alone', async () => {
    const { keeper, launched } = await furnish();
    await keeper.apply({ applications: [{ id: '1', embedded: true }, { id: '2' }] });
    expect(launched).toEqual(['1']);
  });

  it('has it registered when the Activity comes later, and not again while it stays', async () => {
    const { keeper, launched } = await furnish();
    await keeper.apply({ applications: [{ id: '1' }] });
    expect(launched).toEqual([]);
    await keeper.apply({ applications: [{ id: '1', embedded: true }] });
    await keeper.apply({ applications: [{ id: '1', name: 'Renamed' }] });
    await keeper.apply({ applications: [{ id: '1', embedded: true }] });
    expect(launched).toEqual(['1']);
    await keeper.apply({ applications: [{ id: '1', embedded: false }] });
    await keeper.apply({ applications: [{ id: '1', embedded: true }] });
    expect(launched).toEqual(['1', '1']);
  });

  it('takes undefined for left out and is not changed by the caller afterwards', async () => {
    const { core, keeper } = await furnish();
    const document = { users: [{ id: '9', username: undefined }], guilds: undefined };
    await keeper.begin(document);
    document.users.push({ id: '10', username: undefined });
    await keeper.reset();
    expect(await core.store.list('users')).toMatchObject([{ id: '9', username: 'user-9' }]);
  });
});

describe('the parent of an application', () => {
  it('is another application, of the document or there already', async () => {
    const { keeper } = await furnish();
    const answer = await keeper.apply({ applications: [{ id: '1' }, { id: '2', parent_id: '1' }] });
    expect(answer.applications.map(({ parent_id }) => parent_id)).toEqual([null, '1']);
    expect((await keeper.apply({ applications: [{ id: '3', parent_id: '2' }] })).applications[0]?.parent_id).toBe('2');
    expect(
      (await keeper.apply({ applications: [{ id: '2', parent_id: null }] })).applications[0]?.parent_id,
    ).toBeNull();
    const path = 'applications.0.parent_id unknown_reference';
    expect(await faults(keeper.apply({ applications: [{ id: '4', parent_id: '4' }] }))).toEqual([path]);
    expect(await faults(keeper.apply({ applications: [{ id: '4', parent_id: '42' }] }))).toEqual([path]);
  });
});

describe('an application that was there and gets a parent', () => {
  it('loses its lobbies, once; a new one has none to lose', async () => {
    const { keeper, emptied } = await furnish();
    await keeper.apply({ applications: [{ id: '1' }, { id: '2' }, { id: '3', parent_id: '1' }] });
    expect(emptied).toEqual([]);
    for (let time = 0; time < 2; time++) await keeper.apply({ applications: [{ id: '2', parent_id: '1' }] });
    await keeper.apply({ applications: [{ id: '2', parent_id: null }] });
    expect(emptied).toEqual(['2']);
  });
});

describe('references of a fixtures document', () => {
  const wrong: Fixtures = {
    applications: [{ id: '1', owner_id: '100' }],
    guilds: [
      {
        id: '5',
        owner_id: '101',
        applications: ['1', '102'],
        roles: [{ id: '6' }],
        channels: [
          { id: '7', type: 4 },
          { id: '8', parent_id: '7' },
          { id: '9', type: 11, parent_id: '8' },
          { id: '12', type: 11, parent_id: '7' },
          {
            id: '10',
            parent_id: '8',
            permission_overwrites: [
              { id: '103', type: 0 },
              { id: '6', type: 0 },
              { id: '104', type: 1 },
            ],
          },
        ],
        members: [{ user_id: '105', roles: ['6', '5', '106'] }],
      },
    ],
  };

  it('must lead somewhere; each that does not is named', async () => {
    const { core, keeper } = await furnish();
    expect(await faults(keeper.apply(wrong))).toEqual([
      'applications.0.owner_id unknown_reference',
      'guilds.0.owner_id unknown_reference',
      'guilds.0.applications.1 unknown_reference',
      'guilds.0.members.0.user_id unknown_reference',
      'guilds.0.members.0.roles.2 unknown_reference',
      'guilds.0.members.1.user_id unknown_reference',
      'guilds.0.channels.3.parent_id unknown_reference',
      'guilds.0.channels.4.parent_id unknown_reference',
      'guilds.0.channels.4.permission_overwrites.0.id unknown_reference',
      'guilds.0.channels.4.permission_overwrites.2.id unknown_reference',
    ]);
    expect(Object.values(await core.store.dump()).flat()).toEqual([]);
  });

  it('may lead to what the service has', async () => {
    const { keeper } = await furnish();
    await keeper.begin(example);
    const guild = { id: '50', owner_id: '9', applications: ['1'] };
    const more = { id: '5', members: [{ user_id: '9', roles: ['6'] }], channels: [{ id: '8', name: 'more' }] };
    expect((await keeper.apply({ guilds: [guild, more] })).guilds.map(({ id }) => id)).toEqual(['50', '5']);
  });

  it('may not take an id or a bot token of another', async () => {
    const { keeper } = await furnish();
    await keeper.begin(example);
    expect(await faults(keeper.apply({ applications: [{ id: '9' }] }))).toEqual(['applications.0.id taken']);
    expect(await faults(keeper.apply({ users: [{ id: '1' }] }))).toEqual(['users.0.id taken']);
    const thief = { applications: [{ id: '2', bot_token: 'bot-secret' }] };
    expect(await faults(keeper.apply(thief))).toEqual(['applications.0.bot_token taken']);
  });

  it('are told in at most 100 issues and the number of the rest', async () => {
    const { keeper } = await furnish();
    const users = Array.from({ length: 250 }, () => ({ nme: 'x' }));
    const error = await keeper.apply({ users }).catch(error => error);
    expect(error.issues).toHaveLength(101);
    expect(error.message).toContain('and 150 more');
  });
});

describe('fixtures for a running service', () => {
  it('change what has their id and leave the rest as it was', async () => {
    const { core, keeper } = await furnish();
    await keeper.begin(example);
    const before = await core.store.get('applications', '1');
    const answer = await keeper.apply({
      applications: [{ id: '1', name: 'Renamed' }],
      users: [{ id: '9', global_name: null }, { id: '10' }],
      guilds: [{ id: '5', roles: [{ id: '60' }, { id: '6', name: 'boss' }], members: [{ user_id: '10' }] }],
    });
    expect(await core.store.get('applications', '1')).toEqual({ ...before, name: 'Renamed' });
    expect(await core.store.get('users', '9')).toMatchObject({ username: 'ada', global_name: null, locale: 'de' });
    const guild = await core.store.get('guilds', '5');
    expect(guild).toMatchObject({ name: 'Guild', owner_id: '9', applications: ['1'] });
    expect(guild?.roles.map(({ id, name, permissions }) => [id, name, permissions])).toEqual([
      ['5', '@everyone', everyonePermissions],
      ['6', 'boss', '8'],
      ['60', 'role-60', '0'],
    ]);
    expect(guild?.channels.map(({ id }) => id)).toEqual(['7']);
    expect((await core.store.list('guild_members')).map(({ user_id, roles }) => [user_id, roles])).toEqual([
      ['10', []],
      ['9', ['6']],
    ]);
    expect(answer.applications[0]?.bot_token).toBe('bot-secret');
    expect(answer.guilds[0]?.roles.map(({ id }) => id)).toEqual(['60', '6', '5']);
    expect(answer.guilds[0]?.members.map(member => member.user_id)).toEqual(['10']);
  });

  it('replace plain lists', async () => {
    const { core, keeper } = await furnish();
    await keeper.begin(example);
    await keeper.apply({ applications: [{ id: '1', redirect_uris: [] }], guilds: [{ id: '5', applications: [] }] });
    expect((await core.store.get('applications', '1'))?.redirect_uris).toEqual([]);
    expect((await core.store.get('guilds', '5'))?.applications).toEqual([]);
  });

  it('make a new owner a member and keep what the owner was as one', async () => {
    const { core, keeper } = await furnish();
    await keeper.begin(example);
    await keeper.apply({ users: [{ id: '10' }], guilds: [{ id: '5', owner_id: '10' }] });
    await keeper.apply({ guilds: [{ id: '5', owner_id: '9' }] });
    expect((await core.store.get('guild_members', '5', '9'))?.roles).toEqual(['6']);
    expect(await core.store.get('guild_members', '5', '10')).toBeDefined();
  });

  it('are kept whole or not at all', async () => {
    const { core, keeper } = await furnish();
    await keeper.begin(example);
    const before = await core.store.dump();
    await faults(keeper.apply({ users: [{ id: '10' }], guilds: [{ owner_id: '404' }] }));
    expect(await core.store.dump()).toEqual(before);
  });

  it('posted side by side all arrive', async () => {
    const { core, keeper } = await furnish();
    await keeper.begin(example);
    await Promise.all(
      Array.from({ length: 20 }, (_, at) => keeper.apply({ guilds: [{ id: '5', roles: [{ name: `role ${at}` }] }] })),
    );
    expect((await core.store.get('guilds', '5'))?.roles).toHaveLength(22);
  });

  it('answer what can be posted again without changing anything', async () => {
    const id = fc.integer({ min: 1, max: 12 }).map(String);
    const users = fc.uniqueArray(
      fc.record(
        { id: id.map(text => `2${text}`), username: fc.string({ minLength: 1, maxLength: 20 }), adult: fc.boolean() },
        { requiredKeys: [] },
      ),
      { selector: user => user.id ?? {} },
    );
    const applications = fc.uniqueArray(
      fc.record(
        { id, bot_token: fc.constant(null), embedded: fc.boolean(), integration_types: fc.constantFrom([0], [1, 0]) },
        { requiredKeys: [] },
      ),
      { selector: application => application.id ?? {} },
    );
    const guilds = fc.array(
      fc.record(
        {
          name: fc.string({ minLength: 1, maxLength: 20 }),
          roles: fc.array(fc.record({ permissions: fc.constantFrom('0', '8') }, { requiredKeys: [] }), {
            maxLength: 3,
          }),
          channels: fc.array(fc.record({ type: fc.constantFrom(0, 2, 4) }, { requiredKeys: [] }), { maxLength: 3 }),
        },
        { requiredKeys: [] },
      ),
      { maxLength: 3 },
    );
    await fc.assert(
      fc.asyncProperty(fc.record({ applications, users, guilds }, { requiredKeys: [] }), async document => {
        const core = await makeCore();
        const keeper = createFixtures(
          core,
          { ensureLaunch: async () => undefined },
          { removeAll: async () => undefined },
        );
        const answer = await keeper.apply(document);
        const before = await core.store.dump();
        expect(await keeper.apply(answer)).toEqual(answer);
        expect(await core.store.dump()).toEqual(before);
        await core.store.close();
      }),
      { numRuns: 40 },
    );
  });
});

describe('a reset', () => {
  it('goes back to the start: same ids, same secrets, nothing since', async () => {
    const { core, keeper, launched } = await furnish();
    const first = await keeper.begin({ applications: [{ embedded: true }], guilds: [{ roles: [{}] }] });
    const before = await contentOf(core);
    await keeper.apply({
      applications: [{ id: first.applications[0]?.id, name: 'x', bot_token: 'other' }, {}],
      users: [{}],
    });
    await core.store.transact('settings', transaction => transaction.put('settings', { name: 'mine', value: 1 }));
    await keeper.reset();
    expect(await contentOf(core)).toEqual(before);
    expect((await core.store.get('settings', 'mine'))?.value).toBe(1);
    expect(launched.at(-1)).toBe(first.applications[0]?.id);
    // The secret of the start is still known in clear.
    const again = await keeper.apply({ applications: [{ id: first.applications[0]?.id }] });
    expect(again.applications[0]?.bot_token).toBe(first.applications[0]?.bot_token);
  });

  it('empties a service that was begun with nothing', async () => {
    const { core, keeper } = await furnish();
    await keeper.begin();
    await keeper.apply(example);
    await keeper.reset();
    expect(Object.values(await contentOf(core)).flat()).toEqual([]);
  });
});

describe('a data folder', () => {
  const document: Fixtures = { applications: [{ name: 'Starfall' }], users: [{}], guilds: [{ channels: [{}] }] };

  it('begun again with a document without users has the same owner', async () => {
    const location = dataFile();
    const withoutUsers: Fixtures = { applications: [{ bot_token: 't', client_secret: null }], guilds: [{}] };
    const first = await furnish('first', location);
    const before = await first.keeper.begin(withoutUsers);
    await first.core.store.close();
    const second = await furnish('second', location);
    expect(await second.keeper.begin(withoutUsers)).toEqual(before);
  });

  it('begun with another document has both, and a reset goes back to the later', async () => {
    const location = dataFile();
    const first = await furnish('first', location);
    await first.keeper.begin({ users: [{ id: '1' }] });
    await first.core.store.close();
    const { core, keeper } = await furnish('second', location);
    await keeper.begin({ users: [{ id: '2' }] });
    expect((await core.store.list('users')).map(({ id }) => id)).toEqual(['1', '2']);
    await keeper.reset();
    expect((await core.store.list('users')).map(({ id }) => id)).toEqual(['2']);
  });

  it('begun again with the same document has the same ids, and its secrets keep working', async () => {
    const location = dataFile();
    const first = await furnish('first', location);
    const before = await first.keeper.begin(document);
    const stored = await first.core.store.dump();
    await first.core.store.close();

    const second = await furnish('second', location);
    const after = await second.keeper.begin(document);
    expect(await second.core.store.dump()).toEqual(stored);
    const { bot_token: _, client_secret: __, ...application } = before.applications[0] ?? {};
    expect(after).toEqual({ ...before, applications: [application] });
    await second.core.store.close();

    const third = await furnish('third', location);
    expect(await third.keeper.begin()).toEqual({ applications: [], users: [], guilds: [] });
    await third.keeper.apply({ users: [{ id: '77' }] });
    await third.keeper.reset();
    expect(await third.core.store.dump()).toEqual(stored);
  });

  it('shows a new secret, and ends the old one, when asked for one that it knows by its hash alone', async () => {
    const location = dataFile();
    const first = await furnish('first', location);
    const [before] = (await first.keeper.begin(document)).applications;
    await first.core.store.close();

    const { core, keeper } = await furnish('second', location);
    await keeper.begin();
    const [after] = (await keeper.apply({ applications: [{ id: before?.id }] })).applications;
    expect(after?.bot_token).toBeTypeOf('string');
    expect(after?.bot_token).not.toBe(before?.bot_token);
    const record = await core.store.get('applications', before?.id ?? '');
    expect(record?.bot_token_hash).toBe(hashSecret(after?.bot_token ?? ''));
  });
});
