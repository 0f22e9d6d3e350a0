import { words } from '../words/en.ts';
import { Button } from './button.tsx';
import { dismissToast, toasts } from './toast.ts';

/** Where toasts appear. Screen readers announce them. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, kind, act }) => (
        <div key={id} class={`toast ${kind}`}>
          <span>{text}</span>
          {act && (
            <Button
              kind="quiet"
              onClick={() => {
                act.run();
                dismissToast(id);
              }}
            >
              {act.label}
            </Button>
          )}
          <Button kind="quiet" icon="close" label={words.kit.dismiss} onClick={() => dismissToast(id)} />
        </div>
      ))}
    </div>
  );
}
