import { useEffect, useRef, useState } from 'preact/hooks';
import type { LobbyDetails } from '../../../wire/control/lobbies.ts';
import { serviceNow } from '../../control/clock.ts';
import type { ControlError } from '../../control/errors.ts';
import { useStream } from '../../control/live.ts';
import { useControl } from '../../control/use-control.ts';
import { lobbyWords } from '../../words/en/lobbies.ts';
import { countChanges, diffMetadata, type MetadataChange } from './metadata.ts';
import { memberName } from './names.ts';

/** A change of metadata that happened while somebody watched. */
export interface WatchedChange {
  readonly number: number;
  readonly at_ms: number;
  /** The member whose metadata it is; undefined: the lobby's own. */
  readonly who: string | undefined;
  readonly changes: readonly MetadataChange[];
}

export interface WatchedLobby {
  /** As it is now or, when it has ended, as it was last. */
  readonly lobby: LobbyDetails | undefined;
  readonly isEnded: boolean;
  readonly error: ControlError | undefined;
  readonly isLoading: boolean;
  /** The newest first. */
  readonly changes: readonly WatchedChange[];
  reload(): void;
}

const changesMax = 100;

/** A lobby, live. The component that uses it must have the lobby's id as its key. */
export function useLobby(id: string): WatchedLobby {
  const first = useControl<LobbyDetails>(`/lobbies/${encodeURIComponent(id)}`);
  // Undefined: nothing came yet; null: it is not there any more.
  const [live, setLive] = useState<LobbyDetails | null>();
  const [changes, setChanges] = useState<readonly WatchedChange[]>([]);
  const last = useRef<LobbyDetails>(undefined);
  useStream({ events: 'lobby', lobby: id }, { lobby: ({ lobby }) => setLive(lobby), restarted: first.reload });

  const now = newest(live ?? undefined, first.data);
  useEffect(() => {
    const before = last.current;
    if (!now || before === now) return;
    last.current = now;
    if (!before) return;
    const at_ms = serviceNow.peek();
    setChanges(changes => {
      const number = changes[0]?.number ?? 0;
      const found = changesBetween(before, now).map((change, at) => ({ ...change, number: number + at + 1, at_ms }));
      return [...found.toReversed(), ...changes].slice(0, changesMax);
    });
  }, [now]);

  const isEnded = live === null && now !== undefined;
  return { lobby: now, isEnded, error: first.error, isLoading: first.isLoading, changes, reload: first.reload };
}

function newest(live: LobbyDetails | undefined, read: LobbyDetails | undefined): LobbyDetails | undefined {
  return live && read ? (live.revision >= read.revision ? live : read) : (live ?? read);
}

/** What metadata changed, of the lobby and of members who were there before. */
export function changesBetween(
  before: Pick<LobbyDetails, 'metadata' | 'members'>,
  after: Pick<LobbyDetails, 'metadata' | 'members'>,
): readonly Pick<WatchedChange, 'who' | 'changes'>[] {
  const members = new Map(before.members.map(member => [member.id, member]));
  const found: Pick<WatchedChange, 'who' | 'changes'>[] = [
    { who: undefined, changes: diffMetadata(before.metadata, after.metadata) },
  ];
  for (const member of after.members) {
    const known = members.get(member.id);
    if (!known) continue;
    const who = lobbyWords.metadata.ofMember(memberName(member));
    found.push({ who, changes: diffMetadata(known.metadata, member.metadata) });
  }
  return found.filter(({ changes }) => countChanges(changes) > 0);
}
