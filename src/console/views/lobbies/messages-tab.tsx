import { useEffect, useRef, useState } from 'preact/hooks';
import { snowflakeTimeMs } from '../../../model/snowflake.ts';
import type { LobbyDetails } from '../../../wire/control/lobbies.ts';
import { act } from '../../control/act.ts';
import { issueAt, useRun } from '../../control/use-run.ts';
import { Button } from '../../ui/button.tsx';
import { FailureNote } from '../../ui/failure-note.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { timeText } from '../../ui/text/time.ts';
import { lobbyWords } from '../../words/en/lobbies.ts';
import { lobbyActions } from './lobby-actions.ts';
import { errorProp } from './lobby-form.tsx';
import { metadataLine } from './metadata.ts';
import { memberName } from './names.ts';

const words = lobbyWords.messages;

export function MessagesTab({ lobby, isEnded }: { readonly lobby: LobbyDetails; readonly isEnded: boolean }) {
  const list = useRef<HTMLOListElement>(null);
  const newest = lobby.messages.at(-1)?.id;
  useEffect(() => {
    list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [newest]);
  return (
    <div class="stack">
      {lobby.messages.length === 0 ? (
        <EmptyState title={words.empty} text={words.emptyHint} />
      ) : (
        <ol ref={list} class="entries lobby-messages" aria-label={words.log} tabIndex={0}>
          {lobby.messages.map(({ id, author, content, lobby_member, moderation_metadata }) => (
            <li key={id} class="entry">
              <time class="hint mono">{timeText(snowflakeTimeMs(id))}</time>
              <div class="grow">
                <div class="row">
                  <strong>{author.global_name ?? author.username}</strong>
                  {lobby_member && <span class="soft">{lobby_member.additional_name}</span>}
                </div>
                <p class="lobby-message-text">{content}</p>
                {moderation_metadata && (
                  <p class="hint">
                    {words.moderation}: {metadataLine(moderation_metadata)}
                  </p>
                )}
              </div>
            </li>
          ))}
        </ol>
      )}
      {lobby.members.length === 0 ? <p class="hint">{words.nobody}</p> : !isEnded && <SendForm lobby={lobby} />}
    </div>
  );
}

function SendForm({ lobby }: { readonly lobby: LobbyDetails }) {
  const [sender, setSender] = useState<string>('');
  const [content, setContent] = useState('');
  const running = useRun();
  const { failure, isBusy } = running;
  // The user who was chosen may have left meanwhile.
  const as = lobby.members.find(({ id }) => id === sender)?.id ?? lobby.members[0]?.id ?? '';
  const send = async (event: Event) => {
    event.preventDefault();
    const { call, issues } = lobbyActions.send(lobby, as, { content });
    if (issues.length > 0) return running.fail({ message: words.notSent, issues });
    if (await running.run(() => act(call))) setContent('');
  };
  return (
    <form class="lobby-send" onSubmit={event => void send(event)}>
      <FailureNote failure={failure} shown={['content']} />
      <Select
        label={words.as}
        value={as}
        choices={lobby.members.map(member => ({ value: member.id as string, label: memberName(member) }))}
        onChange={setSender}
      />
      <TextField label={words.text} value={content} {...errorProp(issueAt(failure, 'content'))} onInput={setContent} />
      <Button kind="primary" type="submit" isBusy={isBusy}>
        {words.send}
      </Button>
    </form>
  );
}
