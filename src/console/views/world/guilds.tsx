import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ApplicationsPage, GuildDetails, GuildMemberDetails, GuildSummary } from '../../../wire/control/world.ts';
import { useControl } from '../../control/use-control.ts';
import { hrefOf, navigate } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { Detail, PendingDetail } from '../../ui/detail.tsx';
import { Fact } from '../../ui/fact.tsx';
import { FailureNote } from '../../ui/failure-note.tsx';
import { TextField } from '../../ui/field.tsx';
import { useSearchText } from '../../ui/search-text.ts';
import { worldWords } from '../../words/en/world.ts';
import { placeText } from '../stage/places.ts';
import { namePermissions } from './bits.ts';
import { ChannelForm } from './channel-form.tsx';
import { DeleteButton } from './delete-button.tsx';
import { GuildForm } from './guild-form.tsx';
import { MemberForm } from './member-form.tsx';
import { OwnerLink } from './owner-link.tsx';
import type { PartProps } from './parts.ts';
import { RoleForm } from './role-form.tsx';
import { saveEntry } from './save-fixture.ts';
import { usePages } from './use-pages.ts';
import { WorldList } from './world-list.tsx';

const words = worldWords.guilds;
const categoryType = 4;

export function Guilds({ openId, query }: PartProps) {
  const search = query.search ?? '';
  const [text, setText] = useSearchText(search);
  const pages = usePages<GuildSummary>('/guilds', 'guilds', { search }, 'guilds');
  return (
    <WorldList
      part="guilds"
      pages={pages}
      openId={openId}
      search={search}
      filters={<TextField label={words.search} type="search" value={text} onInput={setText} />}
      addLabel={words.add}
      empty={search === '' ? words.empty : worldWords.nothingFound}
      emptyHint={search === '' ? words.emptyHint : worldWords.nothingFoundHint}
      columns={[
        { id: 'name', label: words.name, cell: ({ name }) => name },
        { id: 'id', label: worldWords.id, width: '11.5rem', cell: ({ id }) => <code>{id}</code> },
        {
          id: 'channels',
          label: words.channels,
          width: '6rem',
          isNumber: true,
          isMinor: true,
          cell: ({ channels }) => channels.length,
        },
      ]}
      detail={id => <GuildCard key={id} id={id} onDeleted={pages.reload} />}
      form={(onSaved, onClose) => <GuildForm guild={undefined} onClose={onClose} onSaved={onSaved} />}
    />
  );
}

/** A channel of the guild, as addresses of the stage have it. */
function stagePlace(guildId: string, channelId: string): string {
  return placeText({ kind: 'channel', guildId, channelId });
}

/** Makes a user a member again, as the user was before. */
function restoreMember(guildId: string, { user_id, roles, nick, joined_at_ms }: GuildMemberDetails): Promise<unknown> {
  const member = { user_id, roles, nick, joined_at: new Date(joined_at_ms).toISOString() };
  return saveEntry('guilds', { id: guildId, members: [member] });
}

/** A list in a guild, to which one can add. */
function Section({
  title,
  addLabel,
  onAdd,
  children,
}: {
  readonly title: string;
  readonly addLabel: string;
  onAdd(): void;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="card stack" aria-label={title}>
      <div class="row">
        <h3 class="grow">{title}</h3>
        <Button icon="plus" onClick={onAdd}>
          {addLabel}
        </Button>
      </div>
      {children}
    </section>
  );
}

type Edited =
  | { readonly kind: 'guild' }
  | { readonly kind: 'role' | 'channel' | 'member'; readonly id: string | undefined }
  | undefined;

function GuildCard({ id, onDeleted }: { readonly id: string; onDeleted(): void }) {
  const path = `/guilds/${encodeURIComponent(id)}`;
  const { data, error, reload } = useControl<GuildDetails>(path, { areas: ['guilds', 'lobbies'] });
  const members = usePages<GuildMemberDetails>(`${path}/members`, 'members', {}, 'guilds');
  const applications = useControl<ApplicationsPage>('/applications', { query: { limit: 1000 } }).data?.applications;
  const [edited, setEdited] = useState<Edited>();
  if (!data) return <PendingDetail id={id} closeHref={hrefOf('world', ['guilds'])} error={error} onRetry={reload} />;

  const close = () => setEdited(undefined);
  const onSaved = () => {
    setEdited(undefined);
    reload();
    members.reload();
  };
  const names = new Map((applications ?? []).map(({ id, name }) => [id, name]));
  const roles = new Map(data.roles.map(({ id, name }) => [id, name]));
  const channels = new Map(data.channels.map(channel => [channel.id, channel]));
  return (
    <Detail title={data.name} id={data.id} closeHref={hrefOf('world', ['guilds'])}>
      <div class="row">
        <Button onClick={() => setEdited({ kind: 'guild' })}>{worldWords.edit}</Button>
        <a class="button" href={hrefOf('commands', [], { guild_id: data.id })}>
          {words.toPermissions}
        </a>
        <DeleteButton
          name={data.name}
          path={path}
          text={worldWords.deleting.guild}
          onDeleted={() => {
            onDeleted();
            navigate(hrefOf('world', ['guilds']));
          }}
        />
      </div>
      <dl class="facts">
        <Fact label={worldWords.id}>
          <code>{data.id}</code>
        </Fact>
        <Fact label={words.owner}>
          <OwnerLink id={data.owner_id} />
        </Fact>
        <Fact label={words.locale}>{data.locale}</Fact>
        <Fact label={words.applications}>
          {data.applications.length === 0
            ? worldWords.none
            : data.applications.map(id => (
                <div key={id}>
                  <a href={hrefOf('world', ['applications', id])}>{names.get(id) ?? id}</a>
                </div>
              ))}
        </Fact>
      </dl>

      <Section title={words.roles} addLabel={words.addRole} onAdd={() => setEdited({ kind: 'role', id: undefined })}>
        <ul class="entries">
          {data.roles.map(role => {
            const bits = namePermissions(role.permissions);
            return (
              <li key={role.id} class="entry">
                <div class="grow">
                  <strong>{role.name}</strong>
                  <p class="hint">
                    {bits?.names.join(', ') || worldWords.none}
                    {bits && bits.rest !== '0' && ` ${words.otherBits(bits.rest)}`}
                  </p>
                </div>
                <Button
                  kind="quiet"
                  label={words.editLabel(role.name)}
                  onClick={() => setEdited({ kind: 'role', id: role.id })}
                >
                  {worldWords.edit}
                </Button>
                {(role.id as string) !== data.id && (
                  <DeleteButton
                    name={role.name}
                    path={`${path}/roles/${encodeURIComponent(role.id)}`}
                    text={worldWords.deleting.role}
                    isBare
                    onDeleted={onSaved}
                  />
                )}
              </li>
            );
          })}
        </ul>
      </Section>

      <Section
        title={words.channels}
        addLabel={words.addChannel}
        onAdd={() => setEdited({ kind: 'channel', id: undefined })}
      >
        {data.channels.length === 0 && <p class="hint">{worldWords.none}</p>}
        <ul class="entries">
          {data.channels.map(channel => (
            <li key={channel.id} class="entry">
              <div class="grow">
                <div class="row">
                  <strong>{channel.name}</strong>
                  <span class="badge">{words.types[channel.type] ?? channel.type}</span>
                  {channel.nsfw && <span class="badge warn">{words.nsfw}</span>}
                  {channel.type !== categoryType && (
                    <a href={hrefOf('stage', [], { place: stagePlace(data.id, channel.id) })}>{words.toStage}</a>
                  )}
                  {channel.linked_lobby_id !== null && (
                    <a href={hrefOf('lobbies', [channel.linked_lobby_id])}>{words.linkedLobby}</a>
                  )}
                </div>
                <p class="hint">
                  <code>{channel.id}</code>
                  {channel.parent_id !== null &&
                    ` · ${words.inside(channels.get(channel.parent_id)?.name ?? channel.parent_id)}`}
                  {channel.permission_overwrites.length > 0 &&
                    ` · ${words.overwriteCount(channel.permission_overwrites.length)}`}
                </p>
              </div>
              <Button
                kind="quiet"
                label={words.editLabel(channel.name)}
                onClick={() => setEdited({ kind: 'channel', id: channel.id })}
              >
                {worldWords.edit}
              </Button>
              <DeleteButton
                name={channel.name}
                path={`${path}/channels/${encodeURIComponent(channel.id)}`}
                text={worldWords.deleting.channel}
                isBare
                onDeleted={onSaved}
              />
            </li>
          ))}
        </ul>
      </Section>

      <Section
        title={words.members}
        addLabel={words.addMember}
        onAdd={() => setEdited({ kind: 'member', id: undefined })}
      >
        <FailureNote failure={members.failure} onRetry={members.reload} />
        <ul class="entries">
          {members.rows.map(member => {
            const name = member.nick ?? member.global_name ?? member.username ?? member.user_id;
            return (
              <li key={member.user_id} class="entry">
                <div class="grow">
                  <div class="row">
                    <a href={hrefOf('world', [member.is_bot ? 'applications' : 'users', member.user_id])}>{name}</a>
                    {member.is_bot && <span class="badge">{words.isBot}</span>}
                    {member.user_id === data.owner_id && <span class="badge">{words.isOwner}</span>}
                    {member.roles.map(role => (
                      <span key={role} class="badge">
                        {roles.get(role) ?? role}
                      </span>
                    ))}
                  </div>
                </div>
                {!member.is_bot && (
                  <Button
                    kind="quiet"
                    label={words.editLabel(name)}
                    onClick={() => setEdited({ kind: 'member', id: member.user_id })}
                  >
                    {worldWords.edit}
                  </Button>
                )}
                {!member.is_bot && member.user_id !== data.owner_id && (
                  <DeleteButton
                    name={name}
                    path={`${path}/members/${encodeURIComponent(member.user_id)}`}
                    text={worldWords.deleting.member}
                    isBare
                    restore={() => restoreMember(data.id, member)}
                    onDeleted={onSaved}
                  />
                )}
              </li>
            );
          })}
        </ul>
        {members.hasMore && (
          <Button isBusy={members.isLoading} onClick={members.loadMore}>
            {words.moreMembers}
          </Button>
        )}
      </Section>

      {edited?.kind === 'guild' && <GuildForm guild={data} onSaved={onSaved} onClose={close} />}
      {edited?.kind === 'role' && (
        <RoleForm guild={data} role={data.roles.find(({ id }) => id === edited.id)} onSaved={onSaved} onClose={close} />
      )}
      {edited?.kind === 'channel' && (
        <ChannelForm
          guild={data}
          channel={data.channels.find(({ id }) => id === edited.id)}
          onSaved={onSaved}
          onClose={close}
        />
      )}
      {edited?.kind === 'member' && (
        <MemberForm
          guild={data}
          member={members.rows.find(({ user_id }) => user_id === edited.id)}
          onSaved={onSaved}
          onClose={close}
        />
      )}
    </Detail>
  );
}
