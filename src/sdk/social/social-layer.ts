import type { Opcode } from '../../model/gateway.ts';
import type { Clock, Logger } from '../../wire/clock/ports.ts';
import { asRecord } from '../../wire/http/codec.ts';
import type { Calls } from '../calls.ts';
import type { LobbyCollection } from '../lobby/lobby-collection.ts';
import type { LobbyNews } from '../lobby/lobby-news.ts';
import type { LobbyStore } from '../lobby/store.ts';
import { DirectMessages } from './direct-messages.ts';
import { Friends } from './friends.ts';
import { Invites } from './invites.ts';
import { People } from './people.ts';
import { PlayerPresence } from './presence.ts';
import { SocialCalls } from './social-calls.ts';
import { Users } from './users.ts';

export interface SocialPorts<LobbyMetadata, MemberMetadata> {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly calls: Calls;
  readonly news: LobbyNews;
  readonly store: LobbyStore;
  readonly lobbies: LobbyCollection<LobbyMetadata, MemberMetadata>;
  /** Sends a frame in the present session. */
  readonly send: (op: Opcode, d: unknown) => void;
  /** The address of the service's pages. */
  readonly web: string;
}

/** The parts of a client that are about other users, and how dispatches reach them. */
export class SocialLayer<LobbyMetadata, MemberMetadata> {
  readonly friends: Friends;
  readonly users: Users;
  readonly presence: PlayerPresence;
  readonly invites: Invites<LobbyMetadata, MemberMetadata>;
  readonly messages: DirectMessages;
  readonly #people: People;

  constructor(ports: SocialPorts<LobbyMetadata, MemberMetadata>) {
    const { calls, news, store, web } = ports;
    this.#people = new People(web, news);
    const social = new SocialCalls(calls, this.#people);
    this.friends = new Friends(social);
    this.users = new Users(this.#people, store);
    this.presence = new PlayerPresence(social, { ...ports, users: this.users });
    this.invites = new Invites(social, { ...ports, presence: this.presence });
    const onInvite = (message: unknown) => this.invites.apply('MESSAGE_CREATE', message);
    this.messages = new DirectMessages(social, { ...ports, onInvite });
    this.#people.onMet = id => this.messages.named(id);
    this.#people.isNeeded = id => this.messages.has(id);
  }

  /** A session began. */
  began(ready: unknown): void {
    const fields = asRecord(ready) ?? {};
    this.#people.began(fields);
    this.presence.began(fields);
    this.messages.began(fields);
  }

  /** Applies a dispatch. @returns whether it is about other users */
  apply(name: string, data: unknown): boolean {
    if (this.#people.apply(name, data)) return true;
    if (name === 'SESSIONS_REPLACE') {
      this.presence.sessionsAre(data);
      return true;
    }
    const isInvite = this.invites.apply(name, data);
    return this.messages.apply(name, data) || isInvite;
  }

  setReady(isReady: boolean): void {
    if (isReady) this.#people.settle();
    this.invites.setReady(isReady);
    this.presence.setReady(isReady);
    this.messages.setReady(isReady);
  }

  /** The player has disconnected. */
  forget(): void {
    this.presence.forget();
    this.invites.forget();
    this.messages.forget();
    this.#people.clear();
  }

  /** Another player is about to be connected. */
  forgetDrafts(): void {
    this.messages.forgetDrafts();
  }

  close(): void {
    this.invites.close();
    this.messages.close();
    this.presence.close();
    this.#people.close();
  }
}
