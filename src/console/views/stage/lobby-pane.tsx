import { useEffect, useRef, useState } from 'preact/hooks';
import { opcodes } from '../../../model/gateway.ts';
import { limits } from '../../../model/limits/limits.ts';
import { snowflakeTimeMs } from '../../../model/snowflake.ts';
import type { LobbyDetails } from '../../../wire/control/lobbies.ts';
import type { UserDetails } from '../../../wire/control/world.ts';
import { act } from '../../control/act.ts';
import { control } from '../../control/client.ts';
import { useStream } from '../../control/live.ts';
import { useControl } from '../../control/use-control.ts';
import { useRun } from '../../control/use-run.ts';
import { hrefOf } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { FailureNote } from '../../ui/failure-note.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { EmptyState, ErrorNote, Loading } from '../../ui/states.tsx';
import { timeText } from '../../ui/text/time.ts';
import { stageWords as words } from '../../words/en/stage.ts';
import { GatewaySocket } from './chat-client.ts';
import type { Place } from './places.ts';

/** The game of one user: the chat and the call of a lobby. */
export function LobbyPane({
  user,
  place,
}: {
  readonly user: UserDetails;
  readonly place: Extract<Place, { kind: 'lobby' }>;
}) {
  const { lobbyId, applicationId } = place;
  const loaded = useControl<LobbyDetails>(`/lobbies/${lobbyId}`);
  const [live, setLive] = useState<LobbyDetails | null>();
  const [text, setText] = useState('');
  const running = useRun();
  const log = useRef<HTMLDivElement>(null);
  useStream({ events: 'lobby', lobby: lobbyId }, { lobby: ({ lobby }) => setLive(lobby) });
  const lobby = live === undefined ? loaded.data : (live ?? undefined);
  useEffect(() => {
    log.current?.scrollTo({ top: log.current.scrollHeight });
  }, [lobby?.messages.at(-1)?.id]);

  if (live === null || loaded.error?.status === 404)
    return <EmptyState title={words.lobbyPane.ended} text={words.lobbyPane.endedHint} />;
  if (loaded.error) return <ErrorNote error={loaded.error} onRetry={loaded.reload} />;
  if (!lobby) return <Loading />;

  const member = lobby.members.find(({ id }) => id === user.id);
  const asUser = { kind: 'user', application_id: applicationId, user_id: user.id } as const;
  const asBot = { kind: 'bot', application_id: applicationId } as const;
  const nameOf = (id: string) => {
    const found = lobby.members.find(one => one.id === id);
    return found?.global_name ?? found?.username ?? id;
  };
  const send = () =>
    running.run(async () => {
      await act({ as: asUser, method: 'POST', path: `/lobbies/${lobbyId}/messages`, body: { content: text } });
      setText('');
    });
  const join = () =>
    running.run(() => act({ as: asBot, method: 'PUT', path: `/lobbies/${lobbyId}/members/${user.id}`, body: {} }));
  // Lobbies that a server made are left by its hand only.
  const isServers = lobby.secret_expires_at_ms === null;
  const leave = () =>
    running.run(() =>
      isServers
        ? act({ as: asBot, method: 'DELETE', path: `/lobbies/${lobbyId}/members/${user.id}` })
        : act({ as: asUser, method: 'DELETE', path: `/lobbies/${lobbyId}/members/@me` }),
    );
  return (
    <>
      <div class="row">
        <span class="hint">{words.lobbyPane.members(lobby.member_count)}</span>
        <a href={hrefOf('lobbies', [lobbyId])}>{words.lobbyPane.details}</a>
        <span class="grow" />
        {member ? (
          <Button isBusy={running.isBusy} onClick={leave}>
            {isServers ? words.lobbyPane.remove : words.lobbyPane.leave}
          </Button>
        ) : (
          <Button kind="primary" isBusy={running.isBusy} onClick={join}>
            {words.lobbyPane.join}
          </Button>
        )}
      </div>
      {!member && <p class="stage-note">{words.lobbyPane.notMember}</p>}
      <div ref={log} class="stage-log" role="log" aria-label={words.log(words.lobby(lobbyId, ''))} tabIndex={0}>
        {lobby.messages.length === 0 && <EmptyState title={words.lobbyPane.noMessages} />}
        {lobby.messages.map(message => (
          <article key={message.id} class="stage-message">
            <header class="row">
              <strong>{nameOf(message.author.id)}</strong>
              <time class="hint">{timeText(snowflakeTimeMs(message.id)).slice(0, 8)}</time>
            </header>
            <p class="stage-text">{message.content}</p>
          </article>
        ))}
      </div>
      <FailureNote failure={running.failure} />
      <form
        class="row"
        onSubmit={event => {
          event.preventDefault();
          if (text.trim() !== '') void send();
        }}
      >
        <input
          class="input grow"
          aria-label={words.composer.lobbyLabel}
          placeholder={words.composer.lobbyLabel}
          autocomplete="off"
          maxLength={limits.messageContentLengthMax}
          value={text}
          onInput={event => setText(event.currentTarget.value)}
        />
        <Button kind="primary" type="submit" isBusy={running.isBusy}>
          {words.composer.send}
        </Button>
      </form>
      <LobbyCall
        lobby={lobby}
        userId={user.id}
        applicationId={applicationId}
        isMember={member !== undefined}
        nameOf={nameOf}
      />
    </>
  );
}

/** The call of the lobby: the user's game says by its gateway session which calls it is in. */
function LobbyCall({
  lobby,
  userId,
  applicationId,
  isMember,
  nameOf,
}: {
  readonly lobby: LobbyDetails;
  readonly userId: string;
  readonly applicationId: string;
  readonly isMember: boolean;
  nameOf(id: string): string;
}) {
  const [game, setGame] = useState<GatewaySocket>();
  const [isMuted, setMuted] = useState(false);
  const [isDeafened, setDeafened] = useState(false);
  const connection = game?.connection.value;
  const state = { lobby_id: lobby.id, self_mute: isMuted, self_deaf: isDeafened };
  useEffect(() => {
    if (connection === 'open') game?.send(opcodes.LOBBY_VOICE_STATES, [state]);
  }, [connection, isMuted, isDeafened]);
  // The game quits the call with its connection.
  useEffect(() => () => game?.close(), [game]);
  const isInCall = lobby.call.some(({ user_id }) => user_id === userId);
  const join = () => {
    const path = `/users/${userId}/session`;
    const token = async () => {
      const { token } = await control.post<{ token: string }>(path, { application_id: applicationId });
      return `Bearer ${token}`;
    };
    setGame(new GatewaySocket(token, () => {}));
  };
  return (
    <div class="stage-call" role="group" aria-label={words.lobbyPane.call}>
      <div class="row">
        <strong class="grow">{words.lobbyPane.call}</strong>
        {game ? (
          <>
            <Checkbox label={words.lobbyPane.mute} isChecked={isMuted} onChange={setMuted} />
            <Checkbox label={words.lobbyPane.deafen} isChecked={isDeafened} onChange={setDeafened} />
            <Button
              onClick={() => {
                game.send(opcodes.LOBBY_VOICE_STATES, []);
                setGame(undefined);
              }}
            >
              {words.lobbyPane.leaveCall}
            </Button>
          </>
        ) : (
          <Button isDisabled={!isMember} onClick={join}>
            {words.lobbyPane.joinCall}
          </Button>
        )}
      </div>
      {game && !isInCall && connection !== 'open' && <p class="hint">{words.connection[connection ?? 'connecting']}</p>}
      {lobby.call.length === 0 ? (
        <p class="hint">{words.lobbyPane.nobodyInCall}</p>
      ) : (
        <ul>
          {lobby.call.map(({ user_id, self_mute, self_deaf }) => (
            <li key={user_id}>
              {nameOf(user_id)} {self_mute && <span class="badge">{words.lobbyPane.muted}</span>}{' '}
              {self_deaf && <span class="badge">{words.lobbyPane.deafened}</span>}
            </li>
          ))}
        </ul>
      )}
      <p class="hint">{words.lobbyPane.callHint}</p>
    </div>
  );
}
