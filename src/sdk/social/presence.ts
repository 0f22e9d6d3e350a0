import { ArgumentError } from '../../model/errors/errors.ts';
import type { Issue } from '../../model/errors/issue.ts';
import { gatewayPayloadBytesMax, type Opcode, opcodes } from '../../model/gateway.ts';
import { checkActivity } from '../../model/rules/social/activity.ts';
import type { UserId } from '../../model/snowflake.ts';
import { rejectIssues } from '../../wire/http/check.ts';
import { asRecord } from '../../wire/http/codec.ts';
import type { OperationOptions } from '../call-options.ts';
import { LiveValue } from '../live/live-value.ts';
import type { Observable } from '../live/rxjs.ts';
import type { Fields } from '../lobby/fields.ts';
import { readText } from '../lobby/lobby-reader.ts';
import { share } from '../lobby/share.ts';
import { frozen, inSnakeCase, readActivities, readStatus, recordsIn } from './reader.ts';
import type {
  OnlineStatus,
  OwnPresenceSnapshot,
  OwnSessionSnapshot,
  PresenceSnapshot,
  RichPresence,
  SocialUserSnapshot,
} from './snapshot.ts';
import type { SocialCalls } from './social-calls.ts';
import { presenceIn, presenceOf } from './views.ts';

export interface PresencePorts {
  /** Sends a frame in the present session. */
  readonly send: (op: Opcode, d: unknown) => void;
  readonly users: {
    user(id: UserId): SocialUserSnapshot | undefined;
    user$(id: UserId): Observable<SocialUserSnapshot | undefined>;
  };
}

const privacies = { private: 0, public: 1 } as const;
const statuses: readonly OnlineStatus[] = ['online', 'idle', 'dnd', 'invisible'];

/**
 * What the player shows of themselves, and what others show.
 *
 * @see docs/spec/social.md#presence
 * @example
 * await client.presence.set({
 *   state: 'In a group',
 *   details: 'The harbour',
 *   party: { id: 'party-1', size: [1, 4] },
 *   joinSecret: 'the harbour',
 * });
 */
export class PlayerPresence {
  /** What this client says of the player, and all of the player's sessions. */
  readonly own$: Observable<OwnPresenceSnapshot>;
  readonly #ports: PresencePorts;
  readonly #social: SocialCalls;
  readonly #own = new LiveValue<OwnPresenceSnapshot>(
    Object.freeze({ status: 'online', activity: undefined, sessions: Object.freeze([]) }),
  );
  #sessionId: string | undefined;
  /** The present session has yet to be told. */
  #isDue = false;
  #hasSent = false;
  #isReady = false;

  /** @internal */
  constructor(social: SocialCalls, ports: PresencePorts) {
    this.#social = social;
    this.#ports = ports;
    this.own$ = this.#own.value$;
  }

  get own(): OwnPresenceSnapshot {
    return this.#own.value;
  }

  /** This client's session; undefined until it has connected. */
  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /** A user's presence, as far as the player may see it; `offline` for users whom the client does not know. */
  presence(userId: UserId): PresenceSnapshot {
    return presenceOf(this.#ports.users.user(userId));
  }

  presence$(userId: UserId): Observable<PresenceSnapshot> {
    return presenceIn(this.#ports.users.user$(userId));
  }

  /**
   * Shows others what the player does, in place of what was shown before. It is shown again after a lost connection, until
   * {@link clear} or {@link Client.disconnect}. The service confirms nothing, and takes five changes in 20 seconds; of more
   * it shows the newest when the time is over.
   *
   * @throws ValidationError what the service would reject; ArgumentError `missing_scope`; TransportError `client_not_ready`
   */
  async set(activity: RichPresence, options: OperationOptions = {}): Promise<void> {
    const wire = asRecord(activity) && this.#wireOf(activity);
    rejectIssues('The activity', [...checkActivity(wire), ...checkFrame(wire)]);
    await this.#change('presence.set', { activity: frozen(structuredClone(activity)) }, options);
  }

  /** Shows no activity any more. @throws as {@link set} */
  clear(options: OperationOptions = {}): Promise<void> {
    return this.#change('presence.clear', { activity: undefined }, options);
  }

  /** Sets the player's status in this session. @throws as {@link set}; ArgumentError `invalid_status` */
  async setStatus(status: OnlineStatus, options: OperationOptions = {}): Promise<void> {
    if (!statuses.includes(status)) {
      throw new ArgumentError('invalid_status', `status must be one of ${statuses.join(', ')} (got "${status}").`);
    }
    await this.#change('presence.setStatus', { status }, options);
  }

  /** @internal A session began. */
  began(ready: Fields): void {
    this.#sessionId = readText(ready.session_id);
    const { activity, status } = this.own;
    this.#hasSent = false;
    this.#isDue = activity !== undefined || status !== 'online';
    this.sessionsAre(ready.sessions);
  }

  /** @internal */
  setReady(isReady: boolean): void {
    this.#isReady = isReady;
    // What was sent last may have been lost with the connection, also when the session is resumed.
    if (!isReady) this.#isDue ||= this.#hasSent;
    else if (this.#isDue) this.#send();
  }

  /** @internal These are the player's own sessions. */
  sessionsAre(value: unknown): void {
    const listed = recordsIn(value);
    const all = listed.find(({ session_id }) => session_id === 'all') ?? listed[0];
    if (all) this.#social.people.setOwnPresence(all);
    const sessions = listed.filter(({ session_id }) => session_id !== 'all').map(one => this.#readSession(one));
    this.#publish({ sessions });
  }

  /** @internal The player has disconnected. */
  forget(): void {
    this.#sessionId = undefined;
    this.#publish({ status: 'online', activity: undefined, sessions: [] });
  }

  /** @internal */
  close(): void {
    this.#own.complete();
  }

  async #change(name: string, change: Partial<OwnPresenceSnapshot>, options: OperationOptions): Promise<void> {
    this.#social.require('activities.write', 'presences.write');
    await this.#social.calls.run(name, options, async () => {
      this.#publish(change);
      this.#send();
    });
  }

  #publish(change: Partial<OwnPresenceSnapshot>): void {
    const next = share(this.own, frozen({ ...this.own, ...change }));
    if (next !== this.own) this.#own.set(next);
  }

  #send(): void {
    this.#isDue = !this.#isReady;
    if (!this.#isReady) return;
    this.#hasSent = true;
    const { status, activity } = this.own;
    this.#ports.send(opcodes.PRESENCE_UPDATE, frameOf(status, activity && this.#wireOf(activity)));
  }

  #wireOf({ joinSecret, party, timestamps, ...rest }: RichPresence): Fields | undefined {
    const wire = inSnakeCase({
      type: 0,
      ...rest,
      applicationId: this.#social.people.applicationId,
      ...(party && { party: { ...party, privacy: party.privacy && (privacies[party.privacy] ?? party.privacy) } }),
      ...(timestamps && { timestamps: { start: inMs(timestamps.start), end: inMs(timestamps.end) } }),
      ...(joinSecret !== undefined && { secrets: { join: joinSecret } }),
    });
    return asRecord(wire);
  }

  #readSession(fields: Fields): OwnSessionSnapshot {
    const { session_id, client_info, status, activities } = fields;
    const id = readText(session_id) ?? '';
    return {
      id,
      client: readText(asRecord(client_info)?.client) ?? '',
      status: status === 'invisible' ? status : onlineOf(readStatus(status)),
      activities: readActivities(activities),
      isOwn: id === this.#sessionId,
    };
  }
}

function frameOf(status: OnlineStatus, activity: Fields | undefined) {
  return { since: null, activities: activity ? [activity] : [], status, afk: false };
}

/** The texts may be within their bounds, and the frame that carries them still too large: the service closes the connection then. */
function checkFrame(activity: Fields | undefined): readonly Issue[] {
  // With the longest id and the longest status, whichever they are when it is sent.
  const d = frameOf('invisible', { ...activity, application_id: '9'.repeat(19) });
  const { length } = new TextEncoder().encode(JSON.stringify({ op: opcodes.PRESENCE_UPDATE, d }));
  if (length <= gatewayPayloadBytesMax) return [];
  const message = `Takes ${length} bytes of JSON with what is sent around it; a frame has at most ${gatewayPayloadBytesMax}.`;
  return [{ path: [], code: 'BASE_TYPE_MAX_LENGTH', message }];
}

function onlineOf(status: PresenceSnapshot['status']): OnlineStatus {
  return status === 'offline' ? 'invisible' : status;
}

/** Milliseconds, of what looks like seconds, too. */
function inMs(time: number | undefined): number | undefined {
  return time !== undefined && time > 0 && time < secondsMax ? Math.floor(time * 1000) : time;
}

// As milliseconds it would be in 1973, as seconds in the year 5138.
const secondsMax = 1e11;
