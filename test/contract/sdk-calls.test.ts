import { filter, firstValueFrom } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import { closeCodes } from '../../src/model/gateway.ts';
import { Client } from '../../src/sdk/client.ts';
import type { CallSnapshot } from '../../src/sdk/voice/snapshot.ts';
import { type Service, type ServiceOptions, startService } from '../../src/service/index.ts';
import { loadSystemSocket } from '../../src/wire/gateway/socket.ts';
import { gone, lobbyOf } from '../support/browser/player.ts';
import { keptCalls } from '../support/gateway/calls.ts';
import { Network } from '../support/gateway/network.ts';
import { callApi, starfall } from '../support/service/starfall.ts';
import { playerToken } from '../support/service/tokens.ts';

const [ada, grace] = starfall.users;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A lobby of two players, whose games are connected. */
async function begin(options: ServiceOptions = {}) {
  const service = await startService({ fixtures: starfall, limits: 'off', ...options });
  closing.push(() => service.close());
  const [hers, theirs] = [await gameOf(service, ada.id), await gameOf(service, grace.id)];
  const { id } = await hers.client.lobbies.join('the harbour');
  await theirs.client.lobbies.join('the harbour');
  return { service, hers, theirs, id };
}

async function gameOf(service: Service, userId: string) {
  const network = new Network(await loadSystemSocket());
  const client = new Client({
    applicationId: starfall.applications[0].id,
    baseUrl: service.webBase,
    socket: network.socket,
  });
  closing.push(() => client.close());
  client.updateToken(await playerToken(service, userId));
  await client.connect();
  return { client, network };
}

function shown(client: Client, id: string, fits: (call: CallSnapshot) => boolean): Promise<CallSnapshot> {
  return firstValueFrom(lobbyOf(client, id).call.snapshot$.pipe(filter(fits)));
}

const speakers = ({ participants }: CallSnapshot) => participants.map(({ id, selfMute }) => [id, selfMute]);

describe('a call of two players', () => {
  it('shows both players all participants and their settings, and ends as they leave', async () => {
    const { hers, theirs, id } = await begin();
    await lobbyOf(hers.client, id).call.join({ selfMute: true });
    await lobbyOf(theirs.client, id).call.join();
    const both = ({ participants }: CallSnapshot) => participants.length === 2;
    for (const { client } of [hers, theirs]) {
      const call = await shown(client, id, both);
      expect(speakers(call)).toEqual([
        [ada.id, true],
        [grace.id, false],
      ]);
      expect(client.lobby(id)?.voiceStates).toBe(lobbyOf(client, id).call.snapshot.participants);
    }
    await lobbyOf(hers.client, id).call.update({ selfMute: false });
    await shown(theirs.client, id, call => call.participants[0]?.selfMute === false);
    await lobbyOf(hers.client, id).call.leave();
    await shown(theirs.client, id, call => call.participants.length === 1);
    expect(lobbyOf(hers.client, id).call.snapshot.status).toBe('disconnected');
    await theirs.client.lobbies.leaveCalls();
    await shown(hers.client, id, call => call.participants.length === 0);
  });

  it('is joined on one device at a time: the newest', async () => {
    const { service, hers, id } = await begin();
    const other = await gameOf(service, ada.id);
    await lobbyOf(hers.client, id).call.join();
    await lobbyOf(other.client, id).call.join();
    const left = await shown(hers.client, id, ({ status }) => status === 'disconnected');
    expect(left.participants).toHaveLength(1);
    expect(lobbyOf(other.client, id).call.snapshot.status).toBe('signaling_connected');
  });

  it('gives each player a voice server and token, and again on request', async () => {
    const { hers, theirs, id } = await begin({ voice: { endpoint: 'voice.example:4433' } });
    await Promise.all([hers, theirs].map(({ client }) => lobbyOf(client, id).call.join()));
    const calls = await Promise.all([hers, theirs].map(({ client }) => shown(client, id, call => !!call.server)));
    expect(calls.map(({ server }) => server?.endpoint)).toEqual(Array(2).fill('voice.example:4433'));
    expect(calls[0]?.server?.token).not.toBe(calls[1]?.server?.token);
    const renewed = await lobbyOf(hers.client, id).call.renew();
    expect(renewed.token).not.toBe(calls[0]?.server?.token);
    expect(lobbyOf(hers.client, id).call.snapshot.server).toBe(renewed);
  });

  it('works without a voice server of the operator, and shows it', async () => {
    const { hers, id } = await begin();
    await lobbyOf(hers.client, id).call.join();
    expect((await shown(hers.client, id, call => !!call.server)).server).toMatchObject({ endpoint: null });
  });

  it.each([
    ['resumed', 1006],
    ['begun anew', closeCodes.SESSION_TIMED_OUT.code],
  ])('goes on when the session of one of them is %s', async (_, code) => {
    const { service, hers, theirs, id } = await begin();
    await lobbyOf(hers.client, id).call.join();
    await lobbyOf(theirs.client, id).call.join({ selfDeaf: true });
    await shown(hers.client, id, call => call.participants.length === 2);
    theirs.network.cut(code);
    expect(lobbyOf(theirs.client, id).call.snapshot).toMatchObject({ status: 'reconnecting', own: { selfDeaf: true } });
    await shown(theirs.client, id, ({ status }) => status === 'signaling_connected');
    const kept = (await keptCalls(service)).get(id);
    for (const { client } of [hers, theirs]) {
      const call = await shown(client, id, ({ participants }) =>
        participants.every(one => kept?.some(({ session_id }) => session_id === one.sessionId)),
      );
      expect(call.participants.map(one => [one.id, one.selfDeaf])).toEqual([
        [ada.id, false],
        [grace.id, true],
      ]);
    }
  });

  it('is left by players who leave the lobby, or are removed from it', async () => {
    const { service, hers, theirs, id } = await begin();
    await Promise.all([hers, theirs].map(({ client }) => lobbyOf(client, id).call.join()));
    const calls = [hers, theirs].map(({ client }) => lobbyOf(client, id).call);
    await lobbyOf(theirs.client, id).leave();
    await shown(hers.client, id, call => call.participants.length === 1);
    expect(calls[1]?.snapshot).toMatchObject({ status: 'disconnected', participants: [] });
    await callApi(service, 'DELETE', `/lobbies/${id}/members/${ada.id}`);
    await gone(hers.client, id);
    expect(calls[0]?.snapshot.status).toBe('disconnected');
    expect((await keptCalls(service)).size).toBe(0);
  });

  it('cannot be joined by a player who is no longer a member', async () => {
    const { service, hers, id } = await begin();
    const { call } = lobbyOf(hers.client, id);
    await lobbyOf(hers.client, id).leave();
    await expect(call.join({ deadlineMs: 300 })).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expect((await keptCalls(service)).size).toBe(0);
  });

  it('is over for a client that disconnects, and not joined again by itself', async () => {
    const { hers, theirs, id } = await begin();
    await Promise.all([hers, theirs].map(({ client }) => lobbyOf(client, id).call.join()));
    await theirs.client.disconnect();
    await shown(hers.client, id, call => call.participants.length === 1);
    await theirs.client.connect();
    expect(lobbyOf(theirs.client, id).call.snapshot).toMatchObject({ status: 'disconnected', own: undefined });
    expect(lobbyOf(theirs.client, id).call.snapshot.participants).toHaveLength(1);
  });
});
