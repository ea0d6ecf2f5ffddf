import { TextInput } from "@mantine/core";
import type { Filtre } from "#contract/filtres/filtre.ts";
import { Choice } from "../../../ui/pickers/choice.tsx";
import { textField } from "../../../ui/windows/text-field.tsx";
import type { FieldsProps } from "./draft.ts";

const CHOICES: readonly { readonly id: Filtre["alerte"]; readonly label: string }[] = [
  { id: "rien", label: "Rien" },
  { id: "silencieux", label: "Silencieux" },
  { id: "sonore", label: "Sonore" },
];

/** "Silencieux". */
export function alertLabel(alerte: Filtre["alerte"]): string {
  return CHOICES.find(({ id }) => id === alerte)?.label ?? "";
}

/** How finds are announced outside the page, and how many per hour individually. */
export function AlertFields(props: FieldsProps) {
  const { draft, onChange } = props;
  return (
    <div className="filtre-form__grid wide">
      <Choice
        label="Alertes"
        options={CHOICES}
        chosenId={draft.alerte}
        onChange={(alerte) => onChange({ alerte })}
      />
      <TextInput
        label="Au plus … par heure"
        description="Les autres articles sont comptés et annoncés ensemble."
        inputMode="numeric"
        disabled={draft.alerte === "rien"}
        {...textField(props)("alertsText")}
      />
    </div>
  );
}
