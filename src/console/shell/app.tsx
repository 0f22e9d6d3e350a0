import { useEffect } from 'preact/hooks';
import { startTicking } from '../control/clock.ts';
import { controlToken } from '../control/session.ts';
import { Dialogs } from '../ui/dialog.tsx';
import { Toasts } from '../ui/toasts.tsx';
import { Shell } from './shell.tsx';
import { SignInPage } from './sign-in-page.tsx';

export function App() {
  useEffect(startTicking, []);
  return (
    <>
      {controlToken.value === undefined ? <SignInPage /> : <Shell key={controlToken.value} />}
      <Dialogs />
      <Toasts />
    </>
  );
}
