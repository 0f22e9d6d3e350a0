import { join } from 'node:path';
import { config, firstValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileLobbyDirectory } from '../../../src/backend/fleet/file-directory.ts';
import type { LobbyProgress, LobbyServerState, ManagedLobbies } from '../../../src/backend/fleet/index.ts';
import { TransportError } from '../../../src/model/errors/errors.ts';
import { deadlineMsDefault } from '../../../src/wire/http/http.ts';
import { nodeTransport } from '../../../src/wire/http/node-transport.ts';
import { elapse } from '../../support/clock/elapse.ts';
import { passTime } from '../../support/clock/pass-time.ts';
import { temporaryFolder } from '../../support/runs/folder.ts';
import { isDeeplyFrozen } from '../../support/runs/frozen.ts';
import { starfall } from '../../support/service/starfall.ts';
import { codeOf, Fleet, leaseMs, usableMs } from './rig.ts';

const [ada, grace, edsger] = starfall.users;

let fleet: Fleet;
beforeEach(async () => {
  fleet = await Fleet.start();
});
afterEach(() => fleet.close());

describe('ensure', () => {
  it('makes a lobby, and finds it again by one read', async () => {
    const { lobbies, sent } = fleet.server('a');
    const desired = { metadata: { map: 'harbour' }, members: [{ id: ada.id, flags: 1 }], idle_timeout_seconds: 60 };
    const made = await lobbies.ensure('match 1', desired);
    expect(made).toMatchObject({ key: 'match 1', isNew: true, isOwner: true, owner: 'a', epoch: 1, dropped: [] });
    expect(made.lobby).toMatchObject({ metadata: { map: 'harbour' }, members: [{ id: ada.id, flags: 1 }] });
    sent.length = 0;
    const found = await lobbies.ensure('match 1', desired);
    expect(found).toEqual({ ...made, isNew: false });
    expect(sent).toEqual([`GET lobbies/${made.lobby.id}`]);
    expect(await fleet.lobby(made.lobby.id)).toEqual(made.lobby);
  });

  it('writes a lobby down before it lets anybody in', async () => {
    const { lobbies, sent } = fleet.server('a');
    const { lobby } = await lobbies.ensure('match 1', { members: [{ id: ada.id }], metadata: { a: '1' } });
    expect(sent).toEqual(['POST lobbies', `PUT lobbies/${lobby.id}/members/${ada.id}`]);
  });

  it('changes what differs, and only that', async () => {
    const { lobbies, sent } = fleet.server('a');
    const { lobby } = await lobbies.ensure('match 1', { members: [{ id: ada.id }, { id: grace.id }] });
    sent.length = 0;
    const changed = await lobbies.ensure('match 1', { members: [{ id: ada.id }] });
    expect(changed).toMatchObject({ isNew: false, lobby: { id: lobby.id, members: [{ id: ada.id }] } });
    expect(sent).toEqual([`GET lobbies/${lobby.id}`, `DELETE lobbies/${lobby.id}/members/${grace.id}`]);
    expect(await fleet.lobby(lobby.id)).toEqual(changed.lobby);
  });

  it('finds the lobby again after a restart under the same name, and owns it in another epoch', async () => {
    const before = fleet.server('a');
    const { lobby } = await before.lobbies.ensure('match 1');
    before.backend.close();
    const found = await fleet.server('a').lobbies.ensure('match 1');
    expect(found).toMatchObject({ isNew: false, isOwner: true, epoch: 2, lobby: { id: lobby.id } });
  });

  it('finds the lobby again when all that is left of the servers is a file', async () => {
    const folder = await temporaryFolder();
    const path = join(folder.path, 'lobbies.sqlite');
    const start = (name: string) => {
      const directory = fileLobbyDirectory(path);
      const server = fleet.server(name, { lobbyServer: { name, directory, leaseMs } });
      return { ...server, crash: () => [server.backend.close(), directory.close()] };
    };
    const [a, b] = [start('a'), start('b')];
    const asked = Promise.all([a, b].map(({ lobbies }) => lobbies.ensure('match 1')));
    const [first, second] = await passTime(fleet.clock, asked);
    expect(second?.lobby.id).toBe(first?.lobby.id);
    a.crash();
    b.crash();
    const again = start('a');
    await fleet.clock.advance(leaseMs);
    expect(await again.lobbies.ensure('match 1')).toMatchObject({ isNew: false, isOwner: true, lobby: first?.lobby });
    again.crash();
    await folder.remove();
  });

  it('creates a lobby again that has ended, and does not set its idle timeout twice', async () => {
    const { lobbies, sent } = fleet.server('a');
    const first = await lobbies.ensure('match 1', { idle_timeout_seconds: 5 });
    await fleet.service.clock.advance(5_000);
    sent.length = 0;
    const second = await lobbies.ensure('match 1', { idle_timeout_seconds: 5 });
    expect(second.isNew).toBe(true);
    expect(second.lobby.id).not.toBe(first.lobby.id);
    expect(sent).toEqual([`GET lobbies/${first.lobby.id}`, 'POST lobbies']);
  });

  it.each([
    ['deleted', 'none', (lobbies: ManagedLobbies, id: string) => lobbies.delete(id)],
    ['handed over', 'not_owner', (lobbies: ManagedLobbies, id: string) => lobbies.handOver(id, 'b')],
  ] as const)('keeps the lobby that it creates while the one that has ended is %s', async (_, code, end) => {
    await fleet.server('b').lobbies.ensure('match 2');
    const { backend, lobbies } = fleet.server('a');
    const first = await lobbies.ensure('match 1');
    await backend.lobbies.delete(first.lobby.id);
    const ensuring = lobbies.ensure('match 1');
    expect(await codeOf(end(lobbies, first.lobby.id))).toBe(code);
    const { lobby } = await ensuring;
    expect((await fleet.lobby(lobby.id))?.id).toBe(lobby.id);
    expect(await lobbies.ensure('match 1')).toMatchObject({ isNew: false, isOwner: true, lobby: { id: lobby.id } });
  });

  it('creates one lobby when two servers ask concurrently; one owns it, both get it', async () => {
    const servers = [fleet.server('a'), fleet.server('b')];
    const asked = servers.map(({ lobbies }) => lobbies.ensure('match 1', { metadata: { a: '1' } }));
    const found = await elapse(fleet.clock, Promise.all(asked)); // the later one looks again
    expect(new Set(found.map(({ lobby }) => lobby.id)).size).toBe(1);
    expect(found.filter(({ isOwner }) => isOwner)).toHaveLength(1);
    expect(found.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(servers.flatMap(({ sent }) => sent).filter(line => line === 'POST lobbies')).toHaveLength(1);
  });

  it('creates one lobby when one server asks many times concurrently', async () => {
    const { lobbies, sent } = fleet.server('a');
    const found = await Promise.all(Array.from({ length: 20 }, () => lobbies.ensure('match 1')));
    expect(new Set(found.map(({ lobby }) => lobby.id)).size).toBe(1);
    expect(sent.filter(line => line === 'POST lobbies')).toHaveLength(1);
  });

  it('leaves another server’s lobby as it is', async () => {
    const { lobby } = await fleet.server('a').lobbies.ensure('match 1', { metadata: { a: '1' } });
    const found = await fleet.server('b').lobbies.ensure('match 1', { metadata: { b: '1' } });
    expect(found).toMatchObject({ isNew: false, isOwner: false, owner: 'a', lobby });
  });

  it('takes a lobby over whose server’s lease has run out, and 1 ms before that does not', async () => {
    const { backend, lobbies } = fleet.server('a');
    const { lobby } = await lobbies.ensure('match 1');
    backend.close();
    const next = fleet.server('b').lobbies;
    await fleet.clock.advance(leaseMs - 1);
    expect(await next.ensure('match 1')).toMatchObject({ isOwner: false });
    await fleet.clock.advance(1);
    expect(await next.ensure('match 1')).toMatchObject({ isOwner: true, epoch: 2, lobby: { id: lobby.id } });
  });

  it('opens what a server claimed and never opened, once its lease has run out', async () => {
    const transport = { send: () => new Promise<never>(() => {}), close() {} };
    const stuck = fleet.server('a', { transport });
    const never = codeOf(stuck.lobbies.ensure('match 1'));
    await fleet.clock.advance(0);
    stuck.backend.close();
    expect(await never).toBe('aborted');
    const waiting = fleet.server('b').lobbies.ensure('match 1', {}, { deadlineMs: 2 * leaseMs });
    await fleet.clock.advance(leaseMs + 200);
    expect(await waiting).toMatchObject({ isNew: true, isOwner: true, epoch: 2 });
  });

  it('deletes the lobby it has made when it comes too late to write it down', async () => {
    const real = nodeTransport();
    let answer = () => {};
    const late = new Promise<void>(resolve => {
      answer = resolve;
    });
    const transport: typeof real = {
      async send(request) {
        const answered = await real.send(request);
        if (request.method === 'POST') await late;
        return answered;
      },
      close: () => real.close(),
    };
    const slow = fleet.server('a', { transport, deadlineMs: 10 * leaseMs });
    const asked = slow.lobbies.ensure('match 1');
    await fleet.clock.advance(0);
    const other = fleet.server('b');
    const taken = { status: 'open', lobbyId: '5', owner: 'b', term: 1, epoch: 2, idleTimeoutSeconds: null };
    const key = `${starfall.applications[0].id}/lobbies/match 1`;
    const winner = await other.lobbies.ensure('another');
    const claimed = await fleet.directory.get(key);
    const text = JSON.stringify({ ...taken, lobbyId: winner.lobby.id });
    expect(await fleet.directory.compareAndSet(key, claimed, text)).toBe(true);
    answer();
    expect(await asked).toMatchObject({ isOwner: false, owner: 'b', lobby: { id: winner.lobby.id } });
    expect(slow.sent.map(line => line.replace(/\d+/, '…'))).toEqual([
      'POST lobbies',
      'DELETE lobbies/…',
      'GET lobbies/…',
    ]);
    const [, deleted = ''] = /DELETE lobbies\/(\d+)/.exec(slow.sent.join('\n')) ?? [];
    expect(await fleet.lobby(deleted)).toBeUndefined();
  });

  it('gives the key back when the service does not open the lobby', async () => {
    const wrong = fleet.server('a', { botToken: 'wrong' });
    expect(await codeOf(wrong.lobbies.ensure('match 1'))).toBe('unauthorized');
    expect(await fleet.server('b').lobbies.ensure('match 1')).toMatchObject({ isNew: true, epoch: 1 });
  });

  it('rejects before sending what is not valid, with every issue', async () => {
    const { lobbies, sent } = fleet.server('a');
    const call = lobbies.ensure('match 1', { members: [{ id: 'x' }], idle_timeout_seconds: 4 });
    await expect(call).rejects.toMatchObject({
      issues: [{ path: ['idle_timeout_seconds'] }, { path: ['members', '0', 'id'] }],
    });
    for (const key of ['', 'x'.repeat(201), 'match \ud83d'])
      expect(await codeOf(lobbies.ensure(key))).toBe('invalid_lobby_key');
    expect(await codeOf(lobbies.ensure('x'.repeat(200)))).toBe('none');
    expect(sent).toEqual(['POST lobbies']);
  });

  it('ends by its deadline and by its caller, also while it waits for its turn or for another server', async () => {
    const transport = { send: () => new Promise<never>(() => {}), close() {} };
    const { lobbies } = fleet.server('a', { transport });
    const first = codeOf(lobbies.ensure('match 1', {}, { deadlineMs: 5_000 }));
    const second = codeOf(lobbies.ensure('match 1', {}, { deadlineMs: 1_000 }));
    await fleet.clock.advance(0);
    const elsewhere = codeOf(fleet.server('b').lobbies.ensure('match 1', {}, { deadlineMs: 1_000 }));
    const controller = new AbortController();
    const aborted = codeOf(lobbies.ensure('match 1', {}, { signal: controller.signal }));
    controller.abort();
    expect(await aborted).toBe('aborted');
    await fleet.clock.advance(1_000);
    expect([await second, await elsewhere]).toEqual(['deadline_exceeded', 'deadline_exceeded']);
    await fleet.clock.advance(4_000);
    expect(await first).toBe('deadline_exceeded');
  });
});

describe('the lease', () => {
  it('is renewed as long as the server runs, with one record for all of its lobbies', async () => {
    const { lobbies } = fleet.server('a');
    const key = `${starfall.applications[0].id}/servers/a`;
    await lobbies.ensure('match 1');
    await lobbies.ensure('match 2');
    const term = async () => JSON.parse((await fleet.directory.get(key)) ?? '{}').term;
    await fleet.clock.advance(10 * leaseMs);
    expect(await term()).toBe(1);
    expect(await fleet.server('b').lobbies.ensure('match 1')).toMatchObject({ isOwner: false });
    expect((await fleet.directory.list('')).size).toBe(4); // two lobbies, two servers
  });

  it('rejects late writes locally once it has run out and another server has taken the lobby', async () => {
    const { lobbies, sent } = fleet.server('a');
    const { lobby } = await lobbies.ensure('match 1');
    const next = fleet.server('b').lobbies;
    // The first server is cut off from the directory.
    const { compareAndSet } = fleet.directory;
    fleet.directory.compareAndSet = refuseWritesOf('a', compareAndSet);
    await fleet.clock.advance(leaseMs);
    expect(await next.ensure('match 1')).toMatchObject({ isOwner: true });
    sent.length = 0;
    expect(await codeOf(lobbies.putMember(lobby.id, ada.id))).toBe('directory_failed');
    fleet.directory.compareAndSet = compareAndSet;
    for (const write of [
      () => lobbies.putMember(lobby.id, ada.id),
      () => lobbies.edit(lobby.id, { metadata: { late: '1' } }),
      () => lobbies.removeMember(lobby.id, ada.id),
      () => lobbies.bulkMembers(lobby.id, [{ id: ada.id }]),
      () => lobbies.delete(lobby.id),
    ]) {
      expect(await codeOf(write())).toBe('not_owner');
    }
    expect(sent).toEqual([]);
    expect(await fleet.lobby(lobby.id)).toEqual(lobby);
  });

  it('is not used in its last sixth', async () => {
    const { lobbies, sent } = fleet.server('a');
    const { lobby } = await lobbies.ensure('match 1');
    fleet.directory.compareAndSet = refuseWritesOf('a', fleet.directory.compareAndSet);
    await fleet.clock.advance(usableMs - 1);
    expect(await codeOf(lobbies.putMember(lobby.id, ada.id))).toBe('none');
    await fleet.clock.advance(1);
    sent.length = 0;
    expect(await codeOf(lobbies.putMember(lobby.id, grace.id))).toBe('directory_failed');
    expect(sent).toEqual([]);
  });

  it('begins a new term after the directory failed for longer than the lease; lobbies that no server took are kept', async () => {
    const { lobbies } = fleet.server('a');
    const { lobby } = await lobbies.ensure('match 1');
    const { compareAndSet } = fleet.directory;
    fleet.directory.compareAndSet = refuseWritesOf('a', compareAndSet);
    await fleet.clock.advance(2 * leaseMs);
    expect((await firstValueFrom(lobbies.state$)).lease).toBe('lapsed');
    fleet.directory.compareAndSet = compareAndSet;
    await Promise.all([lobbies.putMember(lobby.id, ada.id), lobbies.putMember(lobby.id, grace.id)]);
    expect(await lobbies.ensure('match 1')).toMatchObject({ epoch: 2, isOwner: true, lobby: { id: lobby.id } });
    expect((await firstValueFrom(lobbies.state$)).lease).toBe('held');
  });

  it('goes to the newest process of a name; the older one is notified and stops for good', async () => {
    const older = fleet.server('a').lobbies;
    const { lobby } = await older.ensure('match 1');
    const newer = fleet.server('a').lobbies;
    expect(await newer.ensure('match 1')).toMatchObject({ isOwner: true, epoch: 2 });
    await fleet.clock.advance(leaseMs / 3);
    expect((await firstValueFrom(older.state$)).lease).toBe('superseded');
    expect(await codeOf(older.ensure('match 1'))).toBe('superseded');
    expect(await codeOf(older.putMember(lobby.id, ada.id))).toBe('superseded');
    await fleet.clock.advance(5 * leaseMs);
    expect(await codeOf(older.ensure('match 2'))).toBe('superseded');
    expect(await codeOf(newer.ensure('match 2'))).toBe('none');
  });

  it('is lost by the older process of a name from the moment the newer one took over, before any renewal', async () => {
    const { lobbies: older, sent } = fleet.server('a');
    const { lobby } = await older.ensure('match 1');
    const kept = await older.ensure('match 2');
    await older.ensure('match 3');
    await fleet.server('b').lobbies.ensure('elsewhere');
    const newer = fleet.server('a').lobbies;
    expect(await newer.ensure('match 1')).toMatchObject({ isOwner: true, epoch: 2, lobby: { id: lobby.id } });
    sent.length = 0;
    for (const write of [
      () => older.putMember(lobby.id, ada.id),
      () => older.edit(kept.lobby.id, { metadata: { late: '1' } }),
      () => older.removeMember(lobby.id, ada.id),
      () => older.bulkMembers(lobby.id, [{ id: ada.id }]),
      () => older.setModerationMetadata(lobby.id, '5', {}),
      () => older.createInvite(lobby.id, ada.id),
      () => older.ensure('match 2', { metadata: { late: '1' } }),
      () => older.ensure('match 4'),
      () => older.handOver(kept.lobby.id, 'b'),
      () => older.delete(lobby.id),
      () => older.delete(kept.lobby.id),
    ]) {
      expect(await codeOf(write())).toBe('superseded');
    }
    expect(sent.filter(line => !line.startsWith('GET '))).toEqual([]);
    expect((await firstValueFrom(older.state$)).lease).toBe('superseded');
    // What the newer one has not asked for yet is its own as well, and as it was.
    expect(await newer.ensure('match 2')).toMatchObject({ isOwner: true, isNew: false, lobby: { id: kept.lobby.id } });
    expect(await codeOf(newer.putMember(lobby.id, ada.id))).toBe('none');
  });

  it('is not said to be held to the older process of a name that reads what is as desired', async () => {
    const older = fleet.server('a').lobbies;
    await older.ensure('match 1');
    await fleet.server('a').lobbies.ensure('match 2');
    expect(await codeOf(older.ensure('match 1'))).toBe('superseded');
  });

  it('lets the older process of a name neither sweep nor reconcile away what the newer one has', async () => {
    const older = fleet.server('a').lobbies;
    await older.ensure('match 0');
    const newer = fleet.server('a').lobbies;
    const { lobby } = await newer.ensure('match 1');
    const swept = await older.sweep().catch(() => undefined);
    const reconciled = await older.reconcile(new Map()).catch(() => undefined);
    expect([swept?.deleted ?? [], reconciled?.isComplete ?? false]).toEqual([[], false]);
    expect(await newer.ensure('match 1')).toMatchObject({
      isNew: false,
      isOwner: true,
      epoch: 1,
      lobby: { id: lobby.id },
    });
    expect(await codeOf(newer.edit(lobby.id, { metadata: { still: 'mine' } }))).toBe('none');
  });

  it('is asked for again before a write is repeated: one that a takeover overtook is not sent once more', async () => {
    const reached = Promise.withResolvers<void>();
    const transport = nodeTransport();
    let puts = 0;
    const older = fleet.server('a', {
      transport: {
        send(request) {
          if (request.method !== 'PUT') return transport.send(request);
          puts++;
          reached.resolve();
          return Promise.reject(new TransportError('unreachable', 'The service restarts.'));
        },
        close: () => transport.close(),
      },
    }).lobbies;
    const { lobby } = await older.ensure('match 1');
    const written = codeOf(older.putMember(lobby.id, ada.id));
    await reached.promise;
    await fleet.server('a').lobbies.ensure('match 1');
    expect(await elapse(fleet.clock, written, 10_000, 500)).toBe('superseded');
    expect(puts).toBe(1);
  });

  it('is asked for once by all writes that begin together', async () => {
    const { lobbies } = fleet.server('a');
    const { lobby } = await lobbies.ensure('match 1');
    await lobbies.putMember(lobby.id, ada.id); // one call alone finds out what limit they share
    const { get } = fleet.directory;
    let looks = 0;
    fleet.directory.get = key => {
      looks++;
      return get(key);
    };
    await Promise.all(Array.from({ length: 50 }, () => lobbies.putMember(lobby.id, ada.id)));
    expect(looks).toBe(1);
  });

  it('allows no write while the directory cannot say who owns it', async () => {
    const { lobbies, sent } = fleet.server('a');
    const { lobby } = await lobbies.ensure('match 1');
    fleet.directory.get = () => Promise.reject(new Error('away'));
    sent.length = 0;
    expect(await codeOf(lobbies.putMember(lobby.id, ada.id))).toBe('directory_failed');
    expect(sent).toEqual([]);
  });

  it('writes nothing, reads nothing and sets no timer for a backend that only calls by id', async () => {
    const failing = new Error('must not be asked');
    const directory = {
      get: () => Promise.reject(failing),
      list: () => Promise.reject(failing),
      compareAndSet: () => Promise.reject(failing),
    };
    const { lobbies } = fleet.server('a', { lobbyServer: { directory } });
    const { id } = await lobbies.create();
    await lobbies.edit(id, { metadata: { a: '1' } });
    await lobbies.delete(id);
    expect(await firstValueFrom(lobbies.state$)).toMatchObject({ lease: 'none', lobbies: [] });
    await expect(lobbies.ensure('match 1')).rejects.toMatchObject({ code: 'directory_failed', cause: failing });
  });

  it('has a name and a length that can be worked with', () => {
    for (const name of ['', 'x'.repeat(201), 'a\ud83d']) {
      expect(() => fleet.server(name)).toThrow(expect.objectContaining({ code: 'invalid_server_name' }));
    }
    for (const leaseMs of [0, 999, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => fleet.server('a', { lobbyServer: { leaseMs } })).toThrow(
        expect.objectContaining({ code: 'invalid_lease' }),
      );
    }
    fleet.server('a', { lobbyServer: { leaseMs: 1_000 } });
  });
});

describe('handing over', () => {
  it('gives a lobby to another server, which owns it from then on; the old one’s writes are rejected locally', async () => {
    const a = fleet.server('a');
    const b = fleet.server('b');
    const { lobby } = await a.lobbies.ensure('match 1', { metadata: { a: '1' } });
    await b.lobbies.ensure('match 2');
    await a.lobbies.handOver(lobby.id, 'b');
    a.sent.length = 0;
    expect(await codeOf(a.lobbies.edit(lobby.id, {}))).toBe('not_owner');
    expect(a.sent).toEqual([]);
    expect(await a.lobbies.ensure('match 1', { metadata: { late: '1' } })).toMatchObject({
      isOwner: false,
      owner: 'b',
    });
    expect(await b.lobbies.ensure('match 1', { metadata: { b: '1' } })).toMatchObject({
      isNew: false,
      isOwner: true,
      epoch: 3,
      lobby: { id: lobby.id, metadata: { b: '1' } },
    });
  });

  it('is noticed whatever the lobby is named by', async () => {
    await fleet.server('b').lobbies.ensure('match 2');
    const a = fleet.server('a').lobbies;
    const given = (await a.ensure('match 1')).lobby.id;
    const kept = (await a.ensure('match 3')).lobby.id;
    const byNumber = (id: string) => BigInt(id) as unknown as string;
    await a.handOver(byNumber(given), 'b');
    expect(await codeOf(a.edit(byNumber(given), { metadata: {} }))).toBe('not_owner');
    await a.delete(byNumber(kept));
    expect(await a.ensure('match 3')).toMatchObject({ isNew: true, epoch: 1 });
    expect(await codeOf(a.edit('x', {}))).toBe('invalid_snowflake');
  });

  it('can go back and forth', async () => {
    const [a, b] = [fleet.server('a').lobbies, fleet.server('b').lobbies];
    const { lobby } = await a.ensure('match 1');
    await b.ensure('match 2');
    await a.handOver(lobby.id, 'b');
    await b.ensure('match 1');
    await b.handOver(lobby.id, 'a');
    await a.ensure('match 1');
    expect(await codeOf(a.putMember(lobby.id, ada.id))).toBe('none');
    expect(await codeOf(b.putMember(lobby.id, ada.id))).toBe('not_owner');
  });

  it('waits for writes under way and lets none begin', async () => {
    const real = nodeTransport();
    let answer = () => {};
    const late = new Promise<void>(resolve => {
      answer = resolve;
    });
    const transport: typeof real = {
      async send(request) {
        if (request.method === 'PUT') await late;
        return real.send(request);
      },
      close: () => real.close(),
    };
    const a = fleet.server('a', { transport }).lobbies;
    const b = fleet.server('b').lobbies;
    await b.ensure('match 2');
    const { lobby } = await a.ensure('match 1');
    const writing = a.putMember(lobby.id, ada.id);
    await fleet.clock.advance(0);
    const handing = a.handOver(lobby.id, 'b');
    await fleet.clock.advance(0);
    expect(await codeOf(a.putMember(lobby.id, grace.id))).toBe('not_owner');
    expect(await b.ensure('match 1')).toMatchObject({ isOwner: false });
    answer();
    await writing;
    await handing;
    expect((await b.ensure('match 1')).lobby.members).toMatchObject([{ id: ada.id }]);
  });

  it('to a server without a lease changes nothing', async () => {
    const a = fleet.server('a').lobbies;
    const { lobby } = await a.ensure('match 1');
    expect(await codeOf(a.handOver(lobby.id, 'b'))).toBe('server_not_live');
    expect(await codeOf(a.handOver('123', 'a'))).toBe('not_owner');
    expect(await codeOf(a.handOver('x', 'a'))).toBe('invalid_snowflake');
    await a.handOver(lobby.id, 'a');
    expect(await codeOf(a.putMember(lobby.id, ada.id))).toBe('none');
  });

  it('is not lost when the new owner crashes before it takes the lobby over', async () => {
    const a = fleet.server('a').lobbies;
    const b = fleet.server('b');
    await b.lobbies.ensure('match 2');
    const { lobby } = await a.ensure('match 1');
    await a.handOver(lobby.id, 'b');
    b.backend.close();
    await fleet.clock.advance(leaseMs);
    expect(await a.ensure('match 1')).toMatchObject({ isOwner: true, lobby: { id: lobby.id } });
  });
});

describe('sweep', () => {
  it('deletes what a crashed server left behind, and nothing before its lease has run out', async () => {
    const crashed = fleet.server('a');
    const { lobby } = await crashed.lobbies.ensure('match 1', { members: [{ id: ada.id }] });
    crashed.backend.close();
    const b = fleet.server('b').lobbies;
    const own = await b.ensure('match 2');
    await fleet.clock.advance(leaseMs - 1);
    expect(await b.sweep()).toMatchObject({ deleted: [], isComplete: true });
    await fleet.clock.advance(1);
    expect(await b.sweep()).toMatchObject({ deleted: ['match 1'], takenOver: [], left: [], isComplete: true });
    expect(await fleet.lobby(lobby.id)).toBeUndefined();
    expect((await fleet.lobby(own.lobby.id))?.id).toBe(own.lobby.id);
    expect([...(await fleet.directory.list('')).keys()].sort()).toEqual(
      ['lobbies/match 2', 'servers/b'].map(key => `${starfall.applications[0].id}/${key}`),
    );
  });

  it('takes over or keeps lobbies as the option says, one by one', async () => {
    const crashed = fleet.server('a');
    for (const key of ['keep', 'drop', 'wait']) await crashed.lobbies.ensure(key);
    crashed.backend.close();
    await fleet.clock.advance(leaseMs);
    const b = fleet.server('b').lobbies;
    const fates = { keep: 'take-over', drop: 'delete', wait: 'leave' } as const;
    const report = await b.sweep({
      fate: ({ key, owner }) => (owner === 'a' ? fates[key as keyof typeof fates] : 'leave'),
    });
    expect(report).toMatchObject({ takenOver: ['keep'], deleted: ['drop'], left: ['wait'] });
    const { lobbies } = await firstValueFrom(b.state$);
    expect(lobbies).toMatchObject([{ key: 'keep', status: 'open', epoch: 2 }]);
    expect(await codeOf(b.putMember(lobbies[0]?.lobbyId ?? '', ada.id))).toBe('none');
  });

  it.each<readonly [what: string, fate: unknown]>([
    ['a word that is no fate', 'takeover'],
    ['null', null],
  ])('refuses %s in place of a fate, and deletes nothing', async (_, fate) => {
    const crashed = fleet.server('a');
    const { lobby } = await crashed.lobbies.ensure('match 1');
    crashed.backend.close();
    await fleet.clock.advance(leaseMs);
    const b = fleet.server('b').lobbies;
    await expect(b.sweep({ fate: fate as 'leave' })).rejects.toMatchObject({ code: 'invalid_argument' });
    expect((await fleet.lobby(lobby.id))?.id).toBe(lobby.id);
  });

  it.each<readonly [what: string, fate: () => unknown]>([
    ['a promise', async () => 'leave'],
    ['a promise that rejects', () => Promise.reject(new Error('broken'))],
    ['nothing', () => undefined],
  ])('deletes no lobby for which the function returns %s', async (_, fate) => {
    const crashed = fleet.server('a');
    const { lobby } = await crashed.lobbies.ensure('match 1');
    crashed.backend.close();
    await fleet.clock.advance(leaseMs);
    const report = await fleet.server('b').lobbies.sweep({ fate: fate as () => 'leave' });
    expect(report).toMatchObject({ deleted: [], isComplete: false });
    expect(report.failed.get('match 1')).toMatchObject({ code: 'invalid_argument' });
    expect((await fleet.lobby(lobby.id))?.id).toBe(lobby.id);
  });

  it('deletes what an earlier process of the same server left and no longer wants', async () => {
    const before = fleet.server('a');
    const lost = await before.lobbies.ensure('lost');
    const kept = await before.lobbies.ensure('kept');
    before.backend.close();
    const after = fleet.server('a').lobbies;
    await after.ensure('kept');
    expect(await after.sweep()).toMatchObject({ deleted: ['lost'] });
    expect(await fleet.lobby(lost.lobby.id)).toBeUndefined();
    expect((await fleet.lobby(kept.lobby.id))?.id).toBe(kept.lobby.id);
    expect(await fleet.server('b').lobbies.sweep()).toMatchObject({ deleted: [] });
  });

  it('takes up what was handed to its server', async () => {
    const a = fleet.server('a').lobbies;
    const b = fleet.server('b').lobbies;
    await b.ensure('match 2');
    const { lobby } = await a.ensure('match 1');
    await a.handOver(lobby.id, 'b');
    expect(await b.sweep()).toMatchObject({ accepted: ['match 1'], deleted: [] });
    expect(await codeOf(b.putMember(lobby.id, ada.id))).toBe('none');
  });

  it('continues with a deletion that a crash cut off', async () => {
    const real = nodeTransport();
    const transport: typeof real = {
      send: request => (request.method === 'DELETE' ? new Promise<never>(() => {}) : real.send(request)),
      close: () => real.close(),
    };
    const crashing = fleet.server('a', { transport });
    const { lobby } = await crashing.lobbies.ensure('match 1');
    const cutOff = codeOf(crashing.lobbies.delete(lobby.id));
    await fleet.clock.advance(0);
    crashing.backend.close();
    expect(await cutOff).toBe('aborted');
    expect((await fleet.lobby(lobby.id))?.id).toBe(lobby.id);
    expect(await fleet.server('a').lobbies.sweep({ fate: 'leave' })).toMatchObject({ deleted: ['match 1'] });
    expect(await fleet.lobby(lobby.id)).toBeUndefined();
  });

  it('by two servers concurrently deletes each lobby once', async () => {
    const crashed = fleet.server('a');
    const keys = Array.from({ length: 20 }, (_, i) => `match ${i}`);
    for (const key of keys) await crashed.lobbies.ensure(key);
    crashed.backend.close();
    await fleet.clock.advance(leaseMs);
    const sweepers = [fleet.server('b'), fleet.server('c')];
    const reports = await Promise.all(sweepers.map(({ lobbies }) => lobbies.sweep()));
    expect(reports.flatMap(({ deleted }) => deleted).sort()).toEqual(keys.sort());
    expect(sweepers.flatMap(({ sent }) => sent)).toHaveLength(keys.length);
  });

  it('names what failed, keeps it in the directory and deals with the rest', async () => {
    const crashed = fleet.server('a');
    const { lobby } = await crashed.lobbies.ensure('bad');
    await crashed.lobbies.ensure('good');
    crashed.backend.close();
    await fleet.clock.advance(leaseMs);
    const real = nodeTransport();
    let isRefusing = true;
    const transport: typeof real = {
      send: request =>
        isRefusing && request.url.includes(lobby.id)
          ? Promise.resolve({ status: 403, headers: {}, text: '{"code":50001,"message":"no"}' })
          : real.send(request),
      close: () => real.close(),
    };
    const b = fleet.server('b', { transport }).lobbies;
    const report = await b.sweep();
    expect(report).toMatchObject({ deleted: ['good'], isComplete: false });
    expect(report.failed.get('bad')).toMatchObject({ code: 'missing_access' });
    expect(await fleet.directory.get(`${starfall.applications[0].id}/lobbies/bad`)).toContain('"ending"');
    isRefusing = false;
    expect(await b.sweep()).toMatchObject({ deleted: ['bad'], isComplete: true });
  });

  it('that cannot begin says so, in its progress too', async () => {
    const { lobbies } = fleet.server('a');
    fleet.directory.list = () => Promise.reject(new Error('the directory cannot be reached'));
    expect(await codeOf(lobbies.sweep())).toBe('directory_failed');
    expect(await firstValueFrom(lobbies.progress$)).toMatchObject({ run: 1, status: 'incomplete' });
    expect(await codeOf(lobbies.reconcile(new Map()))).toBe('directory_failed');
    expect(await firstValueFrom(lobbies.progress$)).toMatchObject({ run: 2, status: 'incomplete' });
  });
});

describe('what can be observed', () => {
  it('shows the state immediately, then every change, frozen, and completes when closed', async () => {
    const { lobbies } = fleet.server('a');
    const seen: LobbyServerState[] = [];
    let isComplete = false;
    lobbies.state$.subscribe({ next: state => seen.push(state), complete: () => (isComplete = true) });
    expect(seen).toEqual([{ server: 'a', lease: 'none', lobbies: [] }]);
    const { lobby } = await lobbies.ensure('match 1');
    await lobbies.delete(lobby.id);
    const statuses = seen.map(state => `${state.lease} ${state.lobbies.map(({ status }) => status)}`);
    expect(statuses).toEqual(['none ', 'held ', 'held claimed', 'held open', 'held ending', 'held ']);
    expect(seen.every(isDeeplyFrozen)).toBe(true);
    lobbies.close();
    lobbies.close();
    expect(isComplete).toBe(true);
    expect(await codeOf(lobbies.ensure('match 1'))).toBe('closed');
  });

  it('keeps going when a watcher throws', async () => {
    const { lobbies } = fleet.server('a');
    const told = new Promise(resolve => {
      config.onUnhandledError = resolve;
    });
    let heard = 0;
    lobbies.state$.subscribe(() => {
      if (++heard === 2) throw new Error('a watcher of its own');
    });
    await lobbies.ensure('match 1');
    expect(await codeOf(lobbies.ensure('match 1'))).toBe('none');
    expect(await told).toMatchObject({ message: 'a watcher of its own' });
    expect(heard).toBeGreaterThan(2);
    config.onUnhandledError = null;
  });

  it('reports the progress of sweeps and reconciles, and replays the latest to late subscribers', async () => {
    const { lobbies } = fleet.server('a');
    const seen: LobbyProgress[] = [];
    lobbies.progress$.subscribe(progress => seen.push(progress));
    await lobbies.reconcile(
      new Map([
        ['1', {}],
        ['2', { members: [{ id: edsger.id }] }],
      ]),
    );
    expect(seen[0]).toEqual({ operation: 'reconcile', run: 1, status: 'running', total: 2, done: 0, failed: 0 });
    expect(seen.at(-1)).toEqual({ operation: 'reconcile', run: 1, status: 'complete', total: 2, done: 2, failed: 0 });
    expect(await firstValueFrom(lobbies.progress$)).toBe(seen.at(-1));
  });
});

/** A directory that fails every write of one server's record. */
function refuseWritesOf(server: string, write: Fleet['directory']['compareAndSet']): typeof write {
  return async (key, before, after) => {
    if (key.endsWith(`/servers/${server}`)) throw new Error('the directory cannot be reached');
    return write(key, before, after);
  };
}

it('a key whose lobby was not created because the call was aborted is free for another server', async () => {
  fleet = await Fleet.start();
  const giveUp = new AbortController();
  const directory: typeof fleet.directory = {
    ...fleet.directory,
    async compareAndSet(key, before, after) {
      const isDone = await fleet.directory.compareAndSet(key, before, after);
      if (key.includes('/lobbies/')) giveUp.abort();
      return isDone;
    },
  };
  const { lobbies, sent } = fleet.server('a', { lobbyServer: { directory } });
  expect(await codeOf(lobbies.ensure('match', {}, { signal: giveUp.signal }))).toBe('aborted');
  expect(sent).toEqual([]);
  const other = passTime(fleet.clock, fleet.server('b').lobbies.ensure('match'));
  expect(await other).toMatchObject({ isNew: true, isOwner: true, owner: 'b' });
});

it('10,000 operations may wait, and one more is rejected; those whose time is over wait no more', async () => {
  fleet = await Fleet.start();
  const never = new Promise<never>(() => {});
  const directory = { ...fleet.directory, get: () => never, compareAndSet: () => never };
  const { lobbies } = fleet.server('a', { lobbyServer: { directory } });
  const waiting = Array.from({ length: 10_000 }, () => codeOf(lobbies.ensure('match')));
  expect(await codeOf(lobbies.ensure('match'))).toBe('too_many_waiting');
  fleet.clock.advance(deadlineMsDefault);
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['deadline_exceeded']));
  // The first one still holds the queue.
  expect(await codeOf(lobbies.ensure('match', {}, { deadlineMs: 0 }))).toBe('deadline_exceeded');
});
