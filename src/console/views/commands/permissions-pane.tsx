import { useEffect, useState } from 'preact/hooks';
import type { Command } from '../../../model/command.ts';
import { type CommandOverwrite, type GuildCommandPermissions, overwriteTypes } from '../../../model/overwrite.ts';
import { memberPlace } from '../../../model/rules/permissions/member-place.ts';
import { mayEditOverwrites } from '../../../model/rules/permissions/overwrite-authority.ts';
import type { Snowflake } from '../../../model/snowflake.ts';
import type { CommandScope } from '../../../wire/control/commands.ts';
import type {
  ApplicationDetails,
  GuildDetails,
  GuildMemberDetails,
  GuildMembersPage,
  GuildSummary,
} from '../../../wire/control/world.ts';
import { act } from '../../control/act.ts';
import { messageOf } from '../../control/errors.ts';
import { useControl } from '../../control/use-control.ts';
import { hrefOf, navigate, setQuery } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { EmptyState, ErrorNote, Loading } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.ts';
import { commandWords as words } from '../../words/en/commands.ts';
import { ExplainCard } from './explain-card.tsx';
import { hrefOfCommands, nameOf } from './links.ts';
import {
  matrixRows,
  type Overwrites,
  overwritesById,
  type Ruling,
  rulingAfter,
  rulingOf,
  sameOverwrites,
  type Target,
  targetsOf,
  withRuling,
} from './overwrite-matrix.ts';

const membersMax = 50;
const permissionsScope = 'applications.commands.permissions.update';
const kinds = { roles: overwriteTypes.ROLE, users: overwriteTypes.USER, channels: overwriteTypes.CHANNEL } as const;
type Kind = keyof typeof kinds;

/** Who may use which command of an application in a guild. */
export function PermissionsPane({
  application,
  scopes,
  guilds,
  guildId,
  query,
}: {
  readonly application: ApplicationDetails;
  readonly scopes: readonly CommandScope[];
  readonly guilds: readonly GuildSummary[];
  readonly guildId: string | undefined;
  readonly query: Readonly<Record<string, string>>;
}) {
  const chosen = guilds.find(({ id }) => id === guildId) ?? guilds[0];
  const guild = useControl<GuildDetails>(chosen && `/guilds/${chosen.id}`);
  const members = useControl<GuildMembersPage>(chosen && `/guilds/${chosen.id}/members`, {
    query: { limit: membersMax, search: query.members },
  });
  if (!chosen) {
    return (
      <EmptyState title={words.permissions.noGuild} text={words.permissions.noGuildHint}>
        <a class="button primary" href={hrefOf('world')}>
          {words.toWorld}
        </a>
      </EmptyState>
    );
  }
  const error = guild.error ?? members.error;
  return (
    <div class="stack">
      <div class="row commands-choices">
        <Select
          label={words.permissions.guild}
          value={chosen.id}
          choices={guilds.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={id => navigate(hrefOfCommands(application.id, id, 'permissions'))}
        />
        <TextField
          label={words.permissions.search}
          type="search"
          value={query.members ?? ''}
          onInput={members => setQuery({ members })}
        />
      </div>
      {error && <ErrorNote error={error} onRetry={guild.error ? guild.reload : members.reload} />}
      {guild.data && members.data && (
        <GuildPermissions
          key={chosen.id}
          application={application}
          scopes={scopes}
          guild={guild.data}
          members={members.data}
          query={query}
        />
      )}
      {!error && !(guild.data && members.data) && <Loading />}
    </div>
  );
}

function GuildPermissions({
  application,
  scopes,
  guild,
  members: { members, next },
  query,
}: {
  readonly application: ApplicationDetails;
  readonly scopes: readonly CommandScope[];
  readonly guild: GuildDetails;
  readonly members: GuildMembersPage;
  readonly query: Readonly<Record<string, string>>;
}) {
  const [stored, setStored] = useState<Overwrites>();
  const [edited, setEdited] = useState<Overwrites>(new Map());
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const editors = members.filter(member => isEditor(guild, member));
  const [editorId, setEditorId] = useState<string>();
  const editor =
    editors.find(({ user_id }) => user_id === editorId) ??
    editors.find(({ user_id }) => user_id === guild.owner_id) ??
    editors[0];
  const rows = matrixRows(application.id, scopes, guild.id);
  const path = `/applications/${application.id}/guilds/${guild.id}/commands`;

  const load = async () => {
    try {
      const as = { kind: 'bot', application_id: application.id } as const;
      const { body } = await act({ as, method: 'GET', path: `${path}/permissions` });
      setStored(overwritesById(body as readonly GuildCommandPermissions[]));
    } catch (error) {
      setError(toError(error));
    }
  };
  // Once for each guild and application.
  useEffect(() => void load(), [application.id, guild.id]);

  const changed = [...edited].filter(([id, list]) => !sameOverwrites(list, stored?.get(id)));
  const save = async () => {
    if (!editor) return;
    setBusy(true);
    setError(undefined);
    try {
      for (const [id, permissions] of changed) {
        const as = {
          kind: 'user',
          application_id: application.id,
          user_id: editor.user_id,
          scopes: [permissionsScope],
        } as const;
        await act({ as, method: 'PUT', path: `${path}/${id}/permissions`, body: { permissions } });
      }
      setEdited(new Map());
      toast(words.permissions.saved);
    } catch (error) {
      setError(toError(error));
    }
    await load();
    setBusy(false);
  };
  const kind: Kind = Object.hasOwn(kinds, query.columns ?? '') ? (query.columns as Kind) : 'roles';
  const targets = targetsOf({ ...guild, members }).filter(({ type }) => type === kinds[kind]);
  return (
    <>
      <section class="card stack">
        <div class="row commands-matrix-head">
          <h2>{words.permissions.matrix}</h2>
          <div class="row" role="group" aria-label={words.permissions.show}>
            {(Object.keys(kinds) as Kind[]).map(one => (
              <Button key={one} isPressed={one === kind} onClick={() => setQuery({ columns: one })}>
                {words.permissions.kinds[one]}
              </Button>
            ))}
          </div>
        </div>
        {error && <ErrorNote error={error} />}
        {stored ? (
          <Matrix
            rows={rows}
            targets={targets}
            overwritesOf={id => edited.get(id) ?? stored.get(id) ?? []}
            storedOf={id => stored.get(id) ?? []}
            onChange={(id, list) => setEdited(new Map(edited).set(id, list))}
          />
        ) : (
          !error && <Loading />
        )}
        <p class="hint">{words.permissions.keys}</p>
        {kind === 'users' && next !== null && <p class="hint">{words.permissions.moreMembers(members.length)}</p>}
        <div class="row commands-choices">
          {editor ? (
            <Select
              label={words.permissions.editor}
              value={editor.user_id}
              choices={editors.map(member => ({ value: member.user_id, label: labelOf(member, guild) }))}
              onChange={setEditorId}
            />
          ) : (
            <p class="warn">{words.permissions.noEditor}</p>
          )}
          <Button kind="primary" isDisabled={changed.length === 0 || !editor} isBusy={isBusy} onClick={save}>
            {words.permissions.save(changed.length)}
          </Button>
          {changed.length > 0 && <Button onClick={() => setEdited(new Map())}>{words.permissions.revert}</Button>}
        </div>
        <p class="hint">{words.permissions.editorHint}</p>
      </section>
      <ExplainCard
        guild={guild}
        members={members}
        commands={rows.flatMap(({ command }) => command ?? [])}
        query={query}
        revision={stored}
      />
    </>
  );
}

function isEditor(guild: GuildDetails, { user_id, roles, adult }: GuildMemberDetails): boolean {
  const place = memberPlace(guild, { user_id, roles, adult });
  return place !== undefined && mayEditOverwrites(place);
}

export function labelOf(
  { user_id, username, global_name, nick }: GuildMemberDetails,
  { owner_id }: GuildDetails,
): string {
  const name = nick ?? global_name ?? username ?? user_id;
  return user_id === owner_id ? `${name} (${words.permissions.ownerTag})` : name;
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(messageOf(error));
}

/** A grid of which one cell is in the order of Tab; arrow keys move in it. */
function Matrix({
  rows,
  targets,
  overwritesOf,
  storedOf,
  onChange,
}: {
  readonly rows: readonly { readonly id: Snowflake; readonly command: Command | undefined }[];
  readonly targets: readonly Target[];
  overwritesOf(id: Snowflake): readonly CommandOverwrite[];
  storedOf(id: Snowflake): readonly CommandOverwrite[];
  onChange(id: Snowflake, overwrites: readonly CommandOverwrite[]): void;
}) {
  const [focus, setFocus] = useState({ row: 0, column: 0 });
  const row = Math.min(focus.row, rows.length - 1);
  const column = Math.min(focus.column, targets.length - 1);
  const move = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    const next = {
      row: Math.min(rows.length - 1, Math.max(0, row + step[0])),
      column: Math.min(targets.length - 1, Math.max(0, column + step[1])),
    };
    setFocus(next);
    const cells = (event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('td button');
    cells[next.row * targets.length + next.column]?.focus();
  };
  return (
    <div class="commands-scroll">
      <table class="commands-matrix" role="grid" aria-label={words.permissions.matrix} onKeyDown={move}>
        <thead>
          <tr>
            <th scope="col">{words.permissions.command}</th>
            {targets.map(target => (
              <th key={target.id} scope="col">
                {nameOfTarget(target)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, command }, i) => {
            const list = overwritesOf(id);
            return (
              <tr key={id}>
                <th scope="row">
                  {command ? nameOf(command) : words.permissions.allCommands}
                  {!command && <span class="hint"> {words.permissions.allCommandsHint}</span>}
                </th>
                {targets.map((target, n) => {
                  const ruling = rulingOf(list, target);
                  const isChanged = ruling !== rulingOf(storedOf(id), target);
                  const label = words.permissions.cell(
                    command ? nameOf(command) : words.permissions.allCommands,
                    nameOfTarget(target),
                    words.permissions.rulings[ruling],
                  );
                  return (
                    <td key={target.id}>
                      <button
                        type="button"
                        class={`commands-ruling ${ruling}${isChanged ? ' changed' : ''}`}
                        tabIndex={i === row && n === column ? 0 : -1}
                        aria-label={isChanged ? `${label}, ${words.permissions.changed}` : label}
                        onFocus={() => setFocus({ row: i, column: n })}
                        onClick={() => onChange(id, withRuling(list, target, rulingAfter(ruling)))}
                      >
                        {signs[ruling]} {words.permissions.rulings[ruling]}
                      </button>
                    </td>
                  );
                })}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

const signs: Readonly<Record<Ruling, string>> = { allow: '✓', deny: '✕', unset: '–' };

const steps: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  Home: [0, Number.MIN_SAFE_INTEGER],
  End: [0, Number.MAX_SAFE_INTEGER],
};

function nameOfTarget({ type, isAll, name }: Target): string {
  if (type !== overwriteTypes.CHANNEL) return name;
  return isAll ? words.permissions.allChannels : `#${name}`;
}
