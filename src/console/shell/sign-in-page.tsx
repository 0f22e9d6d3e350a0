import { useEffect, useRef, useState } from 'preact/hooks';
import { control } from '../control/client.ts';
import { messageOf } from '../control/errors.ts';
import { signIn, signInReason } from '../control/session.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { words } from '../words/en.ts';

/** Asks for the control token, and says where it is found. */
export function SignInPage() {
  const [token, setToken] = useState('');
  const [error, setError] = useState<string | undefined>(
    signInReason.value === 'rejected' ? words.signIn.rejected : undefined,
  );
  const [isChecking, setChecking] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    document.title = words.signIn.title;
    form.current?.querySelector('input')?.focus();
  }, []);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isChecking) return;
    const trimmed = token.trim();
    if (trimmed === '') return setError(words.signIn.empty);
    setChecking(true);
    try {
      await control.check(trimmed);
      signIn(trimmed);
    } catch (error) {
      setError(messageOf(error));
      setChecking(false);
    }
  };

  return (
    <main class="sign-in-page">
      <form ref={form} onSubmit={submit} class="card" noValidate>
        <h1>{words.signIn.title}</h1>
        <p>{words.signIn.lead}</p>
        <TextField
          label={words.signIn.token}
          type="password"
          value={token}
          onInput={setToken}
          {...(error !== undefined && { error })}
          autoComplete="off"
        />
        <Button kind="primary" type="submit" isBusy={isChecking}>
          {words.signIn.submit}
        </Button>
        <p class="hint">{words.signIn.where}</p>
        <p class="hint">{words.signIn.kept}</p>
      </form>
    </main>
  );
}
