import { afterEach, describe, expect, it } from 'vitest';
import { memberChangesMax } from '../../src/backend/lobbies.ts';
import { limitProfiles } from '../../src/model/limits/limit-profiles.ts';
import { limits } from '../../src/model/limits/limits.ts';
import { nodeTransport } from '../../src/wire/http/node-transport.ts';
import { botHeaders, callApi, starfall } from '../support/service/starfall.ts';
import { playerToken } from '../support/service/tokens.ts';
import { codeOf, Fleet, players } from './fleet/rig.ts';

const [ada, grace, edsger] = starfall.users;
const perRequest = limits.lobbyMembersPerRequestMax;
const crowd = players(60).map(({ id }) => id);

let fleet: Fleet;
afterEach(() => fleet.close());

async function asPlayer(userId: string) {
  return { ...botHeaders, authorization: `Bearer ${await playerToken(fleet.service, userId)}` };
}

describe('a list of member changes', () => {
  it.each([
    [1, 1],
    [perRequest, 1],
    [perRequest + 1, 2],
    [2 * perRequest, 2],
    [2 * perRequest + 1, 3],
  ])('of %i goes in %i calls', async (count, calls) => {
    fleet = await Fleet.start(60);
    const { lobbies, sent } = fleet.server('a');
    const { id } = await lobbies.create();
    sent.length = 0;
    const changed = await lobbies.bulkMembers(
      id,
      crowd.slice(0, count).map(id => ({ id, flags: 1 })),
    );
    expect(sent).toEqual(Array.from({ length: calls }, () => `POST lobbies/${id}/members/bulk`));
    expect(changed.dropped).toEqual([]);
    expect(changed.members).toEqual(crowd.slice(0, count).map(id => ({ id, flags: 1, metadata: null })));
    expect((await lobbies.get(id)).members).toHaveLength(count);
  });

  it('adds, updates and removes; who was removed is not in the answer', async () => {
    fleet = await Fleet.start();
    const { lobbies } = fleet.server('a');
    const { id } = await lobbies.create({ members: [{ id: ada.id }, { id: grace.id }] });
    const changed = await lobbies.bulkMembers(id, [
      { id: ada.id, remove_member: true },
      { id: grace.id, additional_name: 'Gracia' },
      { id: edsger.id, metadata: { team: 'red' } },
    ]);
    expect(changed).toMatchObject({
      members: [{ id: grace.id, additional_name: 'Gracia' }, { id: edsger.id }],
      dropped: [],
    });
    expect((await lobbies.get(id)).members).toEqual(changed.members);
  });

  it('reports who was not let in', async () => {
    fleet = await Fleet.start(60, { ...limitProfiles.off, lobbiesPerUserMax: 1 });
    const { lobbies } = fleet.server('a');
    await lobbies.create({ members: [{ id: crowd[3] ?? '' }, { id: crowd[30] ?? '' }] });
    const { id } = await lobbies.create();
    const changed = await lobbies.bulkMembers(
      id,
      crowd.slice(0, 40).map(id => ({ id })),
    );
    expect(changed.dropped).toEqual([crowd[3], crowd[30]]);
    expect(changed.members).toHaveLength(38);
    const ensured = await lobbies.ensure('match', { members: [{ id: ada.id }, { id: crowd[3] ?? '' }] });
    expect(ensured).toMatchObject({ dropped: [crowd[3]], lobby: { members: [{ id: ada.id }] } });
  });

  it('is rejected as a whole, with the place of every fault, before anything is sent', async () => {
    fleet = await Fleet.start(60);
    const { lobbies, sent } = fleet.server('a');
    const twice = [...crowd.slice(0, 40), crowd[1] ?? ''].map(id => ({ id }));
    await expect(lobbies.bulkMembers('1', twice)).rejects.toMatchObject({
      issues: [{ path: ['40', 'id'], code: 'LIST_ITEM_DUPLICATE' }],
    });
    expect(await codeOf(lobbies.bulkMembers('1', []))).toBe('invalid_form_body');
    const many = (count: number) => Array.from({ length: count }, (_, i) => ({ id: String(i + 1) }));
    expect(await codeOf(lobbies.bulkMembers('1', many(memberChangesMax + 1)))).toBe('invalid_form_body');
    expect(await codeOf(lobbies.bulkMembers('x', many(1)))).toBe('invalid_snowflake');
    expect(sent).toEqual([]);
    expect(await codeOf(lobbies.bulkMembers('1', many(memberChangesMax)))).toBe('unknown_lobby');
    expect(sent).toHaveLength(1);
  });

  it('names an unknown user and leaves what was sent before', async () => {
    fleet = await Fleet.start(60);
    const { lobbies } = fleet.server('a');
    const { id } = await lobbies.create();
    const list = [...crowd.slice(0, perRequest), '404', ...crowd.slice(perRequest)].map(id => ({ id }));
    expect(await codeOf(lobbies.bulkMembers(id, list))).toBe('unknown_user');
    expect((await lobbies.get(id)).members).toHaveLength(perRequest);
  });

  it('ends by one deadline for the whole, and by its caller', async () => {
    fleet = await Fleet.start(60);
    const real = nodeTransport();
    let answered = 0;
    const transport: typeof real = {
      async send(request) {
        if (request.url.endsWith('/bulk')) await fleet.clock.advance(++answered * 400);
        return real.send(request);
      },
      close: () => real.close(),
    };
    const { lobbies } = fleet.server('a', { transport });
    const { id } = await lobbies.create();
    const list = crowd.map(id => ({ id }));
    expect(await codeOf(lobbies.bulkMembers(id, list, { deadlineMs: 1_000 }))).toBe('deadline_exceeded');
    expect(answered).toBe(2);
    expect(await codeOf(lobbies.bulkMembers(id, list, { signal: AbortSignal.abort() }))).toBe('aborted');
  });
});

describe('moderation metadata', () => {
  it('of a message replaces what was set before', async () => {
    fleet = await Fleet.start();
    const { lobbies } = fleet.server('a');
    const { id } = await lobbies.create({ members: [{ id: ada.id }] });
    const player = await asPlayer(ada.id);
    const sent = await callApi(fleet.service, 'POST', `/lobbies/${id}/messages`, { content: 'hello' }, player);
    const message = sent.body as { id: string };
    await lobbies.setModerationMetadata(id, message.id, { verdict: 'unsure', score: '0.5' });
    await lobbies.setModerationMetadata(id, message.id, { verdict: 'fine' });
    const history = await callApi(fleet.service, 'GET', `/lobbies/${id}/messages`, undefined, player);
    expect(history.body).toMatchObject([{ id: message.id, moderation_metadata: { verdict: 'fine' } }]);
    expect(await codeOf(lobbies.setModerationMetadata(id, '404', {}))).toBe('unknown_message');
    expect(await codeOf(lobbies.setModerationMetadata('404', message.id, {}))).toBe('unknown_lobby');
  });

  it('of 6 entries, or with a value of 2001 characters, is rejected before it is sent', async () => {
    fleet = await Fleet.start();
    const { lobbies, sent } = fleet.server('a');
    const entries = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'x']));
    const value = (length: number) => ({ k: 'x'.repeat(length) });
    for (const bad of [
      entries(limits.lobbyModerationEntriesMax + 1),
      value(limits.lobbyModerationValueLengthMax + 1),
    ]) {
      expect(await codeOf(lobbies.setModerationMetadata('1', '2', bad))).toBe('invalid_form_body');
    }
    expect(await codeOf(lobbies.setModerationMetadata('1', 'x', {}))).toBe('invalid_snowflake');
    expect(sent).toEqual([]);
    expect(await codeOf(lobbies.setModerationMetadata('1', '2', entries(limits.lobbyModerationEntriesMax)))).toBe(
      'unknown_lobby',
    );
    expect(await codeOf(lobbies.setModerationMetadata('1', '2', value(limits.lobbyModerationValueLengthMax)))).toBe(
      'unknown_lobby',
    );
  });
});

describe('an invite for a member', () => {
  it('is to the guild of the linked channel, and rejected while there is none', async () => {
    fleet = await Fleet.start();
    const { lobbies } = fleet.server('a');
    const { id } = await lobbies.create({ members: [{ id: ada.id, flags: 1 }, { id: edsger.id }] });
    expect(await codeOf(lobbies.createInvite(id, edsger.id))).toBe('lobby_not_linked');
    const [guild] = starfall.guilds;
    const link = { channel_id: guild.channels[0].id };
    const linked = await callApi(
      fleet.service,
      'PATCH',
      `/lobbies/${id}/channel-linking`,
      link,
      await asPlayer(ada.id),
    );
    expect(linked.status).toBe(200);
    expect(await lobbies.get(id)).toMatchObject({ linked_channel: { id: link.channel_id } });
    const { code } = await lobbies.createInvite(id, edsger.id);
    expect(code).toMatch(/^[\w-]+$/);
    expect((await lobbies.createInvite(id, edsger.id)).code).not.toBe(code);
    expect(await codeOf(lobbies.createInvite('404', edsger.id))).toBe('unknown_lobby');
    expect(await codeOf(lobbies.createInvite(id, 'x'))).toBe('invalid_snowflake');
  });
});
