import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export interface FieldProps {
  readonly label: string;
  /** Shown below the field, and read with it. */
  readonly hint?: ComponentChildren;
  /** What is wrong with the value. */
  readonly error?: string;
  readonly isDisabled?: boolean;
  /** The label is for screen readers only: the field says by its place what it is. */
  readonly isLabelHidden?: boolean;
}

/** What a control of any kind needs to belong to its label, hint and error. */
export function Field({
  label,
  hint,
  error,
  isLabelHidden,
  children,
}: FieldProps & {
  children(attributes: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }): ComponentChildren;
}) {
  const id = useId();
  const described = [error !== undefined && `${id}-error`, hint !== undefined && `${id}-hint`]
    .filter(Boolean)
    .join(' ');
  return (
    <div class="field">
      <label for={id} class={isLabelHidden ? 'visually-hidden' : undefined}>
        {label}
      </label>
      {children({
        id,
        ...(described && { 'aria-describedby': described }),
        ...(error !== undefined && { 'aria-invalid': true as const }),
      })}
      {error !== undefined && (
        <p id={`${id}-error`} class="field-error" role="alert">
          {error}
        </p>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
    </div>
  );
}

export interface TextFieldProps extends FieldProps {
  readonly value: string;
  readonly type?: 'text' | 'search' | 'number' | 'password' | 'url' | 'datetime-local';
  readonly placeholder?: string;
  readonly autoComplete?: string;
  readonly maxLength?: number;
  readonly min?: number;
  readonly max?: number;
  /** Suggestions that the browser offers. */
  readonly suggestions?: readonly string[];
  readonly isMono?: boolean;
  onInput(value: string): void;
  onKeyDown?(event: KeyboardEvent): void;
  onFocus?(): void;
}

export function TextField(props: TextFieldProps) {
  const { value, type = 'text', placeholder, autoComplete = 'off', maxLength, min, max, suggestions, isMono } = props;
  return (
    <Field {...props}>
      {attributes => (
        <>
          <input
            {...attributes}
            class={isMono ? 'input mono' : 'input'}
            // The types of JSX distinguish elements by it; this one is any of them.
            type={type as 'text'}
            value={value}
            placeholder={placeholder}
            autocomplete={autoComplete}
            maxLength={maxLength}
            min={min}
            max={max}
            disabled={props.isDisabled}
            spellcheck={false}
            list={suggestions && `${attributes.id}-list`}
            onInput={event => props.onInput(event.currentTarget.value)}
            onKeyDown={event => props.onKeyDown?.(event)}
            onFocus={() => props.onFocus?.()}
          />
          {suggestions && (
            <datalist id={`${attributes.id}-list`}>
              {suggestions.map(text => (
                <option key={text} value={text} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  );
}

/** A text of several lines. */
export function TextArea(
  props: FieldProps & {
    readonly value: string;
    readonly rows?: number;
    readonly placeholder?: string;
    readonly isMono?: boolean;
    onInput(value: string): void;
    onKeyDown?(event: KeyboardEvent): void;
  },
) {
  return (
    <Field {...props}>
      {attributes => (
        <textarea
          {...attributes}
          class={props.isMono ? 'input mono' : 'input'}
          rows={props.rows ?? 4}
          value={props.value}
          placeholder={props.placeholder}
          disabled={props.isDisabled}
          spellcheck={false}
          onInput={event => props.onInput(event.currentTarget.value)}
          onKeyDown={event => props.onKeyDown?.(event)}
        />
      )}
    </Field>
  );
}

export interface Choice<T extends string = string> {
  readonly value: T;
  readonly label: string;
}

export function Select<T extends string>(
  props: FieldProps & { readonly value: T; readonly choices: readonly Choice<T>[]; onChange(value: T): void },
) {
  return (
    <Field {...props}>
      {attributes => (
        <select
          {...attributes}
          class="input"
          value={props.value}
          disabled={props.isDisabled}
          onChange={event => props.onChange(event.currentTarget.value as T)}
        >
          {props.choices.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function Checkbox({
  label,
  hint,
  isChecked,
  isDisabled,
  onChange,
}: {
  readonly label: ComponentChildren;
  readonly hint?: string;
  readonly isChecked: boolean;
  readonly isDisabled?: boolean;
  onChange(isChecked: boolean): void;
}) {
  const id = useId();
  return (
    <div class="checkbox">
      <input
        id={id}
        type="checkbox"
        checked={isChecked}
        disabled={isDisabled}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={event => onChange(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
    </div>
  );
}
