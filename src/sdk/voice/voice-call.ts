import type { Observable } from 'rxjs';
import type { LobbyId } from '../../model/snowflake.ts';
import { requireType } from '../../wire/arguments.ts';
import type { OperationOptions } from '../call-options.ts';
import type { CallSnapshot, VoiceServerSnapshot, VoiceSettings } from './snapshot.ts';
import type { CallJoinOptions, VoiceCalls } from './voice-calls.ts';

/**
 * The voice call of one lobby. No sound is carried: for that the game connects to the voice server that
 * {@link CallSnapshot.server} names.
 *
 * @see docs/spec/gateway.md#calls; docs/spec/client.md#calls-of-a-player
 */
export class VoiceCall {
  readonly lobbyId: LobbyId;
  /** Who is in the call, whether this client is, and where the voice server is. */
  readonly snapshot$: Observable<CallSnapshot>;
  readonly #calls: VoiceCalls;

  /** @internal */
  constructor(lobbyId: LobbyId, calls: VoiceCalls) {
    this.lobbyId = lobbyId;
    this.#calls = calls;
    this.snapshot$ = calls.call$(lobbyId);
  }

  get snapshot(): CallSnapshot {
    return this.#calls.call(this.lobbyId);
  }

  /**
   * Joins the call, and stays in it through lost connections until {@link leave}, {@link Client.disconnect}, or until the
   * player leaves the lobby or joins the call on another device: {@link snapshot$} shows it. A client can be in 25 calls.
   * In a call that the client is already in, it changes the settings.
   *
   * @param options `selfMute`, `selfDeaf`: default false
   * @throws TransportError `call_ended`: the player left the call or the lobby first; `deadline_exceeded`
   * @throws ArgumentError `too_many_calls`, `invalid_voice_settings`
   */
  join(options: CallJoinOptions = {}): Promise<void> {
    return this.#calls.join(this.lobbyId, options);
  }

  /**
   * Changes the player's settings in the call; those that are left out stay.
   *
   * @throws ArgumentError `not_in_call`, `invalid_voice_settings`, `invalid_argument`; TransportError `call_ended`
   */
  async update(settings: Partial<VoiceSettings>, options: OperationOptions = {}): Promise<void> {
    requireType('settings', settings, 'object');
    return this.#calls.update(this.lobbyId, settings, options);
  }

  /**
   * Leaves the call. Resolves when the service has confirmed it; without a connection immediately, and the service is
   * informed with the next session. Repeatable.
   */
  leave(options: OperationOptions = {}): Promise<void> {
    return this.#calls.leave(this.lobbyId, options);
  }

  /**
   * Requests the voice server again: a token is valid for some minutes only, and the server may have moved.
   *
   * @returns what {@link snapshot} shows from then on
   * @throws ArgumentError `not_in_call`; TransportError `call_ended`
   */
  renew(options: OperationOptions = {}): Promise<VoiceServerSnapshot> {
    return this.#calls.renewServer(this.lobbyId, options);
  }
}
