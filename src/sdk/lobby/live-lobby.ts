import type { LobbyId, UserId } from '../../model/snowflake.ts';
import type { MemberChange } from './event.ts';
import { LiveList } from './live-list.ts';
import { LiveMessages, type MessageListener } from './live-messages.ts';
import { displayNameOf, readMember } from './lobby-reader.ts';
import { share } from './share.ts';
import type {
  LobbyMemberSnapshot,
  LobbyMembers,
  LobbySnapshot,
  LobbyVoiceStates,
  UserSnapshot,
  VoiceStateSnapshot,
} from './snapshot.ts';

/** A lobby without its members and its call. */
type LobbyHead = Omit<LobbySnapshot, 'members' | 'voiceStates'>;

/**
 * One lobby as it changes. An event costs the same however many members there are: the snapshot of a member is made when an event
 * arrives, those of the list and the lobby when they are read, and kept until the next change.
 */
export class LiveLobby {
  readonly id: LobbyId;
  readonly messages: LiveMessages;
  #head: LobbyHead;
  readonly #members: LiveList<LobbyMemberSnapshot>;
  readonly #voiceStates: LiveList<VoiceStateSnapshot>;
  #shown: LobbySnapshot | undefined;

  constructor(lobby: LobbySnapshot, onMessage?: MessageListener) {
    this.messages = new LiveMessages(onMessage);
    const { members, voiceStates, ...head } = lobby;
    this.id = lobby.id;
    this.#head = Object.freeze(head);
    this.#members = new LiveList(members);
    this.#voiceStates = new LiveList(voiceStates);
  }

  /** Frozen; the same object until something changes. */
  get shown(): LobbySnapshot {
    const { members } = this;
    if (this.#shown?.members !== members) {
      this.#shown = Object.freeze({ ...this.#head, members, voiceStates: this.voiceStates });
    }
    return this.#shown;
  }

  get voiceStates(): LobbyVoiceStates {
    return this.#voiceStates.shown;
  }

  get members(): LobbyMembers {
    return this.#members.shown;
  }

  member(id: UserId): LobbyMemberSnapshot | undefined {
    return this.#members.find(id);
  }

  /** Replaces the state of the lobby; its messages stay. */
  replace({ members, voiceStates, ...head }: LobbySnapshot): void {
    const shared = share(this.#head, Object.freeze(head));
    if (shared !== this.#head) this.#shown = undefined;
    this.#head = shared;
    const ids = new Set(members.map(({ id }) => id));
    for (const id of [...this.#members.ids()]) if (!ids.has(id)) this.#members.remove(id);
    for (const member of members) this.#put(member);
    const speaking = new Set(voiceStates.map(({ id }) => id));
    for (const { id } of this.voiceStates) if (!speaking.has(id)) this.changeVoice(id, undefined);
    for (const state of voiceStates) this.changeVoice(state.id, state);
  }

  /** A member is in the call as `state` says, or has left it. */
  changeVoice(id: UserId, state: VoiceStateSnapshot | undefined): void {
    const present = this.#voiceStates.find(id);
    const shared = state && share(present, state);
    if (shared === present) return;
    if (shared) this.#voiceStates.put(shared);
    else this.#voiceStates.remove(id);
    this.#shown = undefined;
  }

  /** A member joined or changed. What the event leaves out stays as it was. */
  changeMember({ memberId, fields, connected }: MemberChange): void {
    const present = this.#members.find(memberId);
    const member = readMember(memberId, fields, connected, present);
    if (member !== present) this.#members.put(member);
  }

  removeMember(id: UserId): void {
    this.#members.remove(id);
  }

  #put(member: LobbyMemberSnapshot): void {
    const present = this.#members.find(member.id);
    // Not every event contains the user.
    const known = present?.user && !member.user ? withUser(member, present.user) : member;
    const shared = share(present, known);
    if (shared !== present) this.#members.put(shared);
  }
}

function withUser(member: LobbyMemberSnapshot, user: UserSnapshot): LobbyMemberSnapshot {
  return Object.freeze({ ...member, user, displayName: displayNameOf(member.id, user, member.additionalName) });
}
