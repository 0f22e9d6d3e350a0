import { useState } from 'preact/hooks';
import { lobbyMemberFlags } from '../../../model/lobby.ts';
import type { LobbyDetails, LobbyMemberDetails } from '../../../wire/control/lobbies.ts';
import { act } from '../../control/act.ts';
import { messageOf } from '../../control/errors.ts';
import { Button } from '../../ui/button.tsx';
import { ask } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.ts';
import { lobbyWords } from '../../words/en/lobbies.ts';
import { lobbyActions } from './lobby-actions.ts';
import { MemberForm } from './member-form.tsx';
import { metadataLine } from './metadata.ts';
import { memberName } from './names.ts';

const words = lobbyWords.members;

export function MembersTab({ lobby, isEnded }: { readonly lobby: LobbyDetails; readonly isEnded: boolean }) {
  const [edited, setEdited] = useState<LobbyMemberDetails | 'new'>();
  const inCall = new Set(lobby.call.map(({ user_id }) => user_id));

  const remove = async (member: LobbyMemberDetails) => {
    const name = memberName(member);
    const isSure = await ask({
      title: words.removeTitle(name),
      text: words.removeText,
      confirm: words.remove,
      isDanger: true,
    });
    if (!isSure) return;
    try {
      await act(lobbyActions.removeMember(lobby, member.id).call);
      toast(words.removed(name));
    } catch (error) {
      toast(messageOf(error), 'fault');
    }
  };

  const add = (
    <Button icon="plus" isDisabled={isEnded} onClick={() => setEdited('new')}>
      {words.add}
    </Button>
  );
  return (
    <div class="stack">
      {lobby.members.length === 0 ? (
        <EmptyState title={words.empty} text={words.emptyHint}>
          {add}
        </EmptyState>
      ) : (
        <>
          <div class="row">
            {add}
            {lobby.member_count > lobby.members.length && (
              <span class="hint">{words.first(lobby.members.length, lobby.member_count)}</span>
            )}
          </div>
          <ul class="entries" aria-label={lobbyWords.tabs.members}>
            {lobby.members.map(member => (
              <li key={member.id} class="entry">
                <span
                  class={member.connected ? 'lobby-presence connected' : 'lobby-presence'}
                  title={member.connected ? words.connected : words.away}
                />
                <div class="grow">
                  <div class="row">
                    <strong>{memberName(member)}</strong>
                    {member.additional_name !== null && <span class="soft">{member.additional_name}</span>}
                    <span class={member.connected ? 'badge good' : 'badge'}>
                      {member.connected ? words.connected : words.away}
                    </span>
                    {inCall.has(member.id) && <span class="badge">{lobbyWords.call.speaking}</span>}
                    {(member.flags & lobbyMemberFlags.CanLinkLobby) !== 0 && <span class="badge">{words.mayLink}</span>}
                    {member.username === null && <span class="badge warn">{words.gone}</span>}
                  </div>
                  <div class="hint">
                    <code>{member.id}</code>
                    {member.username !== null && <> @{member.username}</>}
                    {member.metadata && <> · {metadataLine(member.metadata)}</>}
                  </div>
                </div>
                <Button
                  kind="quiet"
                  isDisabled={isEnded}
                  label={words.editTitle(memberName(member))}
                  onClick={() => setEdited(member)}
                >
                  {words.edit}
                </Button>
                <Button
                  kind="quiet"
                  icon="trash"
                  isDisabled={isEnded}
                  label={words.removeLabel(memberName(member))}
                  onClick={() => void remove(member)}
                />
              </li>
            ))}
          </ul>
        </>
      )}
      {edited !== undefined && (
        <MemberForm lobby={lobby} member={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
    </div>
  );
}
