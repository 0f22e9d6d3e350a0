import type { LobbyDetails } from '../../../wire/control/lobbies.ts';
import { hrefOf } from '../../router.ts';
import { EmptyState } from '../../ui/states.tsx';
import { lobbyWords } from '../../words/en/lobbies.ts';
import { placeText } from '../stage/places.ts';
import { memberName } from './names.ts';

const words = lobbyWords.call;

export function CallTab({ lobby }: { readonly lobby: LobbyDetails }) {
  const members = new Map(lobby.members.map(member => [member.id, member]));
  const place = { kind: 'lobby', applicationId: lobby.application_id, lobbyId: lobby.id } as const;
  if (lobby.call.length === 0) {
    return (
      <EmptyState title={words.empty} text={words.emptyHint}>
        <a class="button" href={hrefOf('stage', [], { place: placeText(place) })}>
          {words.toStage}
        </a>
      </EmptyState>
    );
  }
  return (
    <ul class="entries" aria-label={lobbyWords.tabs.call}>
      {lobby.call.map(({ user_id, self_mute, self_deaf, self_video }) => {
        const member = members.get(user_id);
        return (
          <li key={user_id} class="entry">
            <strong class="grow">{member ? memberName(member) : user_id}</strong>
            {self_mute && <span class="badge warn">{words.muted}</span>}
            {self_deaf && <span class="badge warn">{words.deaf}</span>}
            {self_video && <span class="badge">{words.video}</span>}
            {!self_mute && !self_deaf && <span class="badge good">{words.speaking}</span>}
          </li>
        );
      })}
    </ul>
  );
}
