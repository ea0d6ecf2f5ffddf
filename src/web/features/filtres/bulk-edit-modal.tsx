import { Checkbox, NativeSelect, TextInput, type TextInputProps } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, CallError, isOutcomeUnknown } from "../../api/client.ts";
import { reloadEverything } from "../../api/queries.ts";
import { formatCounted } from "../../ui/format-panel.ts";
import { textField, Unit } from "../../ui/windows/text-field.tsx";
import { showToast } from "../../ui/toasts/show-toast.ts";
import { isChanged } from "../../ui/changed-parts.ts";
import { FormModal, useUnsaved } from "../../ui/windows/form-modal.tsx";
import { ModalFormFooter } from "../../ui/windows/modal.tsx";
import { useDraftForm } from "../../ui/windows/use-draft-form.ts";
import { useSingleMutation } from "../../ui/windows/use-single-mutation.ts";
import {
  bulkFieldOfWire,
  bulkProblemsOf,
  changeOf,
  NO_CHANGE,
  type ActiveChange,
  type LimitChange,
} from "./bulk-change.ts";

interface BulkEditModalProps {
  readonly isOpen: boolean;
  /** The selected filters. */
  readonly ids: readonly string[];
  /** The plan includes automatic buying. */
  readonly hasAutobuy: boolean;
  readonly onClose: () => void;
}

/** Edits several filters at once; for an untouched field, each filter keeps its own value. */
export function BulkEditModal({ isOpen, ids, hasAutobuy, onClose }: BulkEditModalProps) {
  const title = `Modifier ${formatCounted(ids.length, "filtre", "filtres")}`;
  return (
    <FormModal isOpen={isOpen} title={title} size={560} onClose={onClose}>
      <BulkForm ids={ids} hasAutobuy={hasAutobuy} onDone={onClose} />
    </FormModal>
  );
}

const activeChoices: readonly { readonly value: ActiveChange; readonly label: string }[] = [
  { value: "keep", label: "Ne pas changer" },
  { value: "on", label: "Activer" },
  { value: "off", label: "Mettre en pause" },
];

const limitChoices: readonly { readonly value: LimitChange; readonly label: string }[] = [
  { value: "keep", label: "Ne pas changer" },
  { value: "set", label: "Fixer à" },
  { value: "raise", label: "Augmenter de" },
  { value: "lower", label: "Baisser de" },
];

const MAYBE_CHANGED_TEXT = "La limite a peut-être déjà changé : vérifiez avant de recommencer.";

interface BulkFormProps extends Pick<BulkEditModalProps, "ids" | "hasAutobuy"> {
  readonly onDone: () => void;
}

function BulkForm({ ids, hasAutobuy, onDone }: BulkFormProps) {
  const client = useQueryClient();
  const [draft, setDraft] = useState(NO_CHANGE);
  const change = changeOf(draft);
  useUnsaved(isChanged(draft, NO_CHANGE));
  const save = useSingleMutation({
    mutationFn: async () => {
      try {
        return await call("changeFilters", { body: { IDs: [...ids], changement: change } });
      } catch (cause) {
        if (change.limit_delta === undefined || !isOutcomeUnknown(cause)) throw cause;
        // Sent again, the amount would be added twice.
        void reloadEverything(client);
        setDraft((known) => ({ ...known, limit: "keep" }));
        throw new CallError(MAYBE_CHANGED_TEXT, 0, { cause });
      }
    },
    onSuccess: async ({ message }) => {
      await reloadEverything(client);
      showToast({ message });
      onDone();
    },
  });
  const { shown, refusal, set, submit } = useDraftForm({
    draft,
    onChange: (changes) => setDraft({ ...draft, ...changes }),
    problems: bulkProblemsOf(draft),
    save,
    send: save.mutate,
    fieldOf: bulkFieldOfWire,
  });
  const text = textField({ draft, problems: shown, onChange: set });
  return (
    <form onSubmit={submit} noValidate>
      <div className="modal-form__fields stack" data-gap="20">
        <NativeSelect
          label="Actif"
          data-autofocus
          data={[...activeChoices]}
          value={draft.active}
          onChange={(event) => set({ active: chosen(activeChoices, event.currentTarget.value) })}
        />
        <div className="pair">
          <NativeSelect
            label="Limite de prix"
            data={[...limitChoices]}
            value={draft.limit}
            onChange={(event) => set({ limit: chosen(limitChoices, event.currentTarget.value) })}
          />
          {draft.limit === "keep" ? null : (
            <TextInput
              label="Montant"
              inputMode="decimal"
              rightSection={<Unit text="€" />}
              {...text("amountText")}
            />
          )}
        </div>
        <Words title="Mots à contenir" added={text("addedText")} removed={text("removedText")} />
        <Words title="Mots à exclure" added={text("excludedText")} removed={text("includedAgainText")} />
        {hasAutobuy ? (
          <Checkbox
            label="Couper l'achat automatique"
            checked={draft.stopsAutobuy}
            onChange={(event) => set({ stopsAutobuy: event.currentTarget.checked })}
          />
        ) : null}
      </div>
      <ModalFormFooter
        refusal={refusal}
        save="Appliquer"
        isSaving={save.isPending}
        isDisabled={Object.keys(change).length === 0}
        onCancel={onDone}
      />
    </form>
  );
}

interface WordsProps {
  readonly title: string;
  readonly added: TextInputProps;
  readonly removed: TextInputProps;
}

function Words({ title, added, removed }: WordsProps) {
  return (
    <fieldset className="pair">
      <legend>{title}</legend>
      <TextInput label="Ajouter" placeholder="Entre virgules" {...added} />
      <TextInput label="Retirer" placeholder="Entre virgules" {...removed} />
    </fieldset>
  );
}

function chosen<Value extends string>(
  choices: readonly { readonly value: Value }[],
  text: string,
): Value | "keep" {
  return choices.find(({ value }) => value === text)?.value ?? "keep";
}
