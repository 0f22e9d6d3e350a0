import type { Command } from '../../../model/command.ts';
import { diffCommand } from '../../../model/rules/commands/command-diff.ts';
import type { DesiredContext } from '../../../model/rules/commands/plan/desired.ts';
import type { CommandVersion, CommandVersionsAnswer } from '../../../wire/control/commands.ts';
import { useControl } from '../../control/use-control.ts';
import { hrefOf } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { clockText } from '../../ui/text/time.ts';
import { commandWords as words } from '../../words/en/commands.ts';
import { Changes } from './changes.tsx';
import { definitionOf } from './draft.ts';

/** What the command was before, and what changed from one version to the next. */
export function CommandVersions({
  stored,
  context,
  onEdit,
}: {
  readonly stored: Command;
  readonly context: DesiredContext;
  onEdit(command: Command): void;
}) {
  const { data, error, reload } = useControl<CommandVersionsAnswer>(`/commands/${stored.id}/versions`, {
    query: { version: stored.version },
  });
  const versions = data?.versions ?? [];
  return (
    <section class="card stack">
      <h3>{words.versions.title}</h3>
      {error && <ErrorNote error={error} onRetry={reload} />}
      {data && <p class="hint">{versions.length === 0 ? words.versions.none : words.versions.hint}</p>}
      <ol class="stack">
        {versions.map((version, i) => (
          <li key={version.version}>
            <Version
              version={version}
              before={versions[i + 1]?.command ?? undefined}
              isCurrent={version.version === stored.version}
              context={context}
              onEdit={onEdit}
            />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Version({
  version: { at_ms, command, cause },
  before,
  isCurrent,
  context,
  onEdit,
}: {
  readonly version: CommandVersion;
  readonly before: Command | undefined;
  readonly isCurrent: boolean;
  readonly context: DesiredContext;
  onEdit(command: Command): void;
}) {
  const changes = command && before ? diffCommand(before, definitionOf(command), context) : undefined;
  return (
    <details>
      <summary>
        <span class="mono">{clockText(at_ms)}</span>{' '}
        {isCurrent && <span class="badge good">{words.versions.current}</span>}{' '}
        {!command && <span class="badge fault">{words.versions.deleted}</span>}
        {command && !before && <span class="badge">{words.versions.first}</span>}
      </summary>
      <div class="stack commands-version">
        {changes && changes.length > 0 && <Changes changes={changes} label={words.versions.title} />}
        {changes?.length === 0 && <p class="hint">{words.versions.same}</p>}
        <div class="row">
          {command && !isCurrent && <Button onClick={() => onEdit(command)}>{words.versions.restore}</Button>}
          {cause !== null && <a href={hrefOf('traffic', [], { chain: cause })}>{words.versions.cause}</a>}
        </div>
      </div>
    </details>
  );
}
