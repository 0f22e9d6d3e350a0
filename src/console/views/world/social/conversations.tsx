import { useState } from 'preact/hooks';
import type { CallBody } from '../../../../wire/control/act.ts';
import type { DirectMessageDetails } from '../../../../wire/control/social.ts';
import { act } from '../../../control/act.ts';
import { serviceNow } from '../../../control/clock.ts';
import { useRun } from '../../../control/use-run.ts';
import { hrefOf, setQuery } from '../../../router.ts';
import { Button } from '../../../ui/button.tsx';
import { Countdown } from '../../../ui/countdown.tsx';
import { ask } from '../../../ui/dialog.tsx';
import { FailureNote } from '../../../ui/failure-note.tsx';
import { Select, TextField } from '../../../ui/field.tsx';
import { clockText } from '../../../ui/text/time.ts';
import { UserPicker } from '../../../ui/user-picker.tsx';
import { socialWords } from '../../../words/en/social.ts';
import { usePages } from '../use-pages.ts';
import { gameName, nameOf, type SocialCardProps } from './card.ts';
import { deleteMessage, sendInvite, sendMessage } from './social-actions.ts';

const words = socialWords.conversations;

/** The conversations of a user, one of them open. */
export function Conversations(props: SocialCardProps & { readonly withId: string | undefined }) {
  const { social, userId, withId } = props;
  const open = (id: string) => setQuery({ with: id }, { replace: false });
  return (
    <section class="card stack" aria-label={words.title}>
      <div class="row">
        <h3 class="grow">{words.title}</h3>
        {withId !== undefined && (
          <a class="button quiet" href={hrefOf('world', ['users', userId], { tab: 'social' })}>
            {words.back}
          </a>
        )}
      </div>
      {withId === undefined ? (
        <>
          {social.conversations.length === 0 && <p class="hint">{words.empty}</p>}
          <ul class="entries">
            {social.conversations.map(({ channel_id, user, message_count }) => (
              <li key={channel_id} class="entry">
                <a class="grow" href={hrefOf('world', ['users', userId], { tab: 'social', with: user.id })}>
                  {nameOf(user)}
                </a>
                <span class="soft">{words.count(message_count)}</span>
              </li>
            ))}
          </ul>
          <fieldset class="stack">
            <legend>{words.open}</legend>
            <UserPicker label={words.choose} value="" onChange={id => id !== '' && open(id)} />
          </fieldset>
        </>
      ) : (
        <Conversation key={withId} {...props} withId={withId} />
      )}
    </section>
  );
}

function Conversation({ userId, withId, social, applications, reload }: SocialCardProps & { readonly withId: string }) {
  const path = `/users/${encodeURIComponent(userId)}/conversations/${encodeURIComponent(withId)}`;
  const other = social.conversations.find(({ user }) => user.id === withId)?.user;
  const name = other ? nameOf(other) : withId;
  return (
    <>
      <p>
        {words.with} <a href={hrefOf('world', ['users', withId], { tab: 'social' })}>{name}</a>
      </p>
      {other && <Messages path={path} name={name} userId={userId} withId={withId} applications={applications} />}
      <SendForm userId={userId} withId={withId} applications={applications} onSent={reload} />
    </>
  );
}

type Pair = { readonly userId: string; readonly withId: string };

function Messages({
  path,
  name,
  userId,
  withId,
  applications,
}: Pair & Pick<SocialCardProps, 'applications'> & { readonly path: string; readonly name: string }) {
  const pages = usePages<DirectMessageDetails>(path, 'messages', {}, 'social');
  const running = useRun();
  const remove = async ({ id, author_id }: DirectMessageDetails) => {
    const question = { title: words.removeTitle, text: words.removeText, confirm: words.remove, isDanger: true };
    if (!(await ask(question))) return;
    await running.run(() => act(deleteMessage(author_id, author_id === userId ? withId : userId, id)));
    pages.reload();
  };
  return (
    <>
      <FailureNote failure={pages.failure ?? running.failure} onRetry={pages.reload} />
      <ul class="entries" aria-label={words.log(name)}>
        {pages.rows.map(message => (
          <li key={message.id} class="entry">
            <div class="grow">
              <div class="row">
                <strong>{message.author_id === withId ? name : message.author_id}</strong>
                <time class="hint mono">{clockText(message.sent_at_ms)}</time>
                {message.edited_at_ms !== null && <span class="badge">{words.edited}</span>}
                {message.is_ephemeral && <span class="badge warn">{words.ephemeral}</span>}
              </div>
              {message.content !== '' && <p class="social-message">{message.content}</p>}
              {message.invite && <InviteLine invite={message.invite} applications={applications} />}
              {message.application_id !== null && (
                <p class="hint">{words.viaGame(gameName(applications, message.application_id))}</p>
              )}
              {message.moderation_metadata && (
                <p class="hint">
                  {words.moderation}: <code>{JSON.stringify(message.moderation_metadata)}</code>
                </p>
              )}
            </div>
            <Button
              kind="quiet"
              icon="trash"
              isBusy={running.isBusy}
              label={words.removeLabel(message.content.slice(0, 40))}
              onClick={() => void remove(message)}
            />
          </li>
        ))}
      </ul>
      {pages.hasMore && (
        <Button isBusy={pages.isLoading} onClick={pages.loadMore}>
          {words.more}
        </Button>
      )}
    </>
  );
}

function InviteLine({
  invite: { kind, application_id, party_id, expires_at_ms },
  applications,
}: Pick<SocialCardProps, 'applications'> & { readonly invite: NonNullable<DirectMessageDetails['invite']> }) {
  return (
    <p>
      <span class="badge good">{kind === 'invite' ? words.invite : words.request}</span>{' '}
      {application_id !== null && gameName(applications, application_id)}{' '}
      {party_id !== null && <span class="soft">{words.party(party_id)}</span>}{' '}
      {expires_at_ms <= serviceNow.value ? (
        <span class="soft">{words.expired}</span>
      ) : (
        <>
          {words.expires} <Countdown atMs={expires_at_ms} />
        </>
      )}
    </p>
  );
}

function SendForm({
  userId,
  withId,
  applications,
  onSent,
}: Pair & Pick<SocialCardProps, 'applications'> & { onSent(): void }) {
  const [game, setGame] = useState('');
  const [content, setContent] = useState('');
  const running = useRun();
  const send = async (call: CallBody) => {
    if (await running.run(() => act(call))) setContent('');
    onSent();
  };
  return (
    <form
      class="stack"
      onSubmit={event => {
        event.preventDefault();
        void send(sendMessage(userId, withId, game, content));
      }}
    >
      <FailureNote failure={running.failure} />
      <Select
        label={words.as}
        value={game}
        choices={[
          { value: '', label: words.ownClient },
          ...applications.map(({ id, name }) => ({ value: id as string, label: name })),
        ]}
        onChange={setGame}
      />
      <TextField label={words.text} value={content} onInput={setContent} />
      <div class="row">
        <Button kind="primary" type="submit" isBusy={running.isBusy} isDisabled={content === ''}>
          {words.send}
        </Button>
        <Button
          isBusy={running.isBusy}
          isDisabled={game === ''}
          onClick={() => void send(sendInvite(userId, withId, game))}
        >
          {words.sendInvite}
        </Button>
      </div>
      <p class="hint">{words.inviteHint}</p>
    </form>
  );
}
