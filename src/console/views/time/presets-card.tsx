import { useState } from 'preact/hooks';
import { control } from '../../control/client.ts';
import { useRun } from '../../control/use-run.ts';
import { Button } from '../../ui/button.tsx';
import { FailureNote } from '../../ui/failure-note.tsx';
import { TextField } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.ts';
import { timeWords } from '../../words/en/time.ts';
import { type FaultPresetName, faultPresetNames, faultPresets, seedOf } from './fault-presets.ts';

const words = timeWords.presets;

/** Situations with several faults, each with a seed. */
export function PresetsCard({ onArmed }: { onArmed(): void }) {
  const [seed, setSeed] = useState('1');
  const running = useRun();
  const arm = async (name: FaultPresetName) => {
    const documents = faultPresets[name](seedOf(seed));
    if (!(await running.run(() => control.post('/faults', documents)))) return;
    toast(words.armed(words.names[name].name, documents.length));
    onArmed();
  };
  return (
    <section class="card stack" aria-label={words.title}>
      <h2>{words.title}</h2>
      <FailureNote failure={running.failure} />
      <div class="time-line-form">
        <TextField label={words.seed} hint={words.seedHint} value={seed} onInput={setSeed} />
        <Button onClick={() => setSeed(String(crypto.getRandomValues(new Uint32Array(1))[0]))}>{words.newSeed}</Button>
      </div>
      <ul class="entries">
        {faultPresetNames.map(name => (
          <li key={name} class="entry">
            <div class="grow">
              <strong>{words.names[name].name}</strong>
              <p class="hint">{words.names[name].does}</p>
            </div>
            <Button isBusy={running.isBusy} label={words.arm(words.names[name].name)} onClick={() => void arm(name)}>
              {words.armShort}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
