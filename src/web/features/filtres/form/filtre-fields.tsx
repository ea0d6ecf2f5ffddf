/** The filter form's fields that are always shown: name, criteria, buying and visibility. */
import { NativeSelect, Switch, Textarea, TextInput } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import { useState } from "react";
import { categoryById } from "#catalogue/categories.ts";
import { conditions } from "#catalogue/conditions.ts";
import { autobuyLabel, planByKey } from "#catalogue/plans.ts";
import { MAX_TAG_LENGTH } from "#contract/bounds.ts";
import type { Filtre } from "#contract/filtres/filtre.ts";
import type { Utilisateur } from "#contract/compte.ts";
import { paymentMethods } from "#catalogue/payment-methods.ts";
import { requiredDaysText } from "../../../ui/charts/day-text.ts";
import { Choice } from "../../../ui/pickers/choice.tsx";
import type { DraftReplay } from "../replay/replay-line.tsx";
import { cheapestText } from "../replay/replay-texts.ts";
import { BrandPicker } from "../../../ui/pickers/brand-picker.tsx";
import { ColourPicker, SizePicker } from "./detail-pickers.tsx";
import { type BargainText, type FieldsProps, limitOf, openingOf, type PickersProps } from "./draft.ts";
import { ListPicker } from "../../../ui/pickers/picker.tsx";
import { rulesProblemsOf } from "./rules-draft.ts";
import { RulesFields } from "./rules-fields.tsx";
import { TypePicker } from "../../../ui/pickers/type-picker.tsx";
import { textField } from "../../../ui/windows/text-field.tsx";

const LOCKED_TEXT = "Réservé aux offres Acquire et Thunder.";

/** The filter's tag and its owner's note. */
export function Naming(props: FieldsProps) {
  const text = textField(props);
  return (
    <section className="modal-form__part filtre-form__grid">
      <TextInput
        label="Tag *"
        required
        withAsterisk={false}
        data-autofocus
        maxLength={MAX_TAG_LENGTH}
        {...text("tag")}
      />
      <Textarea label="Info supp" placeholder="Pour vous seul" autosize={false} rows={1} {...text("info")} />
    </section>
  );
}

interface CriteriaProps extends PickersProps {
  readonly edited: Filtre | null;
  /** The draft's backtest; null while none can be requested. */
  readonly replay: DraftReplay | null;
}

/** What a listing must match, including its price. */
export function Criteria(props: CriteriaProps) {
  const { draft, onChange, edited, replay } = props;
  return (
    <section className="modal-form__part filtre-form__grid filtre-form__criteria">
      <TypePicker
        {...openingOf(props, "types")}
        chosenIds={draft.typeIds}
        onChange={(typeIds) => onChange({ typeIds })}
      />
      <BrandPicker
        {...openingOf(props, "brands")}
        chosenIds={draft.brandIds}
        otherTitles={brandTitlesOf(edited)}
        onChange={(brandIds) => onChange({ brandIds })}
      />
      <TextInput
        label="Limite de prix"
        inputMode="decimal"
        rightSection="€"
        description="En EUR, hors livraison, sans les centimes"
        {...textField(props)("limitText")}
        onBlur={() => onChange({ limitText: String(limitOf(draft.limitText)) })}
      />
      <NativeSelect
        label="Sous le prix habituel"
        data={BARGAIN_CHOICES}
        description={<BargainHints draft={draft} replay={replay} />}
        value={draft.bargainText}
        onChange={(event) => onChange({ bargainText: chosenBargain(event.currentTarget.value) })}
      />
      <SizePicker
        {...openingOf(props, "sizes")}
        chosenIds={draft.sizeIds}
        typeIds={draft.typeIds}
        onChange={(sizeIds) => onChange({ sizeIds })}
      />
      <ListPicker
        {...openingOf(props, "conditions")}
        label="États"
        all="Tous"
        options={conditions}
        chosenIds={draft.conditionIds}
        onChange={(conditionIds) => onChange({ conditionIds })}
      />
      <ColourPicker
        {...openingOf(props, "colour")}
        name={draft.color}
        onChange={(color) => onChange({ color })}
      />
    </section>
  );
}

/**
 * The cheapest matching price, whose line is reserved while it loads, to avoid a layout shift; then whether a usual
 * price can be known, and from when on the filter buys by it.
 */
function BargainHints({ draft, replay }: Pick<CriteriaProps, "draft" | "replay">) {
  const cheapest = replay?.data === undefined ? "" : cheapestText(replay.data);
  return (
    <>
      {cheapest === null ? null : (
        <span className="filtre-form__cheapest" data-old={replay?.isOld || undefined}>
          <span>{cheapest}</span>
        </span>
      )}
      {draft.bargainText !== "" && draft.typeIds.every(isRoot) ? (
        <span>Sans type précis, souvent aucun prix habituel : choisissez des types.</span>
      ) : null}
      {draft.autobuy && draft.bargainText !== "" ? (
        <span>{`Pour acheter seul : au moins 20 annonces semblables${requiredDaysText()}.`}</span>
      ) : null}
    </>
  );
}

function isRoot(typeId: number): boolean {
  return categoryById(typeId)?.parentId === null;
}

const BARGAIN_CHOICES: { readonly value: BargainText; readonly label: string }[] = [
  { value: "", label: "Peu importe" },
  { value: "25", label: "Les 25\u00A0% les moins chers" },
  { value: "10", label: "Les 10\u00A0% les moins chers" },
  { value: "5", label: "Les 5\u00A0% les moins chers" },
];

function chosenBargain(text: string): BargainText {
  return BARGAIN_CHOICES.find(({ value }) => value === text)?.value ?? "";
}

interface UserFieldsProps extends FieldsProps {
  readonly user: Utilisateur;
}

/** How the filter pays and buys, by which rules, and who sees it. */
export function Buying(props: UserFieldsProps) {
  const { draft, onChange } = props;
  // Rules are sent even without automatic buying, so invalid ones are visible, and stay so while they are corrected.
  const areInvalid = Object.keys(rulesProblemsOf(draft)).length > 0;
  const [wereInvalid, setWereInvalid] = useState(areInvalid);
  if (areInvalid && !wereInvalid) setWereInvalid(true);
  const hasRules = draft.autobuy || wereInvalid;
  return (
    <section className="modal-form__part filtre-form__grid">
      <Choice
        label="Moyen de paiement"
        options={paymentMethods}
        chosenId={draft.paiement}
        onChange={(paiement) => onChange({ paiement })}
      />
      <AutobuySwitch {...props} />
      {hasRules ? <RulesFields {...props} /> : null}
      <Switch
        className="wide"
        label="Privé"
        description={
          draft.isPrivate
            ? "Vous seul voyez ce filtre."
            : "Ce filtre est public : les autres abonnés peuvent voir et copier son tag et ses critères, jamais votre nom ni vos achats."
        }
        aria-label="Privé"
        checked={draft.isPrivate}
        onChange={(event) => onChange({ isPrivate: event.currentTarget.checked })}
      />
    </section>
  );
}

function AutobuySwitch({ draft, onChange, user }: UserFieldsProps) {
  const label = autobuyLabel(user.level) ?? "Acquire";
  const isLocked = !planByKey(user.plan).hasAutobuy;
  return (
    <Switch
      wrapperProps={{ "data-lane": label.toLowerCase() }}
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
  );
}

function brandTitlesOf(filtre: Filtre | null): ReadonlyMap<number, string> {
  if (filtre === null) return new Map();
  const { ids, names } = filtre.brands;
  return new Map(ids.map((id, index) => [id, names[index] ?? String(id)]));
}
