import type { LobbyId, UserId } from '../../model/snowflake.ts';
import { LiveList } from './live-list.ts';
import { LiveMessages } from './live-messages.ts';
import { share } from './share.ts';
import type { LobbyMemberSnapshot, LobbyMembers, LobbySnapshot } from './snapshot.ts';

/** What a lobby shows beside its members. */
type LobbyHead = Omit<LobbySnapshot, 'members'>;

/**
 * One lobby as it changes. An event costs what it changes, however many members there are: the snapshot is made when
 * somebody looks, and kept until the next change.
 */
export class LiveLobby {
  readonly id: LobbyId;
  readonly messages = new LiveMessages();
  #head: LobbyHead;
  readonly #members: LiveList<LobbyMemberSnapshot>;
  #shown: LobbySnapshot | undefined;

  constructor(lobby: LobbySnapshot) {
    const { members, ...head } = lobby;
    this.id = lobby.id;
    this.#head = Object.freeze(head);
    this.#members = new LiveList(members);
  }

  /** Frozen; the same object until something changes. */
  get shown(): LobbySnapshot {
    this.#shown ??= Object.freeze({ ...this.#head, members: this.members });
    return this.#shown;
  }

  get members(): LobbyMembers {
    return this.#members.shown;
  }

  member(id: UserId): LobbyMemberSnapshot | undefined {
    return this.#members.find(id);
  }

  /** Takes over what the lobby is now; its messages stay. */
  replace({ members, ...head }: LobbySnapshot): void {
    const shared = share(this.#head, Object.freeze(head));
    if (shared !== this.#head) this.#shown = undefined;
    this.#head = shared;
    const ids = new Set(members.map(({ id }) => id));
    for (const id of [...this.#members.ids()]) if (!ids.has(id)) this.removeMember(id);
    for (const member of members) this.putMember(member);
  }

  putMember(member: LobbyMemberSnapshot): void {
    const present = this.#members.find(member.id);
    // Not every event says who the member is.
    const known = present?.user && !member.user ? Object.freeze({ ...member, user: present.user }) : member;
    const shared = share(present, known);
    if (shared === present) return;
    this.#members.put(shared);
    this.#shown = undefined;
  }

  removeMember(id: UserId): void {
    if (this.#members.remove(id)) this.#shown = undefined;
  }
}
