import { useState } from 'preact/hooks';
import type { TrafficQuery, TrafficReplay } from '../../../wire/control/traffic.ts';
import { control, type Query } from '../../control/client.ts';
import { messageOf } from '../../control/errors.ts';
import { hrefOf } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { useCommands } from '../../ui/commands.ts';
import { ask, Dialog } from '../../ui/dialog.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { ErrorNote } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.ts';
import { words } from '../../words/en/traffic.ts';

const replayTimeoutMs = 120_000;

/** Export, replay, and forgetting. */
export function Recordings({ filter, onCleared }: { readonly filter: TrafficQuery; onCleared(): void }) {
  const [isReplaying, setReplaying] = useState(false);
  const save = async () => {
    try {
      const { recording } = await control.get<{ recording: string }>('/traffic/recording', { query: filter as Query });
      saveFile('traffic.jsonl', recording, 'application/jsonl');
      toast(words.exportDone);
    } catch (error) {
      toast(messageOf(error), 'fault');
    }
  };
  const clear = async () => {
    const { clearTitle, clearText, clearConfirm } = words;
    if (!(await ask({ title: clearTitle, text: clearText, confirm: clearConfirm, isDanger: true }))) return;
    try {
      await control.delete('/traffic');
      onCleared();
    } catch (error) {
      toast(messageOf(error), 'fault');
    }
  };
  useCommands(
    [
      { id: 'export', label: words.export, run: () => void save() },
      { id: 'replay', label: words.replay, run: () => setReplaying(true) },
      { id: 'clear', label: words.clear, run: () => void clear() },
    ],
    [JSON.stringify(filter)],
  );
  return (
    <>
      <Button icon="out" onClick={save}>
        {words.export}
      </Button>
      <Button icon="in" onClick={() => setReplaying(true)}>
        {words.replay}
      </Button>
      <Button icon="trash" kind="quiet" label={words.clear} onClick={clear} />
      {isReplaying && <ReplayDialog onClose={() => setReplaying(false)} />}
    </>
  );
}

function ReplayDialog({ onClose }: { onClose(): void }) {
  const { replayDialog } = words;
  const [file, setFile] = useState<File>();
  const [requests, setRequests] = useState<'writes' | 'all'>('writes');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const [replay, setReplay] = useState<TrafficReplay>();
  const run = async () => {
    if (!file) return setError(replayDialog.none);
    setBusy(true);
    setError(undefined);
    try {
      const recording = await file.text();
      setReplay(await control.post('/traffic/replay', { recording, requests }, { timeoutMs: replayTimeoutMs }));
    } catch (error) {
      setError(messageOf(error));
    }
    setBusy(false);
  };
  return (
    <Dialog
      title={replayDialog.title}
      isWide
      onClose={onClose}
      footer={
        <Button kind="primary" isBusy={isBusy} onClick={run}>
          {replayDialog.run}
        </Button>
      }
    >
      <p>{replayDialog.lead}</p>
      <Field label={replayDialog.file}>
        {attributes => (
          <input
            {...attributes}
            class="input"
            type="file"
            accept=".jsonl,.json,.txt"
            onChange={event => setFile(event.currentTarget.files?.[0])}
          />
        )}
      </Field>
      <Select<'writes' | 'all'>
        label={replayDialog.which}
        value={requests}
        choices={[
          { value: 'writes', label: replayDialog.writes },
          { value: 'all', label: replayDialog.all },
        ]}
        onChange={value => setRequests(value)}
      />
      {error !== undefined && <ErrorNote error={{ message: error }} />}
      {replay && <Replayed replay={replay} onClose={onClose} />}
    </Dialog>
  );
}

function Replayed({ replay, onClose }: { readonly replay: TrafficReplay; onClose(): void }) {
  const { replayDialog } = words;
  return (
    <>
      <p role="status">{replayDialog.results(replay.requests.length, replay.skipped)}</p>
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">{replayDialog.route}</th>
            <th scope="col">{replayDialog.by}</th>
            <th scope="col">{replayDialog.recorded}</th>
            <th scope="col">{replayDialog.now}</th>
            <th scope="col">{replayDialog.entry}</th>
          </tr>
        </thead>
        <tbody>
          {replay.requests.map(({ route, by, recorded_status, status, traffic_id }, at) => (
            <tr key={`${at}/${traffic_id}`}>
              <td>{route}</td>
              <td>{by}</td>
              <td>{recorded_status ?? '–'}</td>
              <td>
                {status}{' '}
                {recorded_status !== null && recorded_status !== status && (
                  <span class="badge warn">{replayDialog.unlike}</span>
                )}
              </td>
              <td>
                {traffic_id !== null && (
                  <a href={hrefOf('traffic', [String(traffic_id)])} onClick={onClose}>
                    {replayDialog.show}
                  </a>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
