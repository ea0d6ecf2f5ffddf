import { Button, Switch, Textarea, TextInput } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type SubmitEvent } from "react";
import { autobuyLabel, planByKey } from "#catalogue/plans.ts";
import { MAX_TAG_LENGTH } from "#contract/bounds.ts";
import type { Filtre } from "#contract/filtre.ts";
import type { Utilisateur } from "#contract/utilisateur.ts";
import { call, CallError, errorText } from "../../../api/client.ts";
import { reloadEverything } from "../../../api/queries.ts";
import { ModalFormFooter } from "../../../ui/modal-form-footer.tsx";
import { PaymentChoice } from "../../../ui/payment-choice.tsx";
import { keepFocusInForm } from "../../../ui/keep-focus.ts";
import { showToast } from "../../../ui/toast.tsx";
import { AdvancedOptions } from "./advanced-options.tsx";
import { BrandPicker } from "./brand-picker.tsx";
import { ColourPicker } from "./colour-picker.tsx";
import { ConditionPicker } from "./condition-picker.tsx";
import {
  bodyOf,
  draftOf,
  emptyDraft,
  fieldOfWire,
  limitOf,
  problemsOf,
  type DraftField,
  type FiltreDraft,
} from "./draft.ts";
import type { DraftPartProps } from "./draft-part.ts";
import { PasteOffer } from "./paste-offer.tsx";
import { FilterPreview } from "./filter-preview.tsx";
import { SizePicker } from "./size-picker.tsx";
import { TypePicker } from "./type-picker.tsx";
import "./filtre-form.css";

const PAUSED_TEXT = "Filtre en pause : réactivez-le";
const LOCKED_TEXT = "Réservé aux offres Acquire et Thunder.";

type PickerName = "types" | "brands" | "sizes" | "conditions" | "colour";

interface FiltreFormProps {
  readonly user: Utilisateur;
  readonly edited: Filtre | null;
  readonly onDone: () => void;
}

export function FiltreForm({ user, edited, onDone }: FiltreFormProps) {
  const [draft, setDraft] = useState(() => (edited === null ? emptyDraft : draftOf(edited)));
  const [areProblemsShown, setAreProblemsShown] = useState(false);
  const save = useSave(edited, () => {
    setDraft(emptyDraft);
    onDone();
  });
  const problems = problemsOf(draft);
  const refusal = save.isError ? refusalIn(save.error) : null;
  const change = (changes: Partial<FiltreDraft>): void => {
    setDraft((known) => ({ ...known, ...changes }));
    // What the server refused may just have been mended.
    if (save.isError) save.reset();
  };
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    setAreProblemsShown(true);
    if (Object.keys(problems).length === 0) save.mutate(draft);
  };
  const shownProblems = { ...(areProblemsShown ? problems : {}), ...refusal?.atField };
  const part: DraftPartProps = { draft, problems: shownProblems, onChange: change };

  return (
    <form className="filtre-form" onSubmit={submit} noValidate>
      <div className="modal-form__fields">
        <PasteOffer onRead={change} />
        <Naming {...part} />
        <Criteria {...part} edited={edited} />
        <Buying {...part} user={user} />
        <Sharing {...part} />
        <AdvancedOptions {...part} />
      </div>
      <ModalFormFooter refusal={refusal?.atField === undefined ? (refusal?.text ?? null) : null}>
        <FilterPreview draft={draft} />
        <Button disabled={save.isPending} onClick={onDone}>
          Annuler
        </Button>
        <Button type="submit" variant="filled" disabled={draft.tag.trim() === ""} loading={save.isPending}>
          {edited === null ? "Créer le filtre" : "Enregistrer"}
        </Button>
      </ModalFormFooter>
    </form>
  );
}

interface ShownRefusal {
  readonly text: string;
  /** Where it can be mended, when the form has such a field. */
  readonly atField: Partial<Record<DraftField, string>> | undefined;
}

function refusalIn(error: unknown): ShownRefusal {
  const text = errorText(error);
  const field = error instanceof CallError ? fieldOfWire(error.field) : undefined;
  return { text, atField: field === undefined ? undefined : { [field]: text } };
}

function useSave(edited: Filtre | null, onSaved: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (draft: FiltreDraft) =>
      edited === null
        ? call("addFilter", { body: bodyOf(draft) })
        : call("editFilter", { body: { ...bodyOf(draft), _id: edited._id, active: false } }),
    onSuccess: ({ message }) => {
      // An edit is silent in the specification; that it put the filter to rest must be said.
      if (edited === null) showToast({ message });
      else showToast({ message: PAUSED_TEXT, tone: "neutral" });
      onSaved();
      void reloadEverything(client);
    },
    onError: (error) => {
      showToast({ message: errorText(error), tone: "bad" });
      keepFocusInForm();
    },
  });
}

function Naming({ draft, problems, onChange }: DraftPartProps) {
  return (
    <section className="modal-form__part filtre-form__pair">
      <TextInput
        label="Tag *"
        required
        withAsterisk={false}
        data-autofocus
        maxLength={MAX_TAG_LENGTH}
        autoComplete="off"
        value={draft.tag}
        error={problems.tag}
        onChange={(event) => onChange({ tag: event.currentTarget.value })}
      />
      <Textarea
        label="Info supp"
        placeholder="Pour vous seul"
        autosize={false}
        rows={1}
        value={draft.info}
        error={problems.info}
        onChange={(event) => onChange({ info: event.currentTarget.value })}
      />
    </section>
  );
}

function Criteria(props: DraftPartProps & { readonly edited: Filtre | null }) {
  const { draft, onChange, edited } = props;
  const [openPicker, setOpenPicker] = useState<PickerName | null>(null);
  const opening = (name: PickerName) => ({
    isOpen: openPicker === name,
    onToggle: () => setOpenPicker(openPicker === name ? null : name),
  });
  return (
    <section className="modal-form__part filtre-form__grid" aria-label="Critères">
      <TypePicker
        {...opening("types")}
        chosenIds={draft.typeIds}
        onChange={(typeIds) => onChange({ typeIds })}
      />
      <BrandPicker
        {...opening("brands")}
        chosenIds={draft.brandIds}
        otherTitles={brandTitlesOf(edited)}
        onChange={(brandIds) => onChange({ brandIds })}
      />
      <SizePicker
        {...opening("sizes")}
        chosenIds={draft.sizeIds}
        typeIds={draft.typeIds}
        onChange={(sizeIds) => onChange({ sizeIds })}
      />
      <ConditionPicker
        {...opening("conditions")}
        chosenIds={draft.conditionIds}
        onChange={(conditionIds) => onChange({ conditionIds })}
      />
      <ColourPicker {...opening("colour")} name={draft.color} onChange={(color) => onChange({ color })} />
      <PriceLimit {...props} />
    </section>
  );
}

function PriceLimit({ draft, problems, onChange }: DraftPartProps) {
  const limit = limitOf(draft.limitText);
  return (
    <TextInput
      label="Limite de prix"
      description="En EUR, hors livraison"
      inputMode="numeric"
      rightSection="€"
      autoComplete="off"
      value={draft.limitText}
      error={problems.limitText}
      onChange={(event) => onChange({ limitText: event.currentTarget.value })}
      onBlur={() => onChange({ limitText: String(limit) })}
    />
  );
}

function Buying({ draft, onChange, user }: DraftPartProps & { readonly user: Utilisateur }) {
  const label = autobuyLabel(user.level) ?? "Acquire";
  const isLocked = !planByKey(user.plan).hasAutobuy;
  return (
    <section className="modal-form__part filtre-form__pair" aria-label="Achat">
      <PaymentChoice
        label="Moyen de paiement"
        chosenId={draft.paiement}
        onChange={(paiement) => onChange({ paiement })}
      />
      <Switch
        className="filtre-form__autobuy"
        data-lane={label.toLowerCase()}
        label={
          <>
            {label}
            {isLocked ? <IconLock size={14} aria-hidden="true" /> : null}
          </>
        }
        description={
          isLocked ? LOCKED_TEXT : "Achète de lui-même chaque nouvel article trouvé, sans vous attendre."
        }
        disabled={isLocked}
        checked={draft.autobuy && !isLocked}
        onChange={(event) => onChange({ autobuy: event.currentTarget.checked })}
      />
    </section>
  );
}

function Sharing({ draft, onChange }: DraftPartProps) {
  return (
    <section className="modal-form__part" aria-label="Partage">
      <Switch
        label={draft.isPrivate ? "Privé" : "Publique"}
        description={
          draft.isPrivate
            ? "Vous seul voyez ce filtre."
            : "Les autres abonnés peuvent voir et copier ses critères, jamais votre nom ni vos achats."
        }
        aria-label="Privé"
        checked={draft.isPrivate}
        onChange={(event) => onChange({ isPrivate: event.currentTarget.checked })}
      />
    </section>
  );
}

function brandTitlesOf(filtre: Filtre | null): ReadonlyMap<number, string> {
  if (filtre === null) return new Map();
  const { ids, names } = filtre.brands;
  return new Map(ids.map((id, index) => [id, names[index] ?? String(id)]));
}
