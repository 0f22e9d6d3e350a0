import { useState } from 'preact/hooks';
import { isClockVirtual } from '../../control/clock.ts';
import { messageOf } from '../../control/errors.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { signInWords as words } from '../../words/en/sign-in.ts';
import type { FlowArgs } from './flow.ts';
import { AddressParts, ExchangeView, VerdictView } from './shown.tsx';
import { type Step, type TurnName, turnNames, walkTurn } from './wrong-turns.ts';

interface Walked {
  readonly steps: readonly Step[];
  readonly isWalking: boolean;
  readonly error?: string;
}

/** The ways in which a sign-in goes wrong, each walked for real. */
export function WrongTurnsPane({
  args,
  userId,
  baseUrl,
  secret,
}: {
  readonly args: FlowArgs;
  readonly userId: string;
  readonly baseUrl: string;
  readonly secret: string;
}) {
  const [walked, setWalked] = useState<Readonly<Partial<Record<TurnName, Walked>>>>({});
  const isBusy = Object.values(walked).some(({ isWalking }) => isWalking);
  const walk = async (name: TurnName) => {
    const steps: Step[] = [];
    const show = (change: Partial<Walked>) => {
      setWalked(walked => ({ ...walked, [name]: { steps: [...steps], isWalking: true, ...change } }));
    };
    show({});
    const log = (step: Step) => {
      steps.push(step);
      show({});
    };
    try {
      const context = { userId, baseUrl, secret, isClockVirtual: isClockVirtual.peek(), scheme: args.scheme, log };
      await walkTurn(name, context, args);
      show({ isWalking: false });
    } catch (error) {
      show({ isWalking: false, error: messageOf(error) });
    }
  };
  const walkAll = async () => {
    // One after the other: they share the service's clock.
    for (const name of turnNames) await walk(name);
  };
  return (
    <div class="stack">
      <div class="row">
        <p class="hint grow">{words.wrong.lead}</p>
        <Button isBusy={isBusy} onClick={walkAll}>
          {words.wrong.all}
        </Button>
      </div>
      <ul class="sign-in-turns">
        {turnNames.map(name => {
          const { steps = [], isWalking = false, error } = walked[name] ?? {};
          return (
            <li key={name} class="card stack">
              <div class="row">
                <h2 class="grow">{words.wrong.names[name]}</h2>
                <Button kind="primary" isBusy={isBusy} onClick={() => void walk(name)}>
                  {isWalking ? words.wrong.walking : steps.length > 0 ? words.wrong.again : words.wrong.run}
                </Button>
              </div>
              <p class="hint">{words.wrong.about[name]}</p>
              {steps.length > 0 && (
                <ol class="stack">
                  {steps.map((step, i) => (
                    <li key={String(i)}>
                      <StepView step={step} />
                    </li>
                  ))}
                </ol>
              )}
              {error !== undefined && <ErrorNote error={{ message: error }} />}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function StepView({ step }: { readonly step: Step }) {
  switch (step.kind) {
    case 'note':
      return <p>{words.wrong.notes[step.text as keyof typeof words.wrong.notes] ?? step.text}</p>;
    case 'page':
      return (
        <div class="sign-in-page">
          <p class="hint">{words.wrong.page}</p>
          <p>{step.text}</p>
        </div>
      );
    case 'redirect':
      return <AddressParts address={step.address} label={words.redirect.title} />;
    case 'exchange':
      return <ExchangeView exchange={step.exchange} />;
    case 'sdk':
      return <VerdictView verdict={step.verdict} />;
  }
}
