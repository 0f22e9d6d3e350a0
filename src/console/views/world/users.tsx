import { useState } from 'preact/hooks';
import type { UserDetails, UserSummary } from '../../../wire/control/world.ts';
import { control } from '../../control/client.ts';
import { useControl } from '../../control/use-control.ts';
import { useRun } from '../../control/use-run.ts';
import { hrefOf, navigate, setQuery } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { Detail, PendingDetail } from '../../ui/detail.tsx';
import { ask } from '../../ui/dialog.tsx';
import { Fact } from '../../ui/fact.tsx';
import { FailureNote } from '../../ui/failure-note.tsx';
import { TextField } from '../../ui/field.tsx';
import { useSearchText } from '../../ui/search-text.ts';
import { Tabs } from '../../ui/tabs.tsx';
import { toast } from '../../ui/toast.ts';
import { socialWords } from '../../words/en/social.ts';
import { worldWords } from '../../words/en/world.ts';
import { DeleteButton } from './delete-button.tsx';
import type { PartProps } from './parts.ts';
import { SocialTab } from './social/social-tab.tsx';
import { usePages } from './use-pages.ts';
import { UserForm } from './user-form.tsx';
import { WorldList } from './world-list.tsx';

const words = worldWords.users;

export function Users({ openId, query }: PartProps) {
  const search = query.search ?? '';
  const [text, setText] = useSearchText(search);
  const pages = usePages<UserSummary>('/users', 'users', { search }, 'users');
  return (
    <WorldList
      part="users"
      pages={pages}
      openId={openId}
      search={search}
      filters={<TextField label={words.search} type="search" value={text} onInput={setText} />}
      addLabel={words.add}
      empty={search === '' ? words.empty : words.nothingFound}
      emptyHint={search === '' ? words.emptyHint : words.nothingFoundHint}
      columns={[
        {
          id: 'user',
          label: words.columns.user,
          cell: ({ username, global_name }) => (
            <>
              {global_name ?? username} <span class="soft">@{username}</span>
            </>
          ),
        },
        { id: 'id', label: words.columns.id, width: '11.5rem', cell: ({ id }) => <code>{id}</code> },
        { id: 'locale', label: words.columns.locale, width: '6rem', isMinor: true, cell: ({ locale }) => locale },
        {
          id: 'state',
          label: words.columns.state,
          width: '9rem',
          isMinor: true,
          cell: user => <UserState user={user} />,
        },
      ]}
      detail={(id, closeHref) => (
        <UserCard key={id} id={id} query={query} closeHref={closeHref} onDeleted={pages.reload} />
      )}
      form={(onSaved, onClose) => <UserForm user={undefined} onClose={onClose} onSaved={onSaved} />}
    />
  );
}

function UserState({ user: { banned, adult, provisional_of } }: { readonly user: UserSummary }) {
  return (
    <>
      {banned && <span class="badge fault">{words.banned}</span>} {!adult && <span class="badge">{words.minor}</span>}{' '}
      {provisional_of !== null && <span class="badge warn">{words.provisional}</span>}
    </>
  );
}

function UserCard({
  id,
  query,
  closeHref,
  onDeleted,
}: Pick<PartProps, 'query'> & { readonly id: string; readonly closeHref: string; onDeleted(): void }) {
  const { data, error, reload } = useControl<UserDetails>(`/users/${encodeURIComponent(id)}`, {
    areas: ['users', 'authorizations', 'lobbies', 'guilds', 'sessions'],
  });
  const [isEditing, setEditing] = useState(false);
  const running = useRun();
  if (!data) return <PendingDetail id={id} closeHref={closeHref} error={error} onRetry={reload} />;
  const name = data.global_name ?? data.username;
  const endTokens = async () => {
    const isSure = await ask({
      title: words.endTokensTitle(name),
      text: words.endTokensText,
      confirm: words.endTokensConfirm,
      isDanger: true,
    });
    if (!isSure) return;
    await running.run(async () => {
      await control.delete(`/users/${encodeURIComponent(id)}/tokens`);
      toast(words.endedTokens(name));
    });
    reload();
  };
  return (
    <Detail title={name} id={data.id} closeHref={closeHref}>
      <div class="row">
        <Button onClick={() => setEditing(true)}>{worldWords.edit}</Button>
        <Button kind="danger" isBusy={running.isBusy} onClick={() => void endTokens()}>
          {words.endTokens}
        </Button>
        <a class="button" href={hrefOf('lobbies', [], { search: `member:${data.id}` })}>
          {words.toLobbies}
        </a>
        <a class="button" href={hrefOf('traffic', [], { user_id: data.id })}>
          {words.toTraffic}
        </a>
        <DeleteButton
          name={name}
          path={`/users/${encodeURIComponent(id)}`}
          text={worldWords.deleting.user}
          onDeleted={() => {
            onDeleted();
            navigate(closeHref);
          }}
        />
      </div>
      <FailureNote failure={running.failure} />
      <Tabs
        label={name}
        open={query.tab === 'social' ? 'social' : 'about'}
        onOpen={tab => setQuery({ tab: tab === 'about' ? undefined : tab, with: undefined }, { replace: false })}
        tabs={[
          { id: 'about', label: socialWords.tabs.about },
          { id: 'social', label: socialWords.tabs.social },
        ]}
      >
        {query.tab === 'social' ? <SocialTab userId={id} withId={query.with} /> : <Facts user={data} />}
      </Tabs>
      {isEditing && (
        <UserForm
          user={data}
          onClose={() => setEditing(false)}
          onSaved={() => {
            setEditing(false);
            reload();
          }}
        />
      )}
    </Detail>
  );
}

function Facts({ user: data }: { readonly user: UserDetails }) {
  return (
    <dl class="facts">
      <Fact label={worldWords.id}>
        <code>{data.id}</code>
      </Fact>
      <Fact label={words.username}>{data.username}</Fact>
      <Fact label={words.globalName}>{data.global_name ?? worldWords.none}</Fact>
      <Fact label={words.locale}>{data.locale}</Fact>
      <Fact label={words.columns.state}>
        <UserState user={data} /> {data.adult && words.adult}
      </Fact>
      <Fact label={worldWords.tabs.guilds}>
        {data.guilds.length === 0
          ? worldWords.none
          : data.guilds.map(guild => (
              <div key={guild.id}>
                <a href={hrefOf('world', ['guilds', guild.id])}>{guild.name}</a>
              </div>
            ))}
      </Fact>
      <Fact label={words.lobbies}>
        {data.lobbies.length === 0
          ? worldWords.none
          : data.lobbies.map(lobby => (
              <div key={lobby.id}>
                <a href={hrefOf('lobbies', [lobby.id])}>{lobby.id}</a>
              </div>
            ))}
      </Fact>
      <Fact label={words.authorizations}>
        {data.authorizations.length === 0
          ? worldWords.none
          : data.authorizations.map(({ id, application_name, scopes }) => (
              <div key={id}>
                {application_name} <span class="hint">{scopes.join(' ')}</span>
              </div>
            ))}
      </Fact>
      <Fact label={worldWords.tabs.sessions}>
        {data.session_ids.length === 0
          ? worldWords.none
          : data.session_ids.map(session => (
              <div key={session}>
                <a class="mono" href={hrefOf('world', ['sessions', session])}>
                  {session}
                </a>
              </div>
            ))}
      </Fact>
    </dl>
  );
}
