import { useEffect, useMemo, useState } from 'preact/hooks';
import type { LobbySummary } from '../../../wire/control/lobbies.ts';
import type { ApplicationsPage } from '../../../wire/control/world.ts';
import { useControl } from '../../control/use-control.ts';
import { hrefOf, navigate, setQuery, type ViewProps } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { useCommands } from '../../ui/commands.ts';
import { Countdown } from '../../ui/countdown.tsx';
import { ListWithDetail } from '../../ui/detail.tsx';
import { FailureNote } from '../../ui/failure-note.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { useSearchText } from '../../ui/search-text.ts';
import { EmptyState, Loading } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { lobbyWords } from '../../words/en/lobbies.ts';
import { LobbyDetail } from './lobby-detail.tsx';
import { LobbyForm } from './lobby-form.tsx';
import { parseLobbySearch, withFilter } from './lobby-search.ts';
import { metadataLine } from './metadata.ts';
import { useLobbyPages } from './use-lobby-pages.ts';

const words = lobbyWords;
/** After so many lobbies a search asks whether to go on. */
const searchedAtOnce = 200_000;

/** All lobbies: `#/lobbies?search=…`, and one of them: `#/lobbies/ID?search=…&tab=…`. */
export default function LobbiesView({ path, query }: ViewProps) {
  const [openId] = path;
  const applications = useControl<ApplicationsPage>('/applications', { query: { limit: 1000 } });
  const known = applications.data?.applications ?? [];
  const [isCreating, setCreating] = useState(false);
  const written = query.search ?? '';
  useCommands([{ id: 'lobby-new', label: words.create, run: () => setCreating(true) }], []);

  const list = { search: written };
  return (
    <div class="lobbies">
      <div class="view-head">
        <h1>{words.title}</h1>
        <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
          {words.create}
        </Button>
      </div>
      <ListWithDetail
        storageKey="lobbies"
        closeHref={hrefOf('lobbies', [], list)}
        list={
          <LobbyList
            written={written}
            openId={openId}
            applications={known.map(({ id, name }) => ({ id, name }))}
            onCreate={() => setCreating(true)}
          />
        }
        detail={
          openId !== undefined && (
            <LobbyDetail
              key={openId}
              id={openId}
              tab={query.tab}
              applications={known}
              closeHref={hrefOf('lobbies', [], list)}
            />
          )
        }
      />
      {isCreating && (
        <LobbyForm
          lobby={undefined}
          applications={known}
          applicationId={parseLobbySearch(written).application}
          onClose={() => setCreating(false)}
          onDone={id => {
            setCreating(false);
            navigate(hrefOf('lobbies', [id], list));
          }}
        />
      )}
    </div>
  );
}

function LobbyList({
  written,
  openId,
  applications,
  onCreate,
}: {
  readonly written: string;
  readonly openId: string | undefined;
  readonly applications: readonly { readonly id: string; readonly name: string }[];
  onCreate(): void;
}) {
  const [text, setText] = useSearchText(written);
  const search = useMemo(() => parseLobbySearch(written), [written]);
  const pages = useLobbyPages({
    search: search.text,
    application_id: search.application,
    user_id: search.member,
  });
  const { rows, hasMore, isLoading, failure, searched } = pages;
  // A search that finds little goes on by itself: the table asks for more rows until it is full.
  const [searchedMax, setSearchedMax] = useState(searchedAtOnce);
  useEffect(() => setSearchedMax(searchedAtOnce), [written]);
  const isPaused = searched >= searchedMax;
  const isFiltered = written !== '';
  const total = isFiltered ? null : pages.total;
  const isKnown = rows.length > 0 || !failure;

  const names = new Map(applications.map(({ id, name }) => [id, name]));
  const allColumns: readonly Column<LobbySummary>[] = [
    { id: 'id', label: words.columns.id, width: '11.5rem', cell: ({ id }) => <code>{id}</code> },
    {
      id: 'application',
      label: words.columns.application,
      width: 'minmax(5rem, 0.5fr)',
      isMinor: true,
      cell: ({ application_id }) => names.get(application_id) ?? application_id,
    },
    {
      id: 'metadata',
      label: words.columns.metadata,
      cell: ({ metadata }) => <span class="mono">{metadataLine(metadata)}</span>,
    },
    { id: 'members', label: words.columns.members, width: '5rem', isNumber: true, cell: row => row.member_count },
    {
      id: 'ends',
      label: words.columns.ends,
      width: '8rem',
      isMinor: true,
      cell: ({ expires_at_ms }) =>
        expires_at_ms === null ? <span class="soft">{words.linked}</span> : <Countdown atMs={expires_at_ms} />,
    },
  ];
  // Beside a lobby there is less space.
  const columns = openId === undefined ? allColumns : allColumns.filter(({ id }) => id !== 'application');

  return (
    <section class="lobby-list" aria-label={words.list}>
      <div class="lobby-filters">
        <TextField
          label={words.searchLabel}
          hint={words.searchHint}
          type="search"
          value={text}
          {...(search.mistakes.length > 0 && { error: words.mistakes(search.mistakes) })}
          onInput={setText}
        />
        <Select
          label={words.application}
          value={search.application ?? ''}
          choices={[
            { value: '', label: words.allApplications },
            ...applications.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onChange={id => setQuery({ search: withFilter(written, 'application', id === '' ? undefined : id) })}
        />
      </div>
      <p class="hint" role="status">
        {isKnown && (total === null ? words.count(rows.length, hasMore) : words.count(total, false))}
        {searched > 0 && ` ${words.searched(searched, hasMore && isLoading)}`}
      </p>
      <FailureNote failure={failure} onRetry={pages.retry} />
      {rows.length === 0 && !hasMore && !failure ? (
        <EmptyState
          title={isFiltered ? words.nothingFound : words.noneYet}
          text={isFiltered ? words.nothingFoundHint : words.noneYetHint}
        >
          {isFiltered ? (
            <Button onClick={() => setQuery({ search: undefined })}>{words.clearSearch}</Button>
          ) : (
            <Button icon="plus" onClick={onCreate}>
              {words.create}
            </Button>
          )}
        </EmptyState>
      ) : (
        <Table
          label={words.list}
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
          selectedKey={openId}
          onSeen={pages.setSeen}
          onOpen={({ id }) => navigate(hrefOf('lobbies', [id], { search: written }))}
          {...(!isPaused && { onNearEnd: pages.loadMore })}
          footer={
            isLoading ? (
              <Loading />
            ) : (
              isPaused &&
              hasMore && (
                <Button
                  onClick={() => {
                    setSearchedMax(searched + searchedAtOnce);
                    pages.loadMore();
                  }}
                >
                  {words.searchOn}
                </Button>
              )
            )
          }
        />
      )}
    </section>
  );
}
