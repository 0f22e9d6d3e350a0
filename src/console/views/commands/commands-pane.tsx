import type { Command, CommandType } from '../../../model/command.ts';
import { commandTypes } from '../../../model/command.ts';
import { limits } from '../../../model/limits/limits.ts';
import { countByType } from '../../../model/rules/commands/command-count.ts';
import { navigate } from '../../router.ts';
import { TextField } from '../../ui/field.tsx';
import { useSearchText } from '../../ui/search-text.ts';
import { EmptyState } from '../../ui/states.tsx';
import { commandWords as words } from '../../words/en/commands.ts';
import { CommandEditor, hasDraft } from './command-editor.tsx';
import { hrefOfCommands, nameOf } from './links.ts';
import type { Scope } from './scope.ts';

export const newCommandPart = 'new';

/** The commands of a scope: a list, and the one that is chosen. */
export function CommandsPane({
  scope,
  commandId,
  find,
  onChanged,
}: {
  readonly scope: Scope;
  readonly commandId: string | undefined;
  /** What the list is searched for. */
  readonly find: string;
  onChanged(): void;
}) {
  const { application, guildId, commands } = scope;
  const href = (id?: string) => hrefOfCommands(application.id, guildId, 'list', id, { find });
  const chosen = commands.find(({ id }) => id === commandId);
  const isNew = commandId === newCommandPart;
  const hasChoice = commandId !== undefined;
  if (commands.length === 0 && !hasChoice) {
    return (
      <EmptyState title={words.none} text={words.noneHint}>
        <a class="button primary" href={href(newCommandPart)}>
          {words.create}
        </a>
        <a class="button" href={hrefOfCommands(application.id, guildId, 'plan')}>
          {words.tabs.plan}
        </a>
      </EmptyState>
    );
  }
  return (
    <div class={hasChoice ? 'commands-pane has-choice' : 'commands-pane'}>
      <CommandList scope={scope} commandId={commandId} find={find} href={href} />
      <section class="commands-chosen">
        {hasChoice && (
          <a class="button quiet commands-back" href={href()}>
            {words.back}
          </a>
        )}
        {(chosen || isNew) && (
          <CommandEditor
            key={`${application.id}/${guildId ?? ''}/${commandId}`}
            scope={scope}
            stored={chosen}
            onSaved={({ id }) => {
              onChanged();
              navigate(href(id));
            }}
            onDeleted={() => {
              onChanged();
              navigate(href());
            }}
          />
        )}
        {hasChoice && !chosen && !isNew && <EmptyState title={words.gone} text={words.goneHint} />}
        {!hasChoice && <EmptyState title={words.choose} text={words.chooseHint} />}
      </section>
    </div>
  );
}

const typeOrder = Object.values(commandTypes) as readonly CommandType[];

function CommandList({
  scope: { application, guildId, commands, createsLeft },
  commandId,
  find,
  href,
}: {
  readonly scope: Scope;
  readonly commandId: string | undefined;
  readonly find: string;
  href(id?: string): string;
}) {
  const [text, setText] = useSearchText(find, 'find');
  const shown = commands.filter(command => matches(command, text));
  const counts = countByType(commands);
  const groups = typeOrder.map(type => ({ type, items: shown.filter(command => command.type === type) }));
  return (
    <nav class="commands-list stack" aria-label={words.listLabel}>
      <div class="stack">
        <div>
          <TextField
            label={words.filter}
            isLabelHidden
            type="search"
            placeholder={words.filter}
            value={text}
            onInput={setText}
          />
        </div>
        <a
          class="button primary"
          href={href(newCommandPart)}
          aria-current={commandId === newCommandPart ? 'page' : undefined}
        >
          {words.create}
        </a>
      </div>
      {createsLeft !== null && <p class="hint">{words.createsLeft(createsLeft)}</p>}
      {shown.length === 0 && <p class="hint">{words.noMatch}</p>}
      {groups
        .filter(({ items }) => items.length > 0)
        .map(({ type, items }) => (
          <section key={type}>
            <h2 class="commands-group">
              <span>{words.types[type]}</span>
              <span class="hint">{words.counts(counts[type] ?? 0, limits.commandsPerScope[type])}</span>
            </h2>
            <ul>
              {items
                .toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
                .map(command => (
                  <li key={command.id}>
                    <a
                      class="commands-item"
                      href={href(command.id)}
                      aria-current={command.id === commandId ? 'page' : undefined}
                    >
                      <strong>{nameOf(command)}</strong>
                      {command.description !== '' && <span class="hint">{command.description}</span>}
                      {hasDraft(application.id, guildId, command.id) && <span class="badge warn">{words.unsaved}</span>}
                    </a>
                  </li>
                ))}
            </ul>
          </section>
        ))}
    </nav>
  );
}

function matches({ id, name, description, name_localizations }: Command, filter: string): boolean {
  const wanted = filter.trim().replace(/^\//, '').toLowerCase();
  const texts = [id, name, description, ...Object.values(name_localizations ?? {})];
  return texts.some(text => text.toLowerCase().includes(wanted));
}
