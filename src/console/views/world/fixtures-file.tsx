import { useRef, useState } from 'preact/hooks';
import type { FixturesDocument } from '../../../wire/control/calls.ts';
import { readJsonFile } from '../../../wire/json-file.ts';
import { control } from '../../control/client.ts';
import { useRun } from '../../control/use-run.ts';
import { Button, CopyButton } from '../../ui/button.tsx';
import { ask } from '../../ui/dialog.tsx';
import { FailureNote } from '../../ui/failure-note.tsx';
import { TextArea } from '../../ui/field.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { toast } from '../../ui/toast.ts';
import { worldWords } from '../../words/en/world.ts';
import { locateInJson } from './locate-in-json.ts';
import { applicationIds, type FreshSecret, freshSecrets, postFixtures } from './save-fixture.ts';
import { SecretsDialog } from './secrets-dialog.tsx';

const words = worldWords.fixtures;
/** A text field with more in it stutters; files are downloaded and opened whatever their size is. */
const editableLengthMax = 2_000_000;

/** The whole world as one document: out, and in again. */
export function FixturesFile() {
  const [text, setText] = useState('');
  const [checked, setChecked] = useState('');
  const [secrets, setSecrets] = useState<readonly FreshSecret[]>([]);
  const running = useRun();
  const field = useRef<HTMLDivElement>(null);
  const file = useRef<HTMLInputElement>(null);

  const read = () => running.run(() => control.get<FixturesDocument>('/fixtures', { timeoutMs: 120_000 }));
  const show = async () => {
    const document = await read();
    if (!document) return;
    const found = JSON.stringify(document, null, 2);
    if (found.length > editableLengthMax) return running.fail({ message: words.tooLarge, issues: [] });
    setText(found);
  };
  const download = async () => {
    const document = await read();
    if (document) saveFile('fixtures.json', JSON.stringify(document, null, 2), 'application/json');
  };
  const openFile = async (chosen: File | undefined) => {
    if (!chosen) return;
    try {
      setText(await chosen.text());
      running.fail(undefined);
    } catch {
      running.fail({ message: words.fileFailed(chosen.name), issues: [] });
    }
  };
  const apply = async () => {
    const reading = readJsonFile(text);
    setChecked(text);
    if ('fault' in reading) return running.fail({ message: words.notJson(reading.fault), issues: [] });
    const document = reading.value as FixturesDocument;
    const counts = words.counts(countsOf(document));
    if (!(await ask({ title: words.applyTitle, text: words.applyText(counts), confirm: words.apply }))) return;
    await running.run(async () => {
      const known = await applicationIds();
      const answer = await postFixtures(document);
      toast(words.applied(words.counts(countsOf(answer))));
      setSecrets(freshSecrets(document, answer, known));
    });
  };
  const reset = async () => {
    const isSure = await ask({
      title: words.resetTitle,
      text: words.resetText,
      confirm: words.resetConfirm,
      isDanger: true,
    });
    if (!isSure) return;
    await running.run(async () => {
      await control.post('/reset', undefined, { timeoutMs: 120_000 });
      toast(words.resetDone);
    });
  };

  const issues = running.failure?.issues ?? [];
  const goTo = (path: readonly string[]) => {
    const area = field.current?.querySelector('textarea');
    if (!area) return;
    const { start, end } = locateInJson(text, path);
    area.focus();
    area.setSelectionRange(start, end);
  };
  return (
    <div class="stack">
      <p class="hint">{words.intro}</p>
      <div class="row">
        <Button isBusy={running.isBusy} icon="out" onClick={() => void download()}>
          {words.download}
        </Button>
        <Button isBusy={running.isBusy} onClick={() => void show()}>
          {words.show}
        </Button>
        <Button icon="in" onClick={() => file.current?.click()}>
          {words.choose}
        </Button>
        <input
          ref={file}
          type="file"
          accept=".json,application/json"
          hidden
          onChange={event => {
            void openFile(event.currentTarget.files?.[0]);
            // The same file can be chosen again after it was changed.
            event.currentTarget.value = '';
          }}
        />
        <span class="grow" />
        <Button kind="danger" isBusy={running.isBusy} onClick={() => void reset()}>
          {words.reset}
        </Button>
      </div>
      {issues.length === 0 ? (
        <FailureNote failure={running.failure} />
      ) : (
        <section class="error-note" role="alert">
          <div class="grow">
            <h2>{words.issues(issues.length)}</h2>
            {text !== checked && <p>{words.changed}</p>}
            <ul>
              {issues.map(({ path, message }) => {
                const { line, column } = locateInJson(checked, path);
                return (
                  <li key={`${path.join('.')} ${message}`}>
                    <button type="button" class="link" onClick={() => goTo(path)}>
                      {words.at(line, column)}
                    </button>{' '}
                    <code>{path.join('.')}</code> {message}
                  </li>
                );
              })}
            </ul>
          </div>
        </section>
      )}
      <div
        ref={field}
        class="fixtures-text"
        onDragOver={event => event.preventDefault()}
        onDrop={event => {
          event.preventDefault();
          void openFile(event.dataTransfer?.files[0]);
        }}
      >
        <TextArea label={words.text} hint={words.drop} rows={20} isMono value={text} onInput={setText} />
      </div>
      <div class="row">
        <Button kind="primary" isBusy={running.isBusy} isDisabled={text.trim() === ''} onClick={() => void apply()}>
          {words.apply}
        </Button>
        <CopyButton text={() => text} label={words.copy} kind="plain" />
      </div>
      {secrets.length > 0 && <SecretsDialog secrets={secrets} onClose={() => setSecrets([])} />}
    </div>
  );
}

function countsOf(document: FixturesDocument) {
  const count = (list: unknown) => (Array.isArray(list) ? list.length : 0);
  const { applications, users, guilds, ...social } = (document ?? {}) as FixturesDocument;
  return {
    applications: count(applications),
    users: count(users),
    guilds: count(guilds),
    relationships: count(social.relationships),
    social_settings: count(social.social_settings),
    direct_messages: count(social.direct_messages),
    application_profiles: count(social.application_profiles),
  };
}
