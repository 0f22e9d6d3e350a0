import { ArgumentError } from '../../model/errors/errors.ts';
import { type Opcode, opcodes } from '../../model/gateway.ts';
import { limits } from '../../model/limits/limits.ts';
import type { LobbyVoiceStateInput } from '../../model/lobby.ts';
import { type LobbyId, parseSnowflake } from '../../model/snowflake.ts';
import { parseOptions } from '../../wire/arguments.ts';
import type { Cancel, Clock } from '../../wire/clock/ports.ts';
import { asRecord } from '../../wire/http/codec.ts';
import { type Deadline, requireTimeLeft } from '../../wire/http/deadline.ts';
import type { OperationOptions } from '../call-options.ts';
import type { Calls } from '../calls.ts';
import { clientNotReady } from '../connection/ready-gate.ts';
import { Observable } from '../live/rxjs.ts';
import type { LobbyVoiceStates } from '../lobby/snapshot.ts';
import type { LobbyStore } from '../lobby/store.ts';
import { callEnded, LiveCall } from './live-call.ts';
import type { CallSnapshot, VoiceServerSnapshot, VoiceSettings } from './snapshot.ts';

export interface CallJoinOptions extends OperationOptions, Partial<VoiceSettings> {}

export interface VoicePorts {
  readonly clock: Clock;
  readonly calls: Calls;
  readonly lobbies: LobbyStore;
  /** Sends a frame in the present session; without a session it is dropped. */
  readonly send: (op: Opcode, d: unknown) => void;
}

/**
 * Unspecified: what changes within this time goes in one frame, so that a game that moves a slider stays within the 120
 * frames a minute that a connection may send.
 */
const pauseMs = 600;

/**
 * The calls that this client is to be in, across sessions: it sends the whole list whenever a session begins or resumes,
 * when the list changes, and when the service's state differs from it.
 *
 * @see docs/spec/gateway.md#calls; docs/spec/client.md#functions
 */
export class VoiceCalls {
  readonly #ports: VoicePorts;
  readonly #live = new Map<LobbyId, { readonly call: LiveCall; readonly end: () => void }>();
  #session: { readonly id: unknown; readonly userId: unknown } | undefined;
  #isReady = false;
  /** Runs while nothing is sent because something just was. */
  #pause: Cancel | undefined;
  #isDue = false;
  #isClosed = false;

  constructor(ports: VoicePorts) {
    this.#ports = ports;
  }

  call$(id: LobbyId): Observable<CallSnapshot> {
    return new Observable(subscriber => {
      if (this.#isClosed) return subscriber.complete();
      const call = this.#open(id);
      const end = call.feed.subscribe(subscriber);
      return () => {
        end();
        this.#prune(call);
      };
    });
  }

  call(id: LobbyId): CallSnapshot {
    const call = this.#open(id);
    const { shown } = call;
    this.#prune(call);
    return shown;
  }

  /** @see {@link VoiceCall.join} */
  async join(id: LobbyId, options: CallJoinOptions): Promise<void> {
    const { selfMute = false, selfDeaf = false } = parseOptions(options);
    const lobbyId = parseSnowflake<'lobby'>(id, 'lobbyId');
    const wish = settings({ selfMute, selfDeaf });
    await this.#ports.calls.run('call.join', options, async deadline => {
      const call = this.#open(lobbyId);
      if (!call.wish) this.#requireFreeCall();
      try {
        await this.#wishFor(call, wish, deadline);
      } catch (error) {
        if (call.wish === wish && !call.part) this.#withdraw(call, 'the player did not join it in time');
        throw error;
      }
    });
  }

  /** @see {@link VoiceCall.update} */
  async update(id: LobbyId, change: Partial<VoiceSettings>, options: OperationOptions): Promise<void> {
    const lobbyId = parseSnowflake<'lobby'>(id, 'lobbyId');
    await this.#ports.calls.run('call.update', options, async deadline => {
      const call = this.#live.get(lobbyId)?.call;
      if (!call?.wish) throw notInCall();
      await this.#wishFor(call, settings({ ...call.wish, ...defined(change) }), deadline);
    });
  }

  /** @see {@link VoiceCall.leave} */
  async leave(id: LobbyId, options: OperationOptions): Promise<void> {
    const call = this.#live.get(parseSnowflake<'lobby'>(id, 'lobbyId'))?.call;
    requireTimeLeft(options);
    if (call?.wish) this.#withdraw(call, 'the player left it');
    if (!call || !this.#isReady) return;
    await this.#ports.calls.run('call.leave', options, deadline =>
      call.until(() => call.wish !== undefined || call.isSettled || !this.#isReady, deadline),
    );
  }

  /** @see {@link LobbyCollection.leaveCalls} */
  async leaveAll(options: OperationOptions): Promise<void> {
    requireTimeLeft(options);
    const wished = this.#wished().map(({ lobbyId }) => lobbyId);
    await Promise.all(wished.map(id => this.leave(id, options)));
  }

  /** @see {@link VoiceCall.renew} */
  async renewServer(id: LobbyId, options: OperationOptions): Promise<VoiceServerSnapshot> {
    const lobbyId = parseSnowflake<'lobby'>(id, 'lobbyId');
    return this.#ports.calls.run('call.renew', options, async deadline => {
      const call = this.#live.get(lobbyId)?.call;
      if (!call?.wish) throw notInCall();
      const before = call.server;
      this.#ask(call);
      await call.until(() => call.server !== undefined && call.server !== before, deadline);
      return call.server as VoiceServerSnapshot;
    });
  }

  /** A session began; to be called before its lobbies are known. */
  began(ready: unknown): void {
    const { session_id, user } = asRecord(ready) ?? {};
    this.#session = { id: session_id, userId: asRecord(user)?.id };
    for (const { call } of this.#live.values()) call.forgetSession();
  }

  /** The client is, or is not, connected in a session. */
  setReady(isReady: boolean): void {
    if (isReady === this.#isReady) return;
    this.#isReady = isReady;
    const concerned = this.#concerned();
    if (isReady && concerned.length > 0) {
      this.#endPause();
      this.#send();
    }
    for (const call of concerned) {
      call.isAsking = false;
      if (isReady && call.wish && call.part && !call.server) this.#ask(call);
      call.notify();
    }
  }

  /** A LOBBY_VOICE_SERVER_UPDATE. */
  takeServer(data: unknown): void {
    const { lobby_id, token, endpoint } = asRecord(data) ?? {};
    const call = typeof lobby_id === 'string' ? this.#live.get(lobby_id)?.call : undefined;
    if (!call?.wish || typeof token !== 'string') return;
    call.isAsking = false;
    call.server = Object.freeze({ token, endpoint: typeof endpoint === 'string' ? endpoint : null });
    call.notify();
  }

  /** The player has disconnected: there is no session, nor will there be one by itself. */
  forget(): void {
    this.#endPause();
    this.#session = undefined;
    for (const { call } of [...this.#live.values()]) {
      call.forgetSession();
      call.giveUp(clientNotReady('and was disconnected'));
      call.notify();
      this.#prune(call);
    }
  }

  /** Ends every stream. */
  close(): void {
    this.#isClosed = true;
    this.forget();
    for (const { call, end } of [...this.#live.values()]) {
      call.feed.complete();
      end();
    }
    this.#live.clear();
  }

  #open(lobbyId: LobbyId): LiveCall {
    const live = this.#live.get(lobbyId);
    if (live) return live.call;
    const call = new LiveCall(lobbyId, () => this.#isReady);
    const watch = this.#ports.lobbies.voiceStates$(lobbyId).subscribe(states => this.#statesChanged(call, states));
    this.#live.set(lobbyId, { call, end: () => watch.unsubscribe() });
    return call;
  }

  /** Drops a call without subscribers, unless its lobby is known: then it may be read again. */
  #prune(call: LiveCall): void {
    if (!call.isIdle || call.participants) return;
    this.#live.get(call.lobbyId)?.end();
    this.#live.delete(call.lobbyId);
  }

  #statesChanged(call: LiveCall, participants: LobbyVoiceStates | undefined): void {
    const { part: before, participants: known } = call;
    const own = participants?.find(({ id }) => id === this.#session?.userId);
    const part = own?.sessionId === this.#session?.id ? own : undefined;
    call.take(participants, part);
    if (known && !participants) call.giveUp(callEnded('the lobby ended, or the player is no longer in it'));
    else if (before && own && !part && call.wish) call.giveUp(callEnded('the player joined it on another device'));
    // What was sent about a lobby before the player was a member had no effect.
    const isNew = !known && participants !== undefined;
    if ((isNew || part !== before) && !call.isSettled) this.#send();
    call.notify();
    this.#prune(call);
  }

  async #wishFor(call: LiveCall, wish: VoiceSettings, deadline: Deadline): Promise<void> {
    call.wish = wish;
    if (!call.isSettled) this.#send();
    call.notify();
    await call.until(() => call.wish !== undefined && call.isSettled, deadline);
  }

  #withdraw(call: LiveCall, reason: string): void {
    call.giveUp(callEnded(reason));
    this.#send();
    call.notify();
    this.#prune(call);
  }

  /** Sends the list of calls; after a pause, if it was just sent. */
  #send(): void {
    if (!this.#isReady) return; // it is sent when a session is ready
    if (this.#pause) {
      this.#isDue = true;
      return;
    }
    for (const call of this.#concerned()) if (call.part && !call.wish) call.isLeaving = true;
    this.#ports.send(opcodes.LOBBY_VOICE_STATES, this.#wished().map(stateOf));
    this.#pause = this.#ports.clock.schedule(pauseMs, () => {
      const isDue = this.#isDue;
      this.#endPause();
      if (isDue) this.#send();
    });
  }

  #endPause(): void {
    this.#pause?.();
    this.#pause = undefined;
    this.#isDue = false;
  }

  #ask(call: LiveCall): void {
    if (call.isAsking || !this.#isReady) return;
    call.isAsking = true;
    this.#ports.send(opcodes.LOBBY_VOICE_SERVER_PING, { lobby_id: call.lobbyId });
  }

  #wished(): LiveCall[] {
    return this.#concerned().filter(({ wish }) => wish);
  }

  #concerned(): LiveCall[] {
    return [...this.#live.values()].map(({ call }) => call).filter(call => call.concernsClient);
  }

  #requireFreeCall(): void {
    const max = limits.lobbyCallsPerSessionMax;
    if (this.#wished().length < max) return;
    throw new ArgumentError('too_many_calls', `A client can be in ${max} calls at a time. Leave one first.`);
  }
}

function settings({ selfMute, selfDeaf }: VoiceSettings): VoiceSettings {
  if (typeof selfMute !== 'boolean' || typeof selfDeaf !== 'boolean') {
    throw new ArgumentError('invalid_voice_settings', 'selfMute and selfDeaf must be true or false.');
  }
  return Object.freeze({ selfMute, selfDeaf });
}

/** Without what is undefined. */
function defined({ selfMute, selfDeaf }: Partial<VoiceSettings>): Partial<VoiceSettings> {
  return { ...(selfMute !== undefined && { selfMute }), ...(selfDeaf !== undefined && { selfDeaf }) };
}

function stateOf({ lobbyId, wish }: LiveCall): LobbyVoiceStateInput {
  return { lobby_id: lobbyId, self_mute: wish?.selfMute === true, self_deaf: wish?.selfDeaf === true };
}

function notInCall(): ArgumentError {
  return new ArgumentError('not_in_call', 'The client is not in this call; join it first.');
}
