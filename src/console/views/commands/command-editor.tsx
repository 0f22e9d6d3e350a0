import { signal } from '@preact/signals';
import { useRef, useState } from 'preact/hooks';
import { type Command, type CommandInput, commandTypes } from '../../../model/command.ts';
import { formatPath } from '../../../model/errors/issue.ts';
import { diffCommand } from '../../../model/rules/commands/command-diff.ts';
import { messageOf } from '../../control/errors.ts';
import { Button } from '../../ui/button.tsx';
import { ask } from '../../ui/dialog.tsx';
import { TextArea } from '../../ui/field.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.ts';
import { commandWords as words } from '../../words/en/commands.ts';
import { Changes } from './changes.tsx';
import { CommandForm } from './command-form.tsx';
import { CommandPreview } from './command-preview.tsx';
import { CommandVersions } from './command-versions.tsx';
import { type Draft, definitionOf, draftText, type PlacedIssue, readDraft } from './draft.ts';
import { nameOf } from './links.ts';
import { commandActs, type Scope } from './scope.ts';

/** What was written and not saved, by the command: it stays while other views are shown. */
const drafts = signal<ReadonlyMap<string, string>>(new Map());

function draftKey(applicationId: string, guildId: string | undefined, commandId: string): string {
  return `${applicationId}/${guildId ?? ''}/${commandId}`;
}

export function hasDraft(applicationId: string, guildId: string | undefined, commandId: string): boolean {
  return drafts.value.has(draftKey(applicationId, guildId, commandId));
}

const exampleText = draftText({
  type: commandTypes.CHAT_INPUT,
  name: 'rally',
  description: 'Calls your party together',
  options: [{ type: 3, name: 'map', description: 'Where to meet', required: true }],
});

export function CommandEditor({
  scope,
  stored,
  onSaved,
  onDeleted,
}: {
  readonly scope: Scope;
  /** Undefined: a new command is written. */
  readonly stored: Command | undefined;
  onSaved(command: Command): void;
  onDeleted(): void;
}) {
  const { application, guildId } = scope;
  const key = draftKey(application.id, guildId, stored?.id ?? 'new');
  const storedText = stored ? draftText(definitionOf(stored)) : exampleText;
  const text = drafts.value.get(key) ?? storedText;
  const [mode, setMode] = useState<'form' | 'json'>('json');
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const write = (next: string | undefined) => {
    const map = new Map(drafts.peek());
    if (next === undefined || next === storedText) map.delete(key);
    else map.set(key, next);
    drafts.value = map;
  };
  const draft = readDraft(text, { scope: scope.context.scope, traits: scope.traits, stored });
  const isChanged = drafts.value.has(key);
  const changes = stored && draft.isValid ? diffCommand(stored, draft.value as CommandInput, scope.context) : [];
  const acts = commandActs(scope);

  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (error) {
      setError(error instanceof Error ? error : new Error(messageOf(error)));
    }
    setBusy(false);
  };
  const save = () =>
    run(async () => {
      const desired = draft.value as CommandInput;
      const isRenamed = stored !== undefined && stored.name !== desired.name;
      const { renameTitle: title, renameText, rename: confirm } = words.editor;
      if (isRenamed && !(await ask({ title, text: renameText, confirm }))) return;
      const saved = stored ? await acts.edit(desired, stored) : await acts.create(desired);
      write(undefined);
      toast(stored ? words.editor.saved(nameOf(saved)) : words.editor.created(nameOf(saved)));
      onSaved(saved);
    });
  const remove = () =>
    run(async () => {
      if (!stored) return;
      const { deleteTitle, deleteText, delete: confirm } = words.editor;
      if (!(await ask({ title: deleteTitle(nameOf(stored)), text: deleteText, confirm, isDanger: true }))) return;
      await acts.delete(stored);
      write(undefined);
      const again = () =>
        void acts.create(definitionOf(stored)).then(onSaved, error => toast(messageOf(error), 'fault'));
      toast(words.editor.deleted(nameOf(stored)), 'note', { label: words.editor.undo, run: again });
      onDeleted();
    });
  const revert = async () => {
    const { revertTitle: title, revertText, discard: confirm } = words.editor;
    if (await ask({ title, text: revertText, confirm, isDanger: true })) write(undefined);
  };

  const canSave = draft.isValid && (stored === undefined || changes.length > 0);
  return (
    <div class="commands-editor">
      <header class="row">
        <h2 class="grow">{stored ? nameOf(stored) : words.newTitle}</h2>
        {isChanged && <span class="badge warn">{words.unsaved}</span>}
        <div class="row" role="group" aria-label={words.editor.mode}>
          <Button isPressed={mode === 'form'} onClick={() => setMode('form')}>
            {words.editor.form}
          </Button>
          <Button isPressed={mode === 'json'} onClick={() => setMode('json')}>
            {words.editor.json}
          </Button>
        </div>
      </header>
      <div class="commands-columns">
        <div class="stack">
          <div class="card stack">
            {mode === 'json' && <JsonEditor text={text} draft={draft} onInput={write} />}
            {mode === 'form' && <CommandForm text={text} draft={draft} stored={stored} onInput={write} />}
            {mode === 'form' && <IssueList issues={draft.issues} />}
            {error && <ErrorNote error={error} />}
            <div class="row">
              <Button kind="primary" isDisabled={!canSave} isBusy={isBusy} onClick={save}>
                {stored ? words.editor.save : words.editor.create}
              </Button>
              {isChanged && <Button onClick={revert}>{words.editor.revert}</Button>}
              <span class="grow" />
              {stored && (
                <Button kind="danger" icon="trash" isBusy={isBusy} onClick={remove}>
                  {words.editor.delete}
                </Button>
              )}
            </div>
          </div>
          {stored && (
            <section class="card stack">
              <h3>{words.editor.changes}</h3>
              {changes.length > 0 ? (
                <Changes changes={changes} label={words.editor.changes} />
              ) : (
                <p class="hint">{words.editor.noChanges}</p>
              )}
            </section>
          )}
        </div>
        <div class="stack">
          <CommandPreview command={draft.command} />
          {stored && (
            <CommandVersions
              stored={stored}
              context={scope.context}
              onEdit={command => write(draftText(definitionOf(command)))}
            />
          )}
        </div>
      </div>
    </div>
  );
}

function JsonEditor({
  text,
  draft,
  onInput,
}: {
  readonly text: string;
  readonly draft: Draft;
  onInput(text: string): void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const select = ({ place }: PlacedIssue) => {
    const area = box.current?.querySelector('textarea');
    if (!area) return;
    area.focus();
    area.setSelectionRange(place.from, place.to);
    // Scrolls the line into view; browsers do so for typing only.
    area.scrollTop = Math.max(0, (place.line - 4) * (area.scrollHeight / Math.max(1, text.split('\n').length)));
  };
  const insertTab = (event: KeyboardEvent) => {
    // Tab leaves the field, as the keyboard's users expect; Enter keeps the line's indentation.
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const area = event.target as HTMLTextAreaElement;
    const { selectionStart: start, selectionEnd: end, value } = area;
    const indent = /^ */.exec(value.slice(value.lastIndexOf('\n', start - 1) + 1, start))?.[0] ?? '';
    event.preventDefault();
    area.setRangeText(`\n${indent}`, start, end, 'end');
    onInput(area.value);
  };
  return (
    <div ref={box} class="commands-json">
      <TextArea
        label={words.editor.text}
        hint={words.editor.textHint}
        isMono
        rows={Math.min(32, Math.max(14, text.split('\n').length + 1))}
        value={text}
        onInput={onInput}
        onKeyDown={insertTab}
      />
      <IssueList issues={draft.issues} onSelect={select} />
    </div>
  );
}

function IssueList({
  issues,
  onSelect,
}: {
  readonly issues: readonly PlacedIssue[];
  onSelect?(issue: PlacedIssue): void;
}) {
  return (
    <div role="status" class="commands-issues">
      {issues.length === 0 ? (
        <p class="good">{words.editor.valid}</p>
      ) : (
        <>
          <p class="fault">{words.editor.issues(issues.length)}</p>
          <ul>
            {issues.map(issue => {
              const { path, code, message, place } = issue;
              const where = path.length === 0 ? words.editor.whole : formatPath(path);
              return (
                <li key={`${path.join('\n')} ${code} ${message}`}>
                  {onSelect ? (
                    <button type="button" class="commands-issue-line" onClick={() => onSelect(issue)}>
                      {words.editor.line(place.line)}
                    </button>
                  ) : (
                    <span class="soft">{words.editor.line(place.line)}</span>
                  )}
                  <span>
                    <code>{where}</code> {message}
                  </span>
                </li>
              );
            })}
          </ul>
        </>
      )}
    </div>
  );
}
