import { useState } from 'preact/hooks';
import { limits } from '../../../model/limits/limits.ts';
import { type LobbyInput, lobbyFlags } from '../../../model/lobby.ts';
import type { LobbyDetails } from '../../../wire/control/lobbies.ts';
import type { ApplicationDetails } from '../../../wire/control/world.ts';
import { act } from '../../control/act.ts';
import { issueAt, useRun } from '../../control/use-run.ts';
import { hrefOf } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { ask, Dialog } from '../../ui/dialog.tsx';
import { FailureNote } from '../../ui/failure-note.tsx';
import { Checkbox, Select, TextField } from '../../ui/field.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.ts';
import { UserPicker } from '../../ui/user-picker.tsx';
import { lobbyWords } from '../../words/en/lobbies.ts';
import { type Act, lobbyActions } from './lobby-actions.ts';
import { duplicateKeys, metadataOf, rowsOf } from './metadata.ts';
import { MetadataFields } from './metadata-fields.tsx';

const words = lobbyWords.form;
const shownFields = ['metadata', 'members', 'idle_timeout_seconds', 'override_event_webhooks_url', 'flags'];

/** Creates a lobby, or edits one. Only what was changed is sent. */
export function LobbyForm({
  lobby,
  applications,
  applicationId,
  onDone,
  onClose,
}: {
  /** Undefined: a new one. */
  readonly lobby: LobbyDetails | undefined;
  readonly applications: readonly ApplicationDetails[];
  /** The one that is chosen first for a new lobby. */
  readonly applicationId: string | undefined;
  onDone(id: string): void;
  onClose(): void;
}) {
  const withBot = applications.filter(({ has_bot }) => has_bot);
  const [chosen, setChosen] = useState(applicationId ?? withBot[0]?.id ?? '');
  const [rows, setRows] = useState(() => (lobby ? rowsOf(lobby.metadata) : [{ key: '', value: '' }]));
  const [members, setMembers] = useState<readonly string[]>([]);
  const [replaces, setReplaces] = useState(false);
  const [idle, setIdle] = useState('');
  const [isAuthorized, setAuthorized] = useState(hasFlag(lobby?.flags ?? 0));
  const [webhook, setWebhook] = useState(lobby?.override_event_webhooks_url ?? '');
  const running = useRun();
  const { failure, isBusy } = running;
  const title = lobby ? words.editTitle : words.createTitle;

  if (!lobby && withBot.length === 0) {
    return (
      <Dialog title={title} onClose={onClose}>
        <EmptyState title={words.noApplication}>
          <a href={hrefOf('world', ['applications'])}>{words.toWorld}</a>
        </EmptyState>
      </Dialog>
    );
  }

  const save = async (event: Event) => {
    event.preventDefault();
    if (duplicateKeys(rows).size > 0) return;
    const asked: Act = lobby
      ? lobbyActions.edit(lobby, changesOf())
      : lobbyActions.create(chosen, {
          ...changesOf(),
          ...(entriesOf(members).length > 0 && { members: entriesOf(members) }),
        });
    if (lobby && Object.keys(asked.call.body as object).length === 0) {
      toast(words.nothingChanged);
      onClose();
      return;
    }
    if (asked.issues.length > 0) {
      running.fail({ message: words.invalid, issues: asked.issues });
      return;
    }
    const question = {
      title: words.replaceTitle,
      text: words.membersReplace,
      confirm: words.replaceConfirm,
      isDanger: true,
    };
    if (lobby && replaces && !(await ask(question))) return;
    const answer = await running.run(() => act(asked.call));
    if (!answer) return;
    const id = String((answer.body as { readonly id?: unknown } | null)?.id ?? lobby?.id ?? '');
    toast(lobby ? words.saved : words.created(id));
    onDone(id);
  };

  const changesOf = (): LobbyInput => {
    const metadata = metadataOf(rows);
    const isSame = JSON.stringify(metadata) === JSON.stringify(metadataOf(rowsOf(lobby?.metadata ?? null)));
    return {
      ...(!isSame && { metadata }),
      ...(lobby && replaces && { members: entriesOf(members) }),
      ...(idle.trim() !== '' && { idle_timeout_seconds: Number(idle) }),
      ...(isAuthorized !== hasFlag(lobby?.flags ?? 0) && {
        flags: isAuthorized ? lobbyFlags.REQUIRE_APPLICATION_AUTHORIZATION : 0,
      }),
      ...(webhook.trim() !== (lobby?.override_event_webhooks_url ?? '') && {
        override_event_webhooks_url: webhook.trim() === '' ? null : webhook.trim(),
      }),
    };
  };

  return (
    <Dialog
      title={title}
      isWide
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button kind="primary" isBusy={isBusy} onClick={event => void save(event)}>
            {lobby ? words.save : words.create}
          </Button>
        </>
      }
    >
      <form class="stack" onSubmit={event => void save(event)}>
        <FailureNote failure={failure} shown={shownFields} />
        {!lobby && (
          <Select
            label={words.application}
            hint={words.applicationHint}
            value={chosen}
            choices={withBot.map(({ id, name }) => ({ value: id, label: `${name} (${id})` }))}
            onChange={setChosen}
          />
        )}
        <MetadataFields legend={words.metadata} rows={rows} error={issueAt(failure, 'metadata')} onChange={setRows} />
        {lobby && <Checkbox label={words.replaceMembers} isChecked={replaces} onChange={setReplaces} />}
        {(!lobby || replaces) && (
          <MemberFields
            hint={`${words.membersHint(limits.lobbyMembersPerRequestMax)} ${lobby ? words.membersReplace : ''}`}
            ids={members}
            error={issueAt(failure, 'members')}
            onChange={setMembers}
          />
        )}
        <TextField
          label={words.idle}
          hint={words.idleHint(
            limits.lobbyIdleTimeoutSecondsMin,
            limits.lobbyIdleTimeoutSecondsMax,
            lobby?.idle_timeout_seconds ?? limits.lobbyIdleTimeoutSecondsDefault,
          )}
          value={idle}
          placeholder={String(lobby?.idle_timeout_seconds ?? limits.lobbyIdleTimeoutSecondsDefault)}
          {...errorProp(issueAt(failure, 'idle_timeout_seconds'))}
          onInput={setIdle}
        />
        <TextField
          label={words.webhook}
          hint={words.webhookHint}
          value={webhook}
          {...errorProp(issueAt(failure, 'override_event_webhooks_url'))}
          onInput={setWebhook}
        />
        <Checkbox label={words.authorization} isChecked={isAuthorized} onChange={setAuthorized} />
        {/* Enter in a field saves: the visible button stands outside the form. */}
        <button type="submit" hidden />
      </form>
    </Dialog>
  );
}

function hasFlag(flags: number): boolean {
  return (flags & lobbyFlags.REQUIRE_APPLICATION_AUTHORIZATION) !== 0;
}

/** A field for each member, and an empty one for the next. A field that was emptied keeps its place. */
function MemberFields({
  ids,
  hint,
  error,
  onChange,
}: {
  readonly ids: readonly string[];
  readonly hint: string;
  readonly error: string | undefined;
  onChange(ids: readonly string[]): void;
}) {
  const fields = ids.at(-1) === '' ? ids : [...ids, ''];
  return (
    <fieldset class="stack">
      <legend>{words.members}</legend>
      {fields.map((id, at) => (
        <UserPicker key={at} label={words.member(at + 1)} value={id} onChange={id => onChange(fields.with(at, id))} />
      ))}
      <p class="hint">{hint}</p>
      {error !== undefined && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}

function entriesOf(ids: readonly string[]): NonNullable<LobbyInput['members']> {
  return ids.filter(id => id !== '').map(id => ({ id }));
}

/** An error for a field, where there is one. */
export function errorProp(error: string | undefined): { readonly error?: string } {
  return error === undefined ? {} : { error };
}
