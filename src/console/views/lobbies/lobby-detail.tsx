import { useState } from 'preact/hooks';
import { lobbyFlags } from '../../../model/lobby.ts';
import type { LobbyDetails } from '../../../wire/control/lobbies.ts';
import type { ApplicationDetails } from '../../../wire/control/world.ts';
import { act } from '../../control/act.ts';
import { messageOf } from '../../control/errors.ts';
import { hrefOf, setQuery } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { useCommands } from '../../ui/commands.ts';
import { Countdown } from '../../ui/countdown.tsx';
import { Detail } from '../../ui/detail.tsx';
import { ask } from '../../ui/dialog.tsx';
import { Fact } from '../../ui/fact.tsx';
import { EmptyState, ErrorNote, Loading } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { clockText, durationText } from '../../ui/text/time.ts';
import { toast } from '../../ui/toast.ts';
import { lobbyWords } from '../../words/en/lobbies.ts';
import { CallTab } from './call-tab.tsx';
import { HistoryTab } from './history-tab.tsx';
import { LinkDialog } from './link-dialog.tsx';
import { lobbyActions } from './lobby-actions.ts';
import { LobbyForm } from './lobby-form.tsx';
import { MembersTab } from './members-tab.tsx';
import { MessagesTab } from './messages-tab.tsx';
import { MetadataTab } from './metadata-tab.tsx';
import { useLobby } from './use-lobby.ts';

const words = lobbyWords;
const tabNames = ['members', 'metadata', 'messages', 'call', 'history'] as const;

export interface LobbyDetailProps {
  readonly id: string;
  /** Which tab the hash names. */
  readonly tab: string | undefined;
  readonly applications: readonly ApplicationDetails[];
  /** The hash of the list without this lobby. */
  readonly closeHref: string;
}

/** One lobby, live. */
export function LobbyDetail({ id, tab, applications, closeHref }: LobbyDetailProps) {
  const { lobby, isEnded, error, isLoading, changes, reload } = useLobby(id);
  const [dialog, setDialog] = useState<'edit' | 'link'>();
  const isGone = isEnded || !lobby;

  const end = async () => {
    if (!lobby || isEnded) return;
    const isSure = await ask({
      title: words.end.title,
      text: words.end.text(lobby.member_count),
      confirm: words.end.confirm,
      isDanger: true,
    });
    if (!isSure) return;
    try {
      await act(lobbyActions.end(lobby).call);
      toast(words.end.done);
    } catch (error) {
      toast(messageOf(error), 'fault');
    }
  };
  useCommands(
    isGone
      ? []
      : [
          { id: 'lobby-edit', label: words.form.editTitle, run: () => setDialog('edit') },
          { id: 'lobby-link', label: words.link.action, run: () => setDialog('link') },
          { id: 'lobby-end', label: words.end.action, run: () => void end() },
        ],
    [isGone, lobby?.member_count],
  );

  const title = `${words.one} ${id}`;
  if (!lobby) {
    return (
      <Detail title={title} id={id} closeHref={closeHref}>
        {isLoading ? (
          <Loading />
        ) : error?.status === 404 ? (
          <EmptyState title={words.unknown} text={words.unknownHint}>
            <a class="button" href={hrefOf('traffic', [], { lobby_id: id })}>
              {words.openTraffic}
            </a>
          </EmptyState>
        ) : (
          error && <ErrorNote error={error} onRetry={reload} />
        )}
      </Detail>
    );
  }
  const open = tabNames.find(name => name === tab) ?? 'members';
  return (
    <Detail title={title} id={id} closeHref={closeHref}>
      {isEnded && (
        <div class="lobby-ended" role="status">
          <strong>{words.ended}</strong> {words.endedHint}
        </div>
      )}
      <div class="row">
        <Button isDisabled={isEnded} onClick={() => setDialog('edit')}>
          {words.edit}
        </Button>
        <Button isDisabled={isEnded} onClick={() => setDialog('link')}>
          {words.link.action}
        </Button>
        <Button kind="danger" isDisabled={isEnded} onClick={() => void end()}>
          {words.end.action}
        </Button>
      </div>
      <Facts lobby={lobby} isEnded={isEnded} applications={applications} />
      <Tabs
        label={words.one}
        open={open}
        onOpen={name => setQuery({ tab: name === 'members' ? undefined : name })}
        tabs={tabNames.map(name => ({ id: name, label: words.tabs[name], ...countOf(lobby, name) }))}
      >
        {open === 'members' && <MembersTab lobby={lobby} isEnded={isEnded} />}
        {open === 'metadata' && <MetadataTab lobby={lobby} changes={changes} />}
        {open === 'messages' && <MessagesTab lobby={lobby} isEnded={isEnded} />}
        {open === 'call' && <CallTab lobby={lobby} />}
        {open === 'history' && <HistoryTab lobbyId={id} />}
      </Tabs>
      <p class="hint">{words.asCode}</p>
      {dialog === 'edit' && (
        <LobbyForm
          lobby={lobby}
          applications={applications}
          applicationId={lobby.application_id}
          onDone={() => setDialog(undefined)}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog === 'link' && <LinkDialog lobby={lobby} onClose={() => setDialog(undefined)} />}
    </Detail>
  );
}

function countOf(lobby: LobbyDetails, tab: (typeof tabNames)[number]): { readonly count?: number } {
  switch (tab) {
    case 'members':
      return { count: lobby.member_count };
    case 'metadata':
      return { count: Object.keys(lobby.metadata ?? {}).length };
    case 'messages':
      return { count: lobby.message_count };
    case 'call':
      return { count: lobby.call.length };
    case 'history':
      return {};
  }
}

function Facts({
  lobby,
  isEnded,
  applications,
}: {
  readonly lobby: LobbyDetails;
  readonly isEnded: boolean;
  readonly applications: readonly ApplicationDetails[];
}) {
  const facts = words.facts;
  const application = applications.find(({ id }) => id === lobby.application_id);
  const needsAuthorization = (lobby.flags & lobbyFlags.REQUIRE_APPLICATION_AUTHORIZATION) !== 0;
  return (
    <dl class="facts lobby-facts">
      <dt>{facts.application}</dt>
      <dd>
        <a href={hrefOf('world', ['applications', lobby.application_id])}>
          {application?.name ?? lobby.application_id}
        </a>
      </dd>
      <dt>{facts.origin}</dt>
      <dd>
        {lobby.secret_expires_at_ms === null ? facts.byServer : facts.byPlayers} · {clockText(lobby.created_at_ms)}
      </dd>
      <dt>{facts.members}</dt>
      <dd>{facts.connected(lobby.connected_count, lobby.member_count)}</dd>
      <dt>{facts.idleTimeout}</dt>
      <dd>{durationText(lobby.idle_timeout_seconds * 1000)}</dd>
      {!isEnded &&
        lobby.timers.map(({ kind, at_ms, is_running }) => (
          <Fact key={`${kind} ${at_ms}`} label={words.timers[kind]}>
            {is_running ? <Countdown atMs={at_ms} /> : <span class="soft">{words.attended}</span>}
          </Fact>
        ))}
      {lobby.expires_at_ms === null && <Fact label={words.timers.idle_end}>{words.neverEnds}</Fact>}
      {lobby.link && (
        <Fact label={facts.linked}>
          <a href={hrefOf('world', ['guilds', lobby.link.guild_id])}>
            #{lobby.link.channel_name ?? lobby.link.channel_id} · {lobby.link.guild_name ?? lobby.link.guild_id}
          </a>
        </Fact>
      )}
      {needsAuthorization && <Fact label={facts.flags}>{facts.requireAuthorization}</Fact>}
      {lobby.override_event_webhooks_url !== null && (
        <Fact label={facts.webhook}>{lobby.override_event_webhooks_url}</Fact>
      )}
    </dl>
  );
}
