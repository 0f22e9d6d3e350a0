import { beforeEach, describe, expect, it } from 'vitest';
import { type Opcode, opcodes } from '../../../src/model/gateway.ts';
import { limits } from '../../../src/model/limits/limits.ts';
import type { LobbyVoiceStateInput } from '../../../src/model/lobby.ts';
import { TokenRenewal } from '../../../src/sdk/auth/token-renewal.ts';
import type { OperationOptions } from '../../../src/sdk/call-options.ts';
import { Calls } from '../../../src/sdk/calls.ts';
import { Waits } from '../../../src/sdk/connection/waits.ts';
import { LobbyStore } from '../../../src/sdk/lobby/store.ts';
import type { CallSnapshot } from '../../../src/sdk/voice/snapshot.ts';
import { VoiceCalls } from '../../../src/sdk/voice/voice-calls.ts';
import { silentLogger } from '../../../src/wire/clock/ports.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import { Http } from '../../../src/wire/http/http.ts';
import { isDeeplyFrozen } from '../../support/runs/frozen.ts';

/** The client's calls, and the service as the test speaks for it. */
class Rig {
  readonly clock = new VirtualClock(1_000_000);
  readonly lobbies = new LobbyStore(silentLogger);
  readonly calls: Calls;
  readonly voice: VoiceCalls;
  readonly sent: { op: Opcode; d: unknown }[] = [];

  constructor() {
    const { clock, lobbies } = this;
    const transport = { send: () => Promise.reject(new Error('no HTTP here')), close: () => {} };
    const http = new Http({ baseUrl: 'http://127.0.0.1:1', transport, clock });
    const waits = new Waits(clock, silentLogger);
    const caller = () => ({ token: 't', playerId: undefined });
    this.calls = new Calls({
      http,
      clock,
      waits,
      token: () => 't',
      caller,
      renewal: new TokenRenewal(clock),
      deadlineMs: 15_000,
      whenOffline: 'fail',
    });
    this.voice = new VoiceCalls({ clock, calls: this.calls, lobbies, send: (op, d) => this.sent.push({ op, d }) });
  }

  /** A new session, with these lobbies, in which this is said of who is in a call. */
  ready(session_id: string, ids: readonly string[] = ['1', '2'], states: readonly object[] = []): void {
    const of = (id: string) => states.filter(state => (state as { lobby_id?: string }).lobby_id === id);
    const lobbies = ids.map(id => ({ id, application_id: '1', members: [], voice_states: of(id) }));
    const data = { session_id, user: { id: '9' }, lobbies };
    this.voice.began(data);
    this.lobbies.apply('READY', data);
    this.online(true);
  }

  online(isReady: boolean): void {
    this.calls.setReady(isReady);
    this.voice.setReady(isReady);
  }

  says(state: object): void {
    this.lobbies.apply('LOBBY_VOICE_STATE_UPDATE', state);
  }

  server(token: string, endpoint?: string | null, lobby_id = '1'): void {
    this.voice.takeServer({ lobby_id, token, ...(endpoint !== undefined && { endpoint }) });
  }

  /** The lists of calls that were sent, each as `lobby` or `lobby muted`. */
  get lists(): string[][] {
    return this.sent
      .filter(({ op }) => op === opcodes.LOBBY_VOICE_STATES)
      .map(({ d }) =>
        (d as readonly LobbyVoiceStateInput[]).map(
          ({ lobby_id, self_mute, self_deaf }) => lobby_id + (self_mute ? ' muted' : '') + (self_deaf ? ' deaf' : ''),
        ),
      );
  }

  get pings(): unknown[] {
    return this.sent.filter(({ op }) => op === opcodes.LOBBY_VOICE_SERVER_PING).map(({ d }) => d);
  }

  join(lobbyId = '1', options: object = {}) {
    return watched(this.voice.join(lobbyId, options));
  }
}

/** A promise whose outcome can be looked at. */
function watched<Value>(promise: Promise<Value>) {
  const seen: { outcome: string; promise: Promise<Value> } = { outcome: 'pending', promise };
  promise.then(
    () => {
      seen.outcome = 'done';
    },
    (error: { code?: string }) => {
      seen.outcome = error.code ?? 'failed';
    },
  );
  return seen;
}

const part = { lobby_id: '1', channel_id: '1', user_id: '9', session_id: 's', self_mute: false, self_deaf: false };
const gone = { ...part, channel_id: null };
const turns = async () => {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
};
const pause = (rig: Rig) => rig.clock.advance(600);

let rig: Rig;
beforeEach(() => {
  rig = new Rig();
});

describe('joining a call', () => {
  it('is sent to the service, and resolves when the service confirms it', async () => {
    rig.ready('s');
    const shown: CallSnapshot[] = [];
    rig.voice.call$('1').subscribe(call => shown.push(call));
    const joined = rig.join('1', { selfMute: true });
    await turns();
    expect(rig.lists).toEqual([['1 muted']]);
    expect(joined.outcome).toBe('pending');
    rig.says({ ...part, self_mute: true });
    await turns();
    expect(joined.outcome).toBe('done');
    rig.server('token', 'voice.example');
    expect(shown.map(({ status, own, server, participants }) => [status, own, server, participants.length])).toEqual([
      ['disconnected', undefined, undefined, 0],
      ['joining', { selfMute: true, selfDeaf: false }, undefined, 0],
      ['signaling_connected', { selfMute: true, selfDeaf: false }, undefined, 1],
      ['signaling_connected', { selfMute: true, selfDeaf: false }, { token: 'token', endpoint: 'voice.example' }, 1],
    ]);
    expect(shown.every(isDeeplyFrozen)).toBe(true);
    expect(rig.voice.call('1')).toBe(shown.at(-1));
  });

  it.each([undefined, null])('has an endpoint that is not there yet (%s) as null', async endpoint => {
    rig.ready('s');
    rig.join();
    await turns();
    rig.says(part);
    rig.server('token', endpoint);
    expect(rig.voice.call('1').server).toEqual({ token: 'token', endpoint: null });
  });

  it('of a lobby that is not known yet waits for it, and gives up at its deadline', async () => {
    rig.ready('s', []);
    const joined = rig.join('7', { deadlineMs: 5_000 });
    await turns();
    await rig.clock.advance(4_999);
    expect(joined.outcome).toBe('pending');
    expect(rig.voice.call('7').status).toBe('joining');
    await rig.clock.advance(1);
    await turns();
    expect(joined.outcome).toBe('deadline_exceeded');
    expect(rig.voice.call('7')).toMatchObject({ status: 'disconnected', own: undefined });
    await pause(rig);
    expect(rig.lists).toEqual([['7'], []]);
    rig.lobbies.apply('LOBBY_CREATE', { id: '7', application_id: '1', members: [] });
    const again = rig.join('7');
    await turns();
    rig.says({ ...part, lobby_id: '7' });
    await turns();
    expect(again.outcome).toBe('done');
  });

  it('of a lobby in which the player is no member yet is said again when the player is', async () => {
    rig.ready('s', []);
    const joined = rig.join('7');
    await turns();
    await pause(rig);
    rig.lobbies.apply('LOBBY_CREATE', { id: '7', application_id: '1', members: [] });
    expect(rig.lists).toEqual([['7'], ['7']]);
    rig.says({ ...part, lobby_id: '7' });
    await turns();
    expect(joined.outcome).toBe('done');
    await pause(rig);
    expect(rig.lists).toHaveLength(2);
  });

  it('fails while the client is not ready, or waits for that', async () => {
    const failed = rig.join();
    const waiting = rig.join('1', { whenOffline: 'queue' } satisfies OperationOptions);
    await turns();
    expect([failed.outcome, waiting.outcome]).toEqual(['client_not_ready', 'pending']);
    rig.ready('s');
    await turns();
    expect(rig.lists).toEqual([['1']]);
    rig.says(part);
    await turns();
    expect(waiting.outcome).toBe('done');
  });

  it('can be aborted, which is sent to the service', async () => {
    rig.ready('s');
    const controller = new AbortController();
    const joined = rig.join('1', { signal: controller.signal });
    await turns();
    controller.abort();
    await turns();
    expect(joined.outcome).toBe('aborted');
    await pause(rig);
    expect(rig.lists).toEqual([['1'], []]);
  });

  it('is rejected with invalid settings or ids, and beyond the number of calls', async () => {
    const ids = Array.from({ length: limits.lobbyCallsPerSessionMax + 1 }, (_, n) => String(n + 1));
    rig.ready('s', ids);
    await expect(rig.voice.join('x', {})).rejects.toMatchObject({ code: 'invalid_snowflake' });
    await expect(rig.voice.join('1', { selfMute: 'yes' as never })).rejects.toMatchObject({
      code: 'invalid_voice_settings',
    });
    const joined = ids.map(id => rig.join(id));
    await turns();
    expect(joined.map(({ outcome }) => outcome).filter(outcome => outcome !== 'pending')).toEqual(['too_many_calls']);
    await pause(rig);
    expect(rig.lists.at(-1)).toHaveLength(limits.lobbyCallsPerSessionMax);
    const again = rig.join(ids[0], { selfMute: true });
    await turns();
    expect(again.outcome).toBe('pending');
  });
});

describe('changing and leaving', () => {
  beforeEach(async () => {
    rig.ready('s');
    rig.join();
    await turns();
    rig.says(part);
    rig.server('token');
    await pause(rig);
  });

  it('changes what is named, and is done when the service says so', async () => {
    const muted = watched(rig.voice.update('1', { selfMute: true }, {}));
    await turns();
    expect([rig.lists.at(-1), muted.outcome]).toEqual([['1 muted'], 'pending']);
    rig.says({ ...part, self_mute: true });
    await turns();
    expect(muted.outcome).toBe('done');
    await pause(rig);
    const deaf = watched(rig.voice.update('1', { selfDeaf: true, selfMute: undefined as never }, {}));
    await turns();
    expect([rig.lists.at(-1), deaf.outcome]).toEqual([['1 muted deaf'], 'pending']);
  });

  it('sends nothing for what is already so, and rejects changes of calls that the client is not in', async () => {
    await rig.voice.update('1', { selfMute: false }, {});
    await rig.voice.join('1', {});
    await rig.voice.leave('2', {});
    expect(rig.lists).toHaveLength(1);
    await expect(rig.voice.update('2', {}, {})).rejects.toMatchObject({ code: 'not_in_call' });
    await expect(rig.voice.renewServer('2', {})).rejects.toMatchObject({ code: 'not_in_call' });
  });

  it('says many changes in few frames, the last of them as it is in the end', async () => {
    for (let n = 0; n < 101; n++) void rig.voice.update('1', { selfMute: n % 2 === 0 }, {}).catch(() => {});
    await turns();
    await pause(rig);
    expect(rig.lists.slice(1)).toEqual([['1 muted'], ['1 muted']]);
    await rig.clock.advance(60_000);
    expect(rig.lists).toHaveLength(3);
  });

  it('leaves: done when the service says so, disconnecting until then', async () => {
    const left = watched(rig.voice.leave('1', {}));
    await turns();
    expect(rig.lists.at(-1)).toEqual([]);
    expect(rig.voice.call('1')).toMatchObject({ status: 'disconnecting', own: undefined, server: undefined });
    expect(left.outcome).toBe('pending');
    rig.says(gone);
    await turns();
    expect(left.outcome).toBe('done');
    expect(rig.voice.call('1')).toMatchObject({ status: 'disconnected', participants: [] });
  });

  it('joins again right after leaving: the service receives both, and the second answer completes the join', async () => {
    void rig.voice.leave('1', {});
    await turns();
    const joined = rig.join();
    await turns();
    expect(rig.voice.call('1').status).toBe('joining');
    await pause(rig);
    expect(rig.lists.slice(1)).toEqual([[], ['1']]);
    expect(joined.outcome).toBe('pending');
    rig.says(gone);
    await turns();
    expect(joined.outcome).toBe('pending');
    rig.says(part);
    await turns();
    expect(joined.outcome).toBe('done');
    expect(rig.voice.call('1').status).toBe('signaling_connected');
  });

  it('that leaves and comes back before anything is sent has never left', async () => {
    rig.join('2');
    await turns();
    void rig.voice.leave('1', {});
    const joined = rig.join();
    await turns();
    expect(joined.outcome).toBe('done');
    await pause(rig);
    expect(rig.lists.slice(1)).toEqual([
      ['1', '2'],
      ['1', '2'],
    ]);
  });

  it('leaves immediately without a connection, and informs the service when there is one', async () => {
    rig.online(false);
    await rig.voice.leave('1', {});
    expect(rig.lists).toHaveLength(1);
    rig.online(true);
    expect(rig.lists.slice(1)).toEqual([[]]);
    rig.says(gone);
    expect(rig.voice.call('1').status).toBe('disconnected');
  });

  it('leaves all of them together', async () => {
    rig.join('2');
    await turns();
    rig.says({ ...part, lobby_id: '2' });
    await pause(rig);
    const left = watched(rig.voice.leaveAll({}));
    rig.says(gone);
    rig.says({ ...gone, lobby_id: '2' });
    await turns();
    await pause(rig);
    expect(left.outcome).toBe('done');
    expect(rig.lists.at(-1)).toEqual([]);
  });

  it.each([
    ['aborted', { signal: AbortSignal.abort() }],
    ['deadline_exceeded', { deadlineMs: 0 }],
  ] as const)('changes and sends nothing when it is too late before it begins: %s', async (code, options) => {
    const { voice } = rig;
    const changes = [
      voice.join('2', options),
      voice.update('1', { selfMute: true }, options),
      voice.leave('1', options),
      voice.leave('2', options),
      voice.leaveAll(options),
    ];
    for (const change of changes) await expect(change).rejects.toMatchObject({ name: 'TransportError', code });
    rig.online(false);
    await expect(voice.leave('1', options)).rejects.toMatchObject({ code });
    rig.online(true);
    await pause(rig);
    expect(rig.lists).toEqual([['1'], ['1']]);
    expect(voice.call('1').own).toEqual({ selfMute: false, selfDeaf: false });
    expect(voice.call('2').own).toBeUndefined();
  });

  it('rejects those who wait for a call that is left', async () => {
    const changed = watched(rig.voice.update('1', { selfMute: true }, {}));
    const renewed = watched(rig.voice.renewServer('1', {}));
    await turns();
    void rig.voice.leave('1', {});
    await turns();
    expect([changed.outcome, renewed.outcome]).toEqual(['call_ended', 'call_ended']);
  });

  it('asks for another token once, however many ask', async () => {
    const renewed = [rig.voice.renewServer('1', {}), rig.voice.renewServer('1', {})];
    await turns();
    expect(rig.pings).toEqual([{ lobby_id: '1' }]);
    rig.server('another', 'voice.example');
    expect(await Promise.all(renewed)).toEqual(Array(2).fill({ token: 'another', endpoint: 'voice.example' }));
    void rig.voice.renewServer('1', {}).catch(() => {});
    await turns();
    expect(rig.pings).toHaveLength(2);
  });

  it.each([null, {}, { lobby_id: '1' }, { lobby_id: 1, token: 't' }, { lobby_id: '2', token: 't' }])(
    'passes over a voice server that makes no sense: %j',
    data => {
      rig.voice.takeServer(data);
      expect(rig.voice.call('1').server?.token).toBe('token');
      expect(rig.voice.call('2').server).toBeUndefined();
    },
  );
});

describe('what ends a call', () => {
  beforeEach(async () => {
    rig.ready('s');
    rig.join();
    rig.join('2');
    await turns();
    for (const lobby_id of ['1', '2']) rig.says({ ...part, lobby_id });
    rig.server('token');
    await rig.clock.advance(2_000);
    rig.sent.length = 0;
  });

  it('another session of the player that takes it over: this one does not take it back', async () => {
    const changed = watched(rig.voice.update('1', { selfMute: true }, {}));
    await turns();
    rig.says({ ...part, session_id: 'other' });
    await turns();
    expect(changed.outcome).toBe('call_ended');
    expect(rig.voice.call('1')).toMatchObject({
      ...{ status: 'disconnected', own: undefined, server: undefined },
      participants: [{ id: '9', sessionId: 'other' }],
    });
    rig.says({ ...part, session_id: 'other', self_mute: true });
    await pause(rig);
    expect(rig.lists).toEqual([['1 muted', '2']]);
    void rig.voice.update('2', { selfDeaf: true }, {});
    await turns();
    expect(rig.lists.at(-1)).toEqual(['2 deaf']);
  });

  it('the end of the lobby', async () => {
    const changed = watched(rig.voice.update('1', { selfMute: true }, {}));
    await turns();
    rig.lobbies.apply('LOBBY_DELETE', { id: '1' });
    await turns();
    expect(changed.outcome).toBe('call_ended');
    expect(rig.voice.call('1')).toMatchObject({ status: 'disconnected', own: undefined, participants: [] });
  });

  it('the end of the connection that the game wished for', async () => {
    const joining = rig.join('3');
    await turns();
    rig.online(false);
    rig.voice.forget();
    rig.lobbies.clear();
    await turns();
    expect(joining.outcome).toBe('client_not_ready');
    expect(rig.voice.call('1')).toMatchObject({ status: 'disconnected', own: undefined });
    rig.sent.length = 0;
    rig.ready('t');
    expect(rig.sent).toEqual([]);
  });

  it('the end of the client, which ends the streams', async () => {
    let isComplete = false;
    rig.voice.call$('1').subscribe({ complete: () => (isComplete = true) });
    rig.voice.close();
    expect(isComplete).toBe(true);
    const late: string[] = [];
    const toldLate = { next: () => late.push('value'), complete: () => late.push('complete') };
    rig.voice.call$('1').subscribe(toldLate);
    expect(late).toEqual(['complete']);
    expect(rig.lobbies.observedCount).toBe(0);
  });
});

describe('when the connection is lost', () => {
  beforeEach(async () => {
    rig.ready('s');
    rig.join('1', { selfMute: true });
    await turns();
    rig.says({ ...part, self_mute: true });
    rig.server('token');
    await pause(rig);
    rig.sent.length = 0;
    rig.online(false);
  });

  it('the call is shown as reconnecting, with the last known participants', () => {
    expect(rig.voice.call('1')).toMatchObject({
      status: 'reconnecting',
      own: { selfMute: true },
      participants: [{ id: '9' }],
    });
  });

  it('and the session continues, all is as before', () => {
    rig.online(true);
    expect(rig.lists).toEqual([['1 muted']]);
    expect(rig.pings).toEqual([]);
    expect(rig.voice.call('1')).toMatchObject({ status: 'signaling_connected', server: { token: 'token' } });
  });

  it('and a new session begins, it comes in again by itself', async () => {
    rig.ready('t', ['1', '2'], [{ ...part, self_mute: true }]);
    expect(rig.voice.call('1')).toMatchObject({ status: 'reconnecting', server: undefined });
    expect(rig.lists).toEqual([['1 muted']]);
    rig.says({ ...part, session_id: 't', self_mute: true });
    rig.server('new');
    expect(rig.voice.call('1')).toMatchObject({ status: 'signaling_connected', server: { token: 'new' } });
    // The end of the former session comes too late to matter.
    expect(rig.lists).toHaveLength(1);
  });

  it('and a new session begins without the lobby, the call is over', async () => {
    rig.ready('t', ['2']);
    expect(rig.voice.call('1')).toMatchObject({ status: 'disconnected', own: undefined });
    expect(rig.lists).toEqual([]);
  });

  it('a change that was made when the frame was lost is said again', async () => {
    rig.online(true);
    void rig.voice.update('1', { selfMute: false }, {});
    await turns();
    rig.online(false);
    rig.online(true);
    expect(rig.lists.at(-1)).toEqual(['1']);
  });

  it('before the voice server was named, it is asked for', async () => {
    rig.online(true);
    rig.join('2');
    await pause(rig);
    rig.says({ ...part, lobby_id: '2' });
    rig.online(false);
    rig.online(true);
    expect(rig.pings).toEqual([{ lobby_id: '2' }]);
  });

  it('a service whose state differs from what it was sent gets it once more', async () => {
    rig.online(true);
    rig.says(gone);
    await pause(rig);
    expect(rig.lists).toEqual([['1 muted'], ['1 muted']]);
    rig.says({ ...part, user_id: '10' });
    await pause(rig);
    expect(rig.lists).toHaveLength(2);
  });
});

it('keeps nothing of calls without subscribers, of lobbies that are gone', async () => {
  rig.ready('s', []);
  for (const id of ['5', '6']) {
    rig.voice.call(id);
    rig.voice.call$(id).subscribe().unsubscribe();
  }
  expect(rig.lobbies.observedCount).toBe(0);
  rig.lobbies.apply('LOBBY_CREATE', { id: '5', application_id: '1', members: [] });
  expect(rig.voice.call('5')).toBe(rig.voice.call('5'));
  rig.lobbies.apply('LOBBY_DELETE', { id: '5' });
  expect(rig.lobbies.observedCount).toBe(0);
});
