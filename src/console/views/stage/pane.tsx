import { useEffect, useRef, useState } from 'preact/hooks';
import { type Command, commandTypes } from '../../../model/command.ts';
import type { CommandIndex } from '../../../model/command-index.ts';
import type { Component } from '../../../model/component.ts';
import { interactionTypes } from '../../../model/interaction.ts';
import { limits } from '../../../model/limits/limits.ts';
import { locales } from '../../../model/locale.ts';
import type { Message } from '../../../model/message.ts';
import type { GuildDetails, GuildMembersPage, UserDetails } from '../../../wire/control/world.ts';
import { act } from '../../control/act.ts';
import { control } from '../../control/client.ts';
import { isClockVirtual, serviceNow } from '../../control/clock.ts';
import { areaChanges } from '../../control/live.ts';
import { useControl } from '../../control/use-control.ts';
import { hrefOf } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Select } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { EmptyState, ErrorNote } from '../../ui/states.tsx';
import { durationText } from '../../ui/text/time.ts';
import { toast } from '../../ui/toast.ts';
import { stageWords as words } from '../../words/en/stage.ts';
import { type ChatClient, chatClientOf, errorText, labelOfInteraction, type UseBody } from './chat-client.ts';
import { Composer } from './composer.tsx';
import { filesOf } from './file-input.ts';
import { LobbyPane } from './lobby-pane.tsx';
import { MessageView } from './message-view.tsx';
import { ModalDialog } from './modal-dialog.tsx';
import { memberName, type Names } from './names.ts';
import { shownName } from './option-values.ts';
import { channelOf, type Place } from './places.ts';
import type { Use } from './screen.ts';
import type { StageWorld } from './world.ts';

const membersMax = 100;

/** One user in one place. */
export function Pane({
  user,
  place,
  world,
}: {
  readonly user: UserDetails;
  readonly place: Place;
  readonly world: StageWorld;
}) {
  if (place.kind === 'lobby') return <LobbyPane key={`${user.id}/${place.lobbyId}`} user={user} place={place} />;
  return <ChatPane key={`${user.id}/${JSON.stringify(place)}`} user={user} place={place} world={world} />;
}

function ChatPane({
  user,
  place,
  world,
}: {
  readonly user: UserDetails;
  readonly place: Exclude<Place, { kind: 'lobby' }>;
  readonly world: StageWorld;
}) {
  const client = chatClientOf(user.id);
  const guildPath = place.kind === 'channel' ? `/guilds/${place.guildId}` : undefined;
  const guild = useControl<GuildDetails>(guildPath, { areas: ['guilds'] });
  const members = useControl<GuildMembersPage>(guildPath && `${guildPath}/members`, {
    query: { limit: membersMax },
    areas: ['guilds'],
  });
  const index = useCommandIndex(client, place, user.locale);
  const [menu, setMenu] = useState<Menu>();
  const log = useRef<HTMLDivElement>(null);
  const spot = channelOf(place, user.id);
  const { messages, uses, modal } = client.screen.value;
  const shown = messages.filter(({ channel_id }) => channel_id === spot.channel_id);
  const own = {
    user_id: user.id,
    username: user.username,
    global_name: user.global_name,
    nick: null,
    roles: [],
    adult: user.adult,
    joined_at_ms: 0,
    is_bot: false,
  };
  const names: Names = {
    members: members.data?.members ?? [own],
    guild: guild.data,
    applications: world.applications,
  };
  // The newest message is in sight, as in every chat.
  useEffect(() => {
    log.current?.scrollTo({ top: log.current.scrollHeight });
  }, [shown.at(-1)?.id, shown.length]);

  const press = (message: Message) => (component: Component, values?: readonly string[]) => {
    const { type: component_type, custom_id } = component;
    const body: UseBody = {
      application_id: message.application_id,
      type: interactionTypes.MESSAGE_COMPONENT,
      ...spot,
      message_id: message.id,
      data: { component_type, custom_id, ...(values && { values }) },
    };
    void client.use(body, component.label ?? component.placeholder ?? custom_id ?? '');
  };
  const useMenu = (command: Command, targetId: string) => {
    const { id, version, name, type, application_id } = command;
    const data = { id, version, name, type, target_id: targetId };
    setMenu(undefined);
    void client.use({ application_id, type: interactionTypes.APPLICATION_COMMAND, ...spot, data }, shownName(command));
  };
  const isOurModal = modal !== undefined && modal.channel_id === spot.channel_id;
  return (
    <>
      <Listeners world={world} place={place} />
      <div ref={log} class="stage-log" role="log" aria-label={words.log(placeName(place, world))} tabIndex={0}>
        {shown.length === 0 && <EmptyState title={words.empty} text={words.emptyHint} />}
        {shown.map(message => (
          <MessageView
            key={message.id}
            message={message}
            names={names}
            onUse={press(message)}
            labelOf={labelOfInteraction}
            onMenu={() => setMenu({ what: 'message', id: message.id, name: message.author?.username ?? words.app })}
          />
        ))}
      </div>
      <Uses client={client} uses={uses.filter(use => use.channelId === spot.channel_id)} />
      {index.error && <ErrorNote error={{ message: index.error }} onRetry={index.reload} />}
      <Composer
        client={client}
        commands={index.commands}
        names={names}
        spot={spot}
        applicationIds={concernedBy(place, world).map(({ id }) => id)}
      />
      <div class="row">
        {place.kind === 'channel' && (
          <details class="stage-people">
            <summary>{words.people}</summary>
            <ul>
              {names.members.map(member => (
                <li key={member.user_id} class="row">
                  <span class="grow">{memberName(member)}</span>
                  <Button
                    kind="quiet"
                    title={words.appsOn(memberName(member))}
                    onClick={() => setMenu({ what: 'user', id: member.user_id, name: memberName(member) })}
                  >
                    {words.apps}
                  </Button>
                </li>
              ))}
            </ul>
            {members.data?.next && <p class="hint">{words.peopleMore(names.members.length)}</p>}
          </details>
        )}
        <span class="grow" />
        {(shown.length > 0 || uses.length > 0) && (
          <Button kind="quiet" onClick={() => client.clear()}>
            {words.clear}
          </Button>
        )}
      </div>
      {menu && (
        <MenuDialog
          menu={menu}
          commands={index.commands ?? []}
          world={world}
          onPick={command => useMenu(command, menu.id)}
          onClose={() => setMenu(undefined)}
        />
      )}
      {isOurModal && (
        <ModalDialog
          key={modal.id}
          modal={modal}
          names={names}
          onDismiss={() => client.dismissModal()}
          onSubmit={async (components, files) => {
            client.dismissModal();
            const { parts, attachments } = await filesOf(files);
            const { id, custom_id, application, title } = modal;
            const data = { id, custom_id, components, ...(attachments.length > 0 && { attachments }) };
            void client.use(
              { application_id: application.id, type: interactionTypes.MODAL_SUBMIT, ...spot, data },
              title,
              parts,
            );
          }}
        />
      )}
    </>
  );
}

/** The commands that the user may use here, in the user's language; read again when they change. */
function useCommandIndex(client: ChatClient, place: Exclude<Place, { kind: 'lobby' }>, locale: string) {
  const [commands, setCommands] = useState<readonly Command[]>();
  const [error, setError] = useState<string>();
  const [count, setCount] = useState(0);
  const version = client.indexVersion.value;
  const changes = `${areaChanges('commands').value} ${areaChanges('permissions').value}`;
  const path =
    place.kind === 'channel'
      ? `/channels/${place.channelId}/application-command-index`
      : `/applications/${place.applicationId}/application-command-index`;
  useEffect(() => {
    let isShown = true;
    const as = { kind: 'session', user_id: client.userId } as const;
    act({ as, method: 'GET', path }).then(
      ({ body }) => {
        if (!isShown) return;
        setCommands((body as CommandIndex).application_commands);
        setError(undefined);
      },
      error => isShown && setError(errorText(error)),
    );
    return () => {
      isShown = false;
    };
  }, [path, version, changes, locale, count]);
  return { commands, error, reload: () => setCount(count => count + 1) };
}

function concernedBy(place: Place, { applications }: StageWorld): StageWorld['applications'] {
  if (place.kind !== 'channel') return applications.filter(({ id }) => id === place.applicationId);
  return applications.filter(({ guild_ids }) => guild_ids.includes(place.guildId));
}

/** Says that nobody would answer, before one waits for it. */
function Listeners({ world, place }: { readonly world: StageWorld; readonly place: Place }) {
  const silent = concernedBy(place, world).filter(({ bot_sessions, interactions_endpoint_url }) => {
    return bot_sessions === 0 && interactions_endpoint_url === null;
  });
  if (silent.length === 0) return null;
  return (
    <div class="stage-note" role="status">
      <Icon name="warning" />
      <div>
        <p>{words.listens.nobody(silent.map(({ name }) => name).join(', '))}</p>
        <p>{words.listens.how}</p>
      </div>
    </div>
  );
}

/** What the user did and what is not answered yet, with the clock that runs. */
function Uses({ client, uses }: { readonly client: ChatClient; readonly uses: readonly Use[] }) {
  const open = uses.filter(({ state }) => state !== 'answered').slice(-3);
  if (open.length === 0) return null;
  return (
    <ul class="stage-uses" role="status" aria-label={words.uses.title}>
      {open.map(use => (
        <li key={use.nonce} class={`stage-use ${use.state}`}>
          <strong>{use.label}</strong> <span>{words.uses[use.state as 'failed']}</span>
          {use.state === 'waiting' && <AnswerClock use={use} />}
          {use.error !== undefined && <span class="stage-error">{use.error}</span>}
          {(use.state === 'failed' || use.state === 'rejected') && (
            <Button kind="quiet" icon="close" label={words.uses.dismiss} onClick={() => client.dismissUse(use.nonce)} />
          )}
        </li>
      ))}
    </ul>
  );
}

function AnswerClock({ use }: { readonly use: Use }) {
  const leftMs = use.startedMs + limits.interactionAnswerMs - serviceNow.value;
  const advance = async () => {
    try {
      await control.post('/clock', { advance_ms: limits.interactionAnswerMs });
    } catch (error) {
      toast(errorText(error), 'fault');
    }
  };
  return (
    <>
      <span class="mono">
        {durationText(Math.max(0, Math.ceil(leftMs / 1000) * 1000))} {words.uses.left}
      </span>
      {isClockVirtual.value && (
        <Button kind="quiet" title={words.uses.standing} onClick={advance}>
          {words.uses.advance}
        </Button>
      )}
    </>
  );
}

interface Menu {
  readonly what: 'user' | 'message';
  readonly id: string;
  readonly name: string;
}

function MenuDialog({
  menu,
  commands,
  world,
  onPick,
  onClose,
}: {
  readonly menu: Menu;
  readonly commands: readonly Command[];
  readonly world: StageWorld;
  onPick(command: Command): void;
  onClose(): void;
}) {
  const type = menu.what === 'user' ? commandTypes.USER : commandTypes.MESSAGE;
  const offered = commands.filter(command => command.type === type);
  return (
    <Dialog title={words.appsOn(menu.name)} onClose={onClose}>
      {offered.length === 0 && <p class="hint">{words.noMenu(menu.what)}</p>}
      {offered.map(command => (
        <Button key={command.id} onClick={() => onPick(command)}>
          {shownName(command)} · {world.applications.find(({ id }) => id === command.application_id)?.name ?? ''}
        </Button>
      ))}
    </Dialog>
  );
}

/** What a place is called. */
export function placeName(place: Place, { applications, guilds }: StageWorld): string {
  const applicationName = (id: string) => applications.find(one => one.id === id)?.name ?? id;
  if (place.kind === 'direct') return words.direct(applicationName(place.applicationId));
  if (place.kind === 'lobby') return words.lobby(place.lobbyId, applicationName(place.applicationId));
  const channels = guilds.find(({ id }) => id === place.guildId)?.channels ?? [];
  return `#${channels.find(({ id }) => id === place.channelId)?.name ?? place.channelId}`;
}

const languageNames = new Intl.DisplayNames(['en'], { type: 'language' });
const languageChoices = locales
  .map(locale => ({ value: locale as string, label: `${languageNames.of(locale) ?? locale} (${locale})` }))
  .toSorted((a, b) => a.label.localeCompare(b.label, 'en'));

/** Changes the user's own setting, as the user does: commands, answers and interactions follow it. */
export function LanguageSelect({ user, onChanged }: { readonly user: UserDetails; onChanged(): void }) {
  const change = async (locale: string) => {
    const { id, username, global_name, adult } = user;
    try {
      await control.post('/fixtures', { users: [{ id, username, global_name, adult, locale }] });
      toast(words.languageChanged(languageNames.of(locale) ?? locale));
      onChanged();
    } catch (error) {
      toast(errorText(error), 'fault');
    }
  };
  return (
    <Select
      label={words.language}
      value={user.locale}
      choices={languageChoices}
      onChange={locale => void change(locale)}
    />
  );
}

/** The state of the user's connection. */
export function ConnectionState({ userId }: { readonly userId: string }) {
  const state = chatClientOf(userId).connection.value;
  return (
    <span class={`badge ${state === 'open' ? 'good' : state === 'closed' ? 'fault' : 'warn'}`} role="status">
      {words.connection[state]}
    </span>
  );
}

export function LobbyLink({ lobbyId }: { readonly lobbyId: string }) {
  return <a href={hrefOf('lobbies', [lobbyId])}>{words.lobbyPane.details}</a>;
}
