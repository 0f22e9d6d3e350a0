import { useEffect, useRef, useState } from 'preact/hooks';
import type { LobbyDetails } from '../../../wire/control/lobbies.ts';
import type { ControlError } from '../../control/errors.ts';
import { serviceNow } from '../../control/clock.ts';
import { openStream } from '../../control/stream.ts';
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
}

const changesMax = 100;

/** A lobby, live. */
export function useLobby(id: string): WatchedLobby {
  const first = useControl<LobbyDetails>(`/lobbies/${encodeURIComponent(id)}`);
  const [live, setLive] = useState<{ readonly id: string; readonly lobby: LobbyDetails | null }>();
  const [changes, setChanges] = useState<readonly WatchedChange[]>([]);
  const last = useRef<LobbyDetails>();
  const number = useRef(0);

  useEffect(() => {
    last.current = undefined;
    setChanges([]);
    return openStream({ events: 'lobby', lobby: id }, ({ event, data }) => {
      if (event !== 'lobby' || data.lobby_id !== id) return;
      setLive({ id, lobby: data.lobby });
    });
  }, [id]);

  const now = live?.id === id ? live.lobby : undefined;
  const known = now ?? first.data;
  useEffect(() => {
    if (!known || known.id !== id) return;
    const before = last.current;
    last.current = known;
    if (!before || before.id !== id) return;
    const at_ms = serviceNow.peek();
    const found = changesBetween(before, known).map(change => ({ ...change, number: ++number.current, at_ms }));
    if (found.length > 0) setChanges(changes => [...found.toReversed(), ...changes].slice(0, changesMax));
  }, [known]);

  // Null from the stream is an end only of a lobby that there was.
  const isEnded = now === null && (last.current !== undefined || first.data !== undefined);
  return {
    lobby: known ?? (isEnded ? last.current : undefined),
    isEnded,
    error: first.error,
    isLoading: first.isLoading,
    changes,
  };
}

/** What metadata changed, of the lobby and of members who were there before. */
export function changesBetween(
  before: Pick<LobbyDetails, 'metadata' | 'members'>,
  after: Pick<LobbyDetails, 'metadata' | 'members'>,
): readonly Pick<WatchedChange, 'who' | 'changes'>[] {
  const members = new Map(before.members.map(member => [member.id, member]));
  const found = [{ who: undefined as string | undefined, changes: diffMetadata(before.metadata, after.metadata) }];
  for (const member of after.members) {
    const known = members.get(member.id);
    if (known) {
      const who = lobbyWords.metadata.ofMember(memberName(member));
      found.push({ who, changes: diffMetadata(known.metadata, member.metadata) });
    }
  }
  return found.filter(({ changes }) => countChanges(changes) > 0);
}
