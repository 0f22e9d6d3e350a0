import { Button, CopyButton } from '../../ui/button.tsx';
import { ask, Dialog } from '../../ui/dialog.tsx';
import { worldWords } from '../../words/en/world.ts';
import type { FreshSecret } from './save-fixture.ts';

const words = worldWords.applications;
const kinds = { bot_token: words.botToken, client_secret: words.clientSecret };

/** Shows secrets this once. Any way out but the button asks first, because nobody can read them again. */
export function SecretsDialog({ secrets, onClose }: { readonly secrets: readonly FreshSecret[]; onClose(): void }) {
  const leave = async () => {
    if (await ask({ title: words.leaveTitle, text: words.shownOnceText, confirm: words.leaveConfirm })) onClose();
  };
  return (
    <Dialog
      title={words.shownOnce}
      isWide
      onClose={() => void leave()}
      footer={
        <Button kind="primary" onClick={onClose}>
          {words.shownDone}
        </Button>
      }
    >
      <p>{words.shownOnceText}</p>
      <ul class="entries">
        {secrets.map(({ application_id, application_name, kind, value }) => (
          <li key={`${application_id} ${kind}`} class="entry">
            <div class="grow">
              <strong>
                {application_name} · {kinds[kind]}
              </strong>
              <p class="mono world-secret">{value}</p>
            </div>
            <CopyButton text={value} />
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
