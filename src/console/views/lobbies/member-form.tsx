import { useState } from 'preact/hooks';
import { lobbyMemberFlags } from '../../../model/lobby.ts';
import type { LobbyDetails, LobbyMemberDetails } from '../../../wire/control/lobbies.ts';
import { act } from '../../control/act.ts';
import { issueAt, useRun } from '../../control/use-run.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FailureNote } from '../../ui/failure-note.tsx';
import { Checkbox, TextField } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.ts';
import { UserPicker } from '../../ui/user-picker.tsx';
import { lobbyWords } from '../../words/en/lobbies.ts';
import { lobbyActions } from './lobby-actions.ts';
import { errorProp } from './lobby-form.tsx';
import { duplicateKeys, metadataOf, rowsOf } from './metadata.ts';
import { MetadataFields } from './metadata-fields.tsx';
import { memberName } from './names.ts';

const words = lobbyWords.form;

/** Adds a member, or edits one. `PUT` replaces metadata and flags, so both are always sent. */
export function MemberForm({
  lobby,
  member,
  onClose,
}: {
  readonly lobby: LobbyDetails;
  /** Undefined: a new one. */
  readonly member: LobbyMemberDetails | undefined;
  onClose(): void;
}) {
  const [userId, setUserId] = useState<string>(member?.id ?? '');
  const [rows, setRows] = useState(() => rowsOf(member?.metadata ?? null));
  const [name, setName] = useState(member?.additional_name ?? '');
  const [mayLink, setMayLink] = useState(((member?.flags ?? 0) & lobbyMemberFlags.CanLinkLobby) !== 0);
  const running = useRun();
  const { failure, isBusy } = running;

  const save = async (event: Event) => {
    event.preventDefault();
    if (userId === '') return running.fail({ message: words.noUser, issues: [] });
    if (duplicateKeys(rows).size > 0) return;
    const { call, issues } = lobbyActions.putMember(lobby, userId, {
      metadata: metadataOf(rows),
      flags: mayLink ? lobbyMemberFlags.CanLinkLobby : 0,
      ...(name !== (member?.additional_name ?? '') && { additional_name: name === '' ? null : name }),
    });
    if (issues.length > 0) return running.fail({ message: words.invalid, issues });
    if (!(await running.run(() => act(call)))) return;
    toast(lobbyWords.members.saved(member ? memberName(member) : userId));
    onClose();
  };

  return (
    <Dialog
      title={member ? lobbyWords.members.editTitle(memberName(member)) : lobbyWords.members.add}
      isWide
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button kind="primary" isBusy={isBusy} onClick={event => void save(event)}>
            {member ? words.save : lobbyWords.members.add}
          </Button>
        </>
      }
    >
      <form class="stack" onSubmit={event => void save(event)}>
        <FailureNote failure={failure} shown={['metadata', 'additional_name']} />
        {!member && <UserPicker label={lobbyWords.members.chooseUser} value={userId} onChange={setUserId} />}
        <MetadataFields legend={words.metadata} rows={rows} error={issueAt(failure, 'metadata')} onChange={setRows} />
        <TextField
          label={words.additionalName}
          hint={words.additionalNameHint}
          value={name}
          {...errorProp(issueAt(failure, 'additional_name'))}
          onInput={setName}
        />
        <Checkbox label={words.mayLink} isChecked={mayLink} onChange={setMayLink} />
        <button type="submit" hidden />
      </form>
    </Dialog>
  );
}
