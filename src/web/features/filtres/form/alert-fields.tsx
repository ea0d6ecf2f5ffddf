import { TextInput } from "@mantine/core";
import { useId } from "react";
import type { Filtre } from "#contract/filtres/filtre.ts";
import type { FiltreDraft } from "./draft.ts";
import "./alert-fields.css";

const CHOICES = [
  ["rien", "Rien"],
  ["silencieux", "Silencieux"],
  ["sonore", "Sonore"],
] as const satisfies readonly (readonly [Filtre["alerte"], string])[];

/** "Silencieux". */
export function alertLabel(alerte: Filtre["alerte"]): string {
  return CHOICES.find(([value]) => value === alerte)?.[1] ?? "";
}

interface AlertFieldsProps {
  readonly draft: Pick<FiltreDraft, "alerte" | "alertsText">;
  readonly problems: { readonly alertsText?: string };
  readonly onChange: (changes: Partial<FiltreDraft>) => void;
}

/** How the filter announces what it finds outside of the page, and how many an hour one by one. */
export function AlertFields({ draft, problems, onChange }: AlertFieldsProps) {
  const groupName = useId();
  return (
    <div className="alert-fields">
      <fieldset className="payment-choice">
        <legend>Alertes</legend>
        <div className="payment-choice__methods">
          {CHOICES.map(([value, label]) => (
            <label key={value}>
              <input
                type="radio"
                name={groupName}
                checked={draft.alerte === value}
                onChange={() => onChange({ alerte: value })}
              />
              {label}
            </label>
          ))}
        </div>
      </fieldset>
      <TextInput
        label="Au plus … par heure"
        description="Les autres articles sont comptés et annoncés ensemble."
        inputMode="numeric"
        autoComplete="off"
        disabled={draft.alerte === "rien"}
        value={draft.alertsText}
        error={problems.alertsText}
        onChange={({ currentTarget }) => onChange({ alertsText: currentTarget.value })}
      />
    </div>
  );
}
