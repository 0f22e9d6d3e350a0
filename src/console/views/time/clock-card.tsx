import { useState } from 'preact/hooks';
import type { ControlStatus } from '../../../wire/control/status.ts';
import type { ClockBody, TimersAnswer } from '../../../wire/control/time.ts';
import { serviceNow } from '../../control/clock.ts';
import type { Loaded } from '../../control/use-control.ts';
import { useRun } from '../../control/use-run.ts';
import { Button, CopyButton } from '../../ui/button.tsx';
import { useCommands } from '../../ui/commands.ts';
import { FailureNote } from '../../ui/failure-note.tsx';
import { TextField } from '../../ui/field.tsx';
import { ErrorNote, Loading } from '../../ui/states.tsx';
import { clockText, durationText } from '../../ui/text/time.ts';
import { timeWords } from '../../words/en/time.ts';
import { advance } from './advance.ts';
import { parseDuration } from './duration.ts';

const words = timeWords.clock;
const steps = [1_000, 10_000, 60_000, 300_000, 900_000, 3_600_000, 86_400_000];

export function ClockCard({
  status,
  timers,
  onMoved,
}: {
  readonly status: Loaded<ControlStatus>;
  readonly timers: TimersAnswer | undefined;
  onMoved(): void;
}) {
  const clock = status.data?.clock;
  return (
    <section class="card stack" aria-label={words.title}>
      <div class="row">
        <h2 class="grow">{words.title}</h2>
        {clock && <span class="badge">{clock.kind === 'virtual' ? words.virtual : words.system}</span>}
      </div>
      {!clock && (status.error ? <ErrorNote error={status.error} onRetry={status.reload} /> : <Loading />)}
      {clock && <p class="time-now mono">{clockText(serviceNow.value)}</p>}
      {clock?.kind === 'virtual' && <Advancing timers={timers} onMoved={onMoved} />}
      {clock?.kind === 'system' && (
        <>
          <p class="hint">{words.systemText}</p>
          <div class="row">
            <code>{words.startCommand}</code>
            <CopyButton text={words.startCommand} isBare />
          </div>
        </>
      )}
    </section>
  );
}

function Advancing({ timers, onMoved }: { readonly timers: TimersAnswer | undefined; onMoved(): void }) {
  const [amount, setAmount] = useState('');
  const [isWrong, setWrong] = useState(false);
  const running = useRun();
  const next = timers?.timers[0];

  const move = async (body: ClockBody, byMs: number) => {
    if (await running.run(() => advance(body, byMs))) onMoved();
  };
  const toNext = () => move({ to_next: true }, next ? next.at_ms - serviceNow.peek() : 0);
  useCommands(
    [
      { id: 'clock-next', label: words.toNext, run: () => void toNext() },
      ...steps.map(ms => ({
        id: `clock-${ms}`,
        label: words.byPalette(durationText(ms)),
        run: () => void move({ advance_ms: ms }, ms),
      })),
    ],
    [next?.at_ms],
  );
  return (
    <>
      <p class="hint">{words.virtualText}</p>
      <FailureNote failure={running.failure} />
      <div class="row">
        {steps.map(ms => (
          <Button
            key={ms}
            isBusy={running.isBusy}
            title={words.byPalette(durationText(ms))}
            onClick={() => void move({ advance_ms: ms }, ms)}
          >
            {words.by(durationText(ms))}
          </Button>
        ))}
      </div>
      <form
        class="time-line-form"
        onSubmit={event => {
          event.preventDefault();
          const ms = parseDuration(amount);
          setWrong(ms === undefined);
          if (ms !== undefined) void move({ advance_ms: ms }, ms);
        }}
      >
        <TextField
          label={words.amount}
          hint={words.amountHint}
          value={amount}
          {...(isWrong && { error: words.amountWrong })}
          onInput={value => {
            setAmount(value);
            setWrong(false);
          }}
        />
        <Button type="submit" isBusy={running.isBusy}>
          {words.advance}
        </Button>
      </form>
      <div class="row">
        <Button kind="primary" isDisabled={!next} isBusy={running.isBusy} onClick={() => void toNext()}>
          {words.toNext}
        </Button>
        <span class="hint" role="status">
          {running.isBusy ? words.running : next ? next.what : words.nothingDue}
        </span>
      </div>
    </>
  );
}
