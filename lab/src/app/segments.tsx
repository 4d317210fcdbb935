/** A segmented control: a radio group with arrow keys. */

export interface Option<Value extends string> {
  readonly value: Value;
  readonly text: string;
  readonly hint?: string;
}

export function Segments<Value extends string>({
  label,
  options,
  value,
  choose,
}: {
  label: string;
  options: readonly Option<Value>[];
  value: Value;
  choose: (value: Value) => void;
}) {
  const onKey = (event: KeyboardEvent): void => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const at = options.findIndex((option) => option.value === value);
    const next = options[(at + by + options.length) % options.length];
    if (!next) return;
    choose(next.value);
    const buttons = (event.currentTarget as HTMLElement).querySelectorAll("button");
    buttons[options.indexOf(next)]?.focus();
  };
  return (
    <div class="segments" role="radiogroup" aria-label={label} onKeyDown={onKey}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          role="radio"
          aria-checked={option.value === value}
          tabIndex={option.value === value ? 0 : -1}
          title={option.hint}
          onClick={() => choose(option.value)}
        >
          {option.text}
        </button>
      ))}
    </div>
  );
}
