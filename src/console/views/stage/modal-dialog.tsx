import { useId, useState } from 'preact/hooks';
import { type Component, componentTypes, partsOf, textInputStyles } from '../../../model/component.ts';
import type { ModalCreated } from '../../../model/gateway.ts';
import { limits } from '../../../model/limits/limits.ts';
import { checkSubmission } from '../../../model/rules/components/component-values.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Checkbox, Field, Select, TextArea, TextField } from '../../ui/field.tsx';
import { bytesText } from '../../ui/text/numbers.ts';
import { stageWords as words } from '../../words/en/stage.ts';
import { words as kitWords } from '../../words/en.ts';
import { boundsOf, choicesOf } from './choices.ts';
import type { Names } from './names.ts';
import { RichText } from './rich-text.tsx';
import { type Filled, initialValues, submissionOf } from './submission.ts';

const T = componentTypes;

/** A form that the application answered with. */
export function ModalDialog({
  modal,
  names,
  onSubmit,
  onDismiss,
}: {
  readonly modal: ModalCreated;
  readonly names: Names;
  onSubmit(components: ReturnType<typeof submissionOf>, files: readonly File[]): void;
  onDismiss(): void;
}) {
  const [filled, setFilled] = useState<Filled>(() => initialValues(modal.components));
  const [files, setFiles] = useState<ReadonlyMap<string, readonly File[]>>(new Map());
  const [isTried, setTried] = useState(false);
  const set = (customId: string, value: string | boolean | readonly string[]) => {
    setFilled(filled => new Map(filled).set(customId, value));
  };
  const { submission, uploads } = withFiles(modal.components, filled, files);
  const issues = checkSubmission(submission, modal.components);
  const submit = () => {
    setTried(true);
    if (issues.length === 0) onSubmit(submission, uploads);
  };
  return (
    <Dialog
      title={modal.title}
      onClose={onDismiss}
      footer={
        <>
          <Button onClick={onDismiss}>{words.modal.cancel}</Button>
          <Button kind="primary" onClick={submit}>
            {words.modal.submit}
          </Button>
        </>
      }
    >
      <p class="hint">{modal.application.name}</p>
      {modal.components.map((component, i) => (
        <Part
          key={String(component.id ?? i)}
          component={component}
          names={names}
          filled={filled}
          onChange={set}
          onFiles={(customId, chosen) => setFiles(files => new Map(files).set(customId, chosen))}
        />
      ))}
      {isTried && issues.length > 0 && (
        <ul class="field-error" role="alert">
          {issues.map(({ path, message }) => (
            <li key={`${path.join('.')} ${message}`}>{message}</li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}

/** Files are sent beside the form, which names them by their numbers. */
function withFiles(components: readonly Component[], filled: Filled, files: ReadonlyMap<string, readonly File[]>) {
  const uploads: File[] = [];
  const values = new Map(filled);
  for (const [customId, chosen] of files) {
    values.set(
      customId,
      chosen.map(file => String(uploads.push(file) - 1)),
    );
  }
  return { submission: submissionOf(components, values), uploads };
}

interface PartProps {
  readonly component: Component;
  readonly names: Names;
  readonly filled: Filled;
  /** The heading above it. */
  readonly label?: string;
  readonly hint?: string | undefined;
  onChange(customId: string, value: string | boolean | readonly string[]): void;
  onFiles(customId: string, files: readonly File[]): void;
}

function Part(props: PartProps) {
  const { component, names } = props;
  const { component: labelled, components } = partsOf<Component>(component);
  if (component.type === T.TEXT_DISPLAY) {
    return (
      <p>
        <RichText text={component.content} names={names} />
      </p>
    );
  }
  if (labelled) {
    const isRequired = labelled.required !== false && labelled.type !== T.CHECKBOX;
    const label = `${component.label ?? ''}${isRequired ? ` (${words.modal.required})` : ''}`;
    return <Part {...props} component={labelled} label={label} hint={component.description ?? undefined} />;
  }
  if (components) {
    return (
      <>
        {components.map((one, i) => (
          <Part key={String(one.id ?? i)} {...props} component={one} label={one.label ?? ''} />
        ))}
      </>
    );
  }
  return <Input {...props} />;
}

function Input({ component, names, filled, label = '', hint, onChange, onFiles }: PartProps) {
  const { type, custom_id: customId = '', placeholder, style, max_length } = component;
  const value = filled.get(customId);
  const shared = { label, ...(hint !== undefined && { hint }), ...(placeholder && { placeholder }) };
  if (type === T.TEXT_INPUT) {
    const text = { ...shared, value: String(value ?? ''), onInput: (text: string) => onChange(customId, text) };
    return style === textInputStyles.PARAGRAPH ? (
      <TextArea {...text} rows={4} />
    ) : (
      <TextField {...text} {...(max_length !== undefined && { maxLength: max_length })} />
    );
  }
  if (type === T.CHECKBOX) {
    return (
      <Checkbox
        label={label}
        {...(hint !== undefined && { hint })}
        isChecked={value === true}
        onChange={on => onChange(customId, on)}
      />
    );
  }
  if (type === T.FILE_UPLOAD) {
    const hintText = words.composer.tooLarge(bytesText(limits.attachmentBytesMax));
    return (
      <Field label={label} hint={hint ?? hintText}>
        {attributes => (
          <input
            {...attributes}
            class="input"
            type="file"
            multiple={boundsOf(component).max > 1}
            onChange={event => onFiles(customId, [...(event.currentTarget.files ?? [])])}
          />
        )}
      </Field>
    );
  }
  return (
    <ChoiceInput
      component={component}
      names={names}
      value={value}
      label={label}
      hint={hint}
      onChange={value => onChange(customId, value)}
    />
  );
}

function ChoiceInput({
  component,
  names,
  value,
  label,
  hint,
  onChange,
}: {
  readonly component: Component;
  readonly names: Names;
  readonly value: string | boolean | readonly string[] | undefined;
  readonly label: string;
  readonly hint: string | undefined;
  onChange(value: string | readonly string[]): void;
}) {
  const name = useId();
  const choices = choicesOf(component, names);
  const { max } = boundsOf(component);
  const chosen = Array.isArray(value)
    ? (value as readonly string[])
    : typeof value === 'string' && value !== ''
      ? [value]
      : [];
  if (component.type === T.RADIO_GROUP) {
    return (
      <fieldset class="stack">
        <legend>{label}</legend>
        {choices.map(choice => (
          <label key={choice.value} class="row">
            <input
              type="radio"
              name={name}
              checked={chosen.includes(choice.value)}
              onChange={() => onChange(choice.value)}
            />
            {choice.label}
          </label>
        ))}
      </fieldset>
    );
  }
  if (max === 1 && component.type !== T.CHECKBOX_GROUP) {
    return (
      <Select
        label={label}
        {...(hint !== undefined && { hint })}
        value={chosen[0] ?? ''}
        choices={[{ value: '', label: component.placeholder || kitWords.kit.choose }, ...choices]}
        onChange={one => onChange(one === '' ? [] : [one])}
      />
    );
  }
  return (
    <fieldset class="stack">
      <legend>{label}</legend>
      {choices.map(choice => (
        <Checkbox
          key={choice.value}
          label={choice.label}
          isChecked={chosen.includes(choice.value)}
          isDisabled={!chosen.includes(choice.value) && chosen.length >= max}
          onChange={on => onChange(on ? [...chosen, choice.value] : chosen.filter(one => one !== choice.value))}
        />
      ))}
    </fieldset>
  );
}
