/** What the text fields of the forms have in common. */

/** The members of a draft that hold any text, and nothing else. */
type TextNameOf<Draft> = {
  [Name in keyof Draft]-?: [Draft[Name], string] extends [string, Draft[Name]] ? Name : never;
}[keyof Draft];

interface Fields<Draft, Name extends keyof Draft> {
  readonly draft: Draft;
  readonly problems: Partial<Record<Name, string>>;
  readonly onChange: (changes: Partial<Record<Name, string>>) => void;
}

/** Binds text inputs to the members of a form's draft. */
export function textField<Draft extends Readonly<Record<TextNameOf<Draft>, string>>>({
  draft,
  problems,
  onChange,
}: Fields<Draft, TextNameOf<Draft>>) {
  return (name: TextNameOf<Draft>) => ({
    value: draft[name],
    error: problems[name],
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }): void => {
      const changes: Partial<Record<PropertyKey, string>> = { [name]: currentTarget.value };
      onChange(changes);
    },
  });
}

/** At the end of a field. */
export function Unit({ text }: { readonly text: string }) {
  return <span className="aside">{text}</span>;
}
