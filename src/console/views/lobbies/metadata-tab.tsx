import type { LobbyDetails } from '../../../wire/control/lobbies.ts';
import { CopyButton } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { eventTimeText } from '../../ui/text/time.ts';
import { lobbyWords } from '../../words/en/lobbies.ts';
import type { MetadataChange } from './metadata.ts';
import type { WatchedChange } from './use-lobby.ts';

const words = lobbyWords.metadata;

/** What the metadata is, and how it changed while one watched: the newest change first. */
export function MetadataTab({
  lobby,
  changes,
}: {
  readonly lobby: LobbyDetails;
  readonly changes: readonly WatchedChange[];
}) {
  const entries = Object.entries(lobby.metadata ?? {});
  return (
    <div class="stack">
      {entries.length === 0 ? (
        <EmptyState title={words.empty} text={words.emptyHint} />
      ) : (
        <>
          <dl class="facts mono">
            {entries.map(([key, value]) => (
              <div key={key}>
                <dt>{key}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
          <div class="row">
            <CopyButton text={() => JSON.stringify(lobby.metadata, null, 2)} />
          </div>
        </>
      )}
      <section class="stack" aria-label={words.changes}>
        <h3>{words.changes}</h3>
        {changes.length === 0 && <p class="hint">{words.noChanges}</p>}
        <ol class="entries" aria-live="polite">
          {changes.map(({ number, at_ms, who, changes }) => (
            <li key={number} class="entry">
              <time class="hint mono">{eventTimeText(at_ms, number)}</time>
              <div class="grow">
                {who !== undefined && <div class="hint">{who}</div>}
                <ul class="lobby-diff">
                  {changes.map(change => (
                    <ChangeLine key={change.key} change={change} />
                  ))}
                </ul>
              </div>
            </li>
          ))}
        </ol>
      </section>
    </div>
  );
}

function ChangeLine({ change: { key, kind, before, after } }: { readonly change: MetadataChange }) {
  if (kind === 'same') return null;
  return (
    <li class={kind}>
      {words.kinds[kind]} <code>{key}</code> {before !== undefined && <del>{before}</del>}{' '}
      {after !== undefined && <ins>{after}</ins>}
    </li>
  );
}
